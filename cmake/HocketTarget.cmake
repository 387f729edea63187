include_guard(GLOBAL)

# What every target of this project is compiled with. All of it is private to the target: a project
# that links Hocket keeps its own warnings.
function(hocket_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    # GCC 12 sees overlapping copies in std::string's operator+ (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    # Unique symbols cannot be made local, which hocket::unmodified needs.
    $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>
    $<$<BOOL:${HOCKET_WERROR}>:-Werror>)
endfunction()
