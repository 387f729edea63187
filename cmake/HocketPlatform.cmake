include_guard(GLOBAL)

# What Hocket is tested with: docs/supported.md.
set(HOCKET_LEAST_GNU 11)
set(HOCKET_TESTED_GNU 12)
set(HOCKET_LEAST_Clang 13)
set(HOCKET_TESTED_Clang 19)
set(HOCKET_TESTED_LIBSTDCXX 12)

# hocket_look_at_platform(<refusal> <why not unmodified> <doubt>)
#
# Looks at the compiler and at what it compiles for, by the macros that it defines. Each result is a sentence, or empty: why
# Hocket cannot be used; why hocket_instrument() cannot; that nobody has tested this.
function(hocket_look_at_platform refusal why_not_unmodified doubt)
  foreach(result IN ITEMS refusal why_not_unmodified doubt)
    set(${${result}} "" PARENT_SCOPE)
  endforeach()
  set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  set(least "${HOCKET_LEAST_${CMAKE_CXX_COMPILER_ID}}")
  if(NOT least OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS least)
    set(${refusal} "Hocket needs g++ ${HOCKET_LEAST_GNU} or newer, or Clang ${HOCKET_LEAST_Clang} or newer, and the compiler \
is ${compiler}: choose another one with -DCMAKE_CXX_COMPILER=…" PARENT_SCOPE)
    return()
  endif()

  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  if(CMAKE_CXX_COMPILER_TARGET)
    list(APPEND flags "--target=${CMAKE_CXX_COMPILER_TARGET}")
  endif()
  if(CMAKE_SYSROOT)
    list(APPEND flags "--sysroot=${CMAKE_SYSROOT}")
  endif()
  # <cstddef> is in every standard, and comes with the macros of the library.
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" ${flags} -x c++ -include cstddef -dM -E /dev/null
    RESULT_VARIABLE status OUTPUT_VARIABLE macros ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(${doubt} "Hocket could not ask the compiler ${compiler} for its macros, to see whether this system is supported" PARENT_SCOPE)
    return()
  endif()
  if(macros MATCHES "#define _LIBCPP_VERSION ")
    set(${refusal} "Hocket needs libstdc++, and the standard library is libc++: leave out -stdlib=libc++" PARENT_SCOPE)
    return()
  endif()
  if(NOT macros MATCHES "#define __linux__ " OR NOT macros MATCHES "#define __x86_64__ " OR macros MATCHES "#define __ILP32__ ")
    set(${why_not_unmodified} "Hocket can instrument code for Linux on x86-64 alone, and this is for \
${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}" PARENT_SCOPE)
    set(${doubt} "Hocket has been tested on Linux on x86-64 alone: elsewhere its types may work, and hocket_instrument() does not" PARENT_SCOPE)
    return()
  endif()
  if(NOT macros MATCHES "#define __GLIBC__ ")
    set(${why_not_unmodified} "Hocket can instrument code for glibc alone, and this C library is another" PARENT_SCOPE)
    set(${doubt} "Hocket has been tested with glibc alone: with another C library its types may work, and hocket_instrument() does not"
      PARENT_SCOPE)
    return()
  endif()

  string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
  string(REGEX MATCH "#define _GLIBCXX_RELEASE ([0-9]+)" matched "${macros}")
  set(library "${CMAKE_MATCH_1}")
  if(major GREATER HOCKET_TESTED_${CMAKE_CXX_COMPILER_ID} OR library GREATER HOCKET_TESTED_LIBSTDCXX)
    set(${doubt} "Hocket has not been tested with ${compiler} and libstdc++ ${library}; docs/supported.md says what has been" PARENT_SCOPE)
  endif()
endfunction()
