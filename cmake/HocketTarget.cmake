include_guard(GLOBAL)

# What every target of this project is compiled with. All of it is private to the target: a project
# that links Hocket keeps its own warnings.
function(hocket_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # GCC 12 takes "literal" + std::string for an overlapping copy: https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105651
  set(gcc_12 "$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>")
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<${gcc_12}:-Wno-restrict>
    $<$<BOOL:${HOCKET_WERROR}>:-Werror>)
endfunction()
