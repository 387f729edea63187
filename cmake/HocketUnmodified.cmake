# hocket::unmodified, one object file that holds all of libhocket.a and the entry points for instrumented code.
set(hocket_has_unmodified FALSE)
if(NOT hocket_has_binutils)
  return()
endif()

# For what hocket_instrument() has run after a link. CMake knows no package of libelf.
find_path(HOCKET_LIBELF_INCLUDE_DIR NAMES gelf.h)
find_library(HOCKET_LIBELF NAMES elf)
mark_as_advanced(HOCKET_LIBELF_INCLUDE_DIR HOCKET_LIBELF)
if(NOT HOCKET_LIBELF_INCLUDE_DIR OR NOT HOCKET_LIBELF)
  set(hocket_why_not_unmodified "Hocket needs libelf, to look at object files after a link: install it with its headers, \
on Debian the package libelf-dev")
  if(PROJECT_IS_TOP_LEVEL)
    message(FATAL_ERROR "${hocket_why_not_unmodified}")
  endif()
elseif(NOT TARGET hocket_debug_info)
  # Without it no line of instrumented code is known, and not which accesses are those of std::atomic<std::shared_ptr>.
  set(hocket_why_not_unmodified "Hocket needs libdw, to read debug information: install it with its headers, on Debian \
the package libdw-dev")
endif()
if(hocket_why_not_unmodified)
  # Who uses hocket::hocket alone does not need it; hocket_instrument() says that it is missing.
  set_property(GLOBAL PROPERTY HOCKET_WHY_NOT_UNMODIFIED "${hocket_why_not_unmodified}")
  return()
endif()
set(hocket_has_unmodified TRUE)

add_library(hocket_unmodified_objects OBJECT ${hocket_unmodified_sources})
hocket_target(hocket_unmodified_objects)
hocket_precompile(hocket_unmodified_objects)
target_compile_options(hocket_unmodified_objects PRIVATE -mcx16)
target_link_libraries(hocket_unmodified_objects PRIVATE hocket_archive)

set(hocket_unmodified_file "${PROJECT_BINARY_DIR}/hocket_unmodified.o")
# Without the precompiled headers, which are among a target's objects.
set(hocket_core_objects "$<FILTER:$<TARGET_OBJECTS:hocket_archive>,INCLUDE,\\.o$>")
set(hocket_entry_objects "$<FILTER:$<TARGET_OBJECTS:hocket_unmodified_objects>,INCLUDE,\\.o$>")
set(hocket_unmodified_options "${hocket_unmodified_file}.options")
add_custom_command(OUTPUT "${hocket_unmodified_file}"
  BYPRODUCTS "${hocket_unmodified_options}"
  COMMAND "${CMAKE_COMMAND}"
    -D "output=${hocket_unmodified_file}"
    -D "core=${hocket_core_objects}"
    -D "entry_points=${hocket_entry_objects}"
    -D "linker=${HOCKET_LD}" -D "objcopy=${HOCKET_OBJCOPY}" -D "nm=${HOCKET_NM}" -D "objdump=${HOCKET_OBJDUMP}"
    -D "as=${HOCKET_AS}" -D "libc=${hocket_libc}" -D "libm=${hocket_libm}"
    -P "${PROJECT_SOURCE_DIR}/cmake/HocketLinkUnmodified.cmake"
  DEPENDS "$<TARGET_OBJECTS:hocket_archive>" "$<TARGET_OBJECTS:hocket_unmodified_objects>"
    "${PROJECT_SOURCE_DIR}/cmake/HocketLinkUnmodified.cmake" "${PROJECT_SOURCE_DIR}/cmake/HocketLibcCalls.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/HocketUntrackedCalls.cmake"
    "${PROJECT_SOURCE_DIR}/interpose/unmodified/untracked/calls.txt"
    "${PROJECT_SOURCE_DIR}/interpose/unmodified/libc/checked_calls.s"
  COMMENT "Linking hocket_unmodified.o"
  VERBATIM)
# In a project that uses Hocket only what links it needs it.
if(PROJECT_IS_TOP_LEVEL)
  set(hocket_with_all ALL)
endif()
add_custom_target(hocket_unmodified_file ${hocket_with_all} DEPENDS "${hocket_unmodified_file}")
# Makefiles of a target do not know how the objects of others are made.
add_dependencies(hocket_unmodified_file hocket_archive hocket_unmodified_objects)

add_library(hocket_unmodified INTERFACE)
add_library(hocket::unmodified ALIAS hocket_unmodified)
set_target_properties(hocket_unmodified PROPERTIES EXPORT_NAME unmodified)
add_dependencies(hocket_unmodified hocket_unmodified_file)
target_link_libraries(hocket_unmodified INTERFACE
  "$<BUILD_INTERFACE:${hocket_unmodified_file}>"
  "$<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/hocket_unmodified.o>"
  hocket_headers
  "${hocket_of_build_tree}"
  $<LINK_ONLY:Boost::context>
  $<LINK_ONLY:spdlog::spdlog>
  atomic
  ${CMAKE_DL_LIBS})
hocket_flags(hocket_built_flags link "${PROJECT_BINARY_DIR}")
hocket_flags(hocket_installed_flags link "$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}")
target_link_options(hocket_unmodified INTERFACE
  "$<BUILD_INTERFACE:${hocket_built_flags}>" "$<INSTALL_INTERFACE:${hocket_installed_flags}>")

add_dependencies(hocket_unmodified hocket_debug_info)

# What hocket_instrument() has run after a link.
file(GLOB hocket_check_hooks_sources CONFIGURE_DEPENDS tools/check_hooks/*.cpp)
add_executable(hocket_check_hooks ${hocket_check_hooks_sources})
add_executable(hocket::check_hooks ALIAS hocket_check_hooks)
set_target_properties(hocket_check_hooks PROPERTIES EXPORT_NAME check_hooks)
hocket_target(hocket_check_hooks)
target_include_directories(hocket_check_hooks SYSTEM PRIVATE "${HOCKET_LIBELF_INCLUDE_DIR}")
hocket_link_elfutils(hocket_check_hooks "${HOCKET_LIBELF}")

# For programs whose main() is the body. An object file too: in an archive nothing would ask for it.
add_library(hocket_whole_program_object OBJECT interpose/whole_program/main.cpp)
hocket_target(hocket_whole_program_object)
target_link_libraries(hocket_whole_program_object PRIVATE hocket_archive)
add_library(hocket_whole_program INTERFACE)
add_library(hocket::whole_program ALIAS hocket_whole_program)
set_target_properties(hocket_whole_program PROPERTIES EXPORT_NAME whole_program)
target_link_libraries(hocket_whole_program INTERFACE
  "$<BUILD_INTERFACE:$<TARGET_OBJECTS:hocket_whole_program_object>>"
  "$<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/hocket_whole_program.o>"
  hocket_unmodified)
hocket_flags(hocket_whole_program_flags "link whole program" "")
target_link_options(hocket_whole_program INTERFACE ${hocket_whole_program_flags})
