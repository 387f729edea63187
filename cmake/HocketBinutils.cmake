# GNU's binary tools, which know the options that Hocket's own links take; for Clang CMake prefers LLVM's where they are
# installed. And the files of the system's libc.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")  # whose own calls of libc are theirs
  set(hocket_why_not_unmodified "Hocket's hooks and a sanitizer exclude each other, and CMAKE_CXX_FLAGS has -fsanitize=")
endif()
set(hocket_has_binutils TRUE)
if(hocket_why_not_unmodified)
  set_property(GLOBAL PROPERTY HOCKET_WHY_NOT_UNMODIFIED "${hocket_why_not_unmodified}")  # for hocket_instrument()
  set(hocket_has_binutils FALSE)
  return()
endif()

find_program(HOCKET_LD NAMES ld.bfd ld REQUIRED)
find_program(HOCKET_AS NAMES as REQUIRED)
find_program(HOCKET_AR NAMES ar REQUIRED)
find_program(HOCKET_OBJCOPY NAMES objcopy REQUIRED)
find_program(HOCKET_NM NAMES nm REQUIRED)
find_program(HOCKET_OBJDUMP NAMES objdump REQUIRED)
mark_as_advanced(HOCKET_LD HOCKET_AS HOCKET_AR HOCKET_OBJCOPY HOCKET_NM HOCKET_OBJDUMP)
foreach(library IN ITEMS libc libm)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=${library}.so.6
    OUTPUT_VARIABLE hocket_${library} OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endforeach()
