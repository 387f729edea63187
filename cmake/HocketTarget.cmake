include_guard(GLOBAL)

# What every target of this project is compiled with. All of it is private to the target: a project
# that links Hocket keeps its own warnings.
function(hocket_target target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # The names of calls are changed in object files (HocketLibcCalls.cmake), which link-time optimisation does without.
  set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" MATCHES "-flto")
    target_compile_options(${target} PRIVATE -fno-lto)
  endif()
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    # GCC 12 sees overlapping copies in std::string's operator+ (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    # Unique symbols cannot be made local, which hocket::unmodified needs.
    $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>
    $<$<BOOL:${HOCKET_WERROR}>:-Werror>)
endfunction()

# A static library that may be linked into a shared one. Its functions keep being inlined into each other, but its data
# must be one in all of a process, however a project hides its own.
function(hocket_fits_shared_libraries target)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF)
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>")
endfunction()

# Compiles a target that only checks, or only parses arguments, with `-O<level>` whatever the build type says: most of
# the time of a build is the compiler's work on tests. What they check, the library, stays as the build type says, and
# with HOCKET_ALL_TESTS so do they. HOCKET_QUICK_FLAGS: more flags for such targets.
function(hocket_compile_quickly target level)
  if(NOT HOCKET_ALL_TESTS)
    target_compile_options(${target} PRIVATE -O${level} ${HOCKET_QUICK_FLAGS})
  endif()
endfunction()

# Reads the headers of the standard library that most sources include, and more if given, once for the whole target.
# That hides an #include that is missing in a source: tools/nightly builds with CMAKE_DISABLE_PRECOMPILE_HEADERS.
function(hocket_precompile target)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <atomic> <chrono> <cstdint> <functional> <map> <memory> <optional> <string> <string_view>
    <unordered_map> <vector> ${ARGN})
  # In precompiled headers GCC 12 takes the standard library's code for the project's own, and sees strings overflow
  # in std::string's operator+ (GCC bug 105651).
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-array-bounds>")
endfunction()

# The same with what was precompiled for another target, which has the same options.
function(hocket_precompile_as target other)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${other})
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-array-bounds>")
endfunction()

# Unity build for test targets: compiles several sources at a time, because what they include and instantiate is most of
# a compiler's work on a test. So two of its sources cannot give one name to two things. HOCKET_JOINED_SOURCES=1 is
# quicker for the author of one test. tools/nightly, too, compiles each by itself, and sees an #include that is missing.
set(HOCKET_JOINED_SOURCES 8 CACHE STRING "how many sources of tests are compiled at a time")
mark_as_advanced(HOCKET_JOINED_SOURCES)
function(hocket_join_sources target)
  if(NOT HOCKET_ALL_TESTS AND HOCKET_JOINED_SOURCES GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${HOCKET_JOINED_SOURCES})
  endif()
endfunction()

# The same for the library, for the build with sanitizers of .ci/run alone: users compile each source by itself, and with
# -Wshadow, so a build in which anything else is tested does so, too.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  option(HOCKET_JOINED_LIBRARY "Compile several sources of the library at a time" OFF)
  mark_as_advanced(HOCKET_JOINED_LIBRARY)
elseif(DEFINED HOCKET_JOINED_LIBRARY)
  message(FATAL_ERROR "Hocket: HOCKET_JOINED_LIBRARY is for builds with sanitizers alone. This build tree has it in its "
    "cache, so it is not what users build: remove ${CMAKE_BINARY_DIR} and configure again")
endif()
function(hocket_join_library target sources)
  if(NOT HOCKET_JOINED_LIBRARY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  target_compile_options(${target} PRIVATE -Wno-shadow)  # a name in one source may be another thing in the next
  # Walks over stacks have names in common, and what one of them declares is known to the compiler as something else.
  list(FILTER sources INCLUDE REGEX "/(runtime/platform/.*|scheduler/process/exit_guard\\.cpp$)")
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
