# Puts code that was not written for Hocket under its control.
include("${CMAKE_CURRENT_LIST_DIR}/HocketFlags.cmake")

# hocket_instrument(<target> [WHOLE_PROGRAM] [ASSERTIONS])
#
# Puts the threads of <target>'s code under Hocket's control although that code uses the standard library's and
# the system's means: compiles the target with the hooks of -fsanitize=thread, without linking that sanitizer,
# and links hocket::unmodified, which defines them. Libraries whose code takes part, static
# or shared, need hocket_instrument() too.
#
# With WHOLE_PROGRAM the program's main() becomes the body of a search: the program explores itself when it is run.
#
# With ASSERTIONS the target's assert() is on in every build type, although most define NDEBUG.
#
# After each link by GNU's linker it is looked whether hooks were lost on the way (tools/check_hooks). Where
# HOCKET_CHECK_HOOKS is set and false it is not. Libraries that the project builds and does not instrument are warned
# of, but for those that the list HOCKET_WITHOUT_HOOKS names as targets or as files.
function(hocket_instrument target)
  cmake_parse_arguments(PARSE_ARGV 1 option "WHOLE_PROGRAM;ASSERTIONS" "" "")
  if(option_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hocket_instrument(${target}): unknown argument ${option_UNPARSED_ARGUMENTS}")
  endif()
  get_property(why_not GLOBAL PROPERTY HOCKET_WHY_NOT_UNMODIFIED)
  if(why_not)
    message(FATAL_ERROR "hocket_instrument(${target}): ${why_not}")
  endif()
  hocket_flags(flags compile "")
  target_compile_options(${target} PRIVATE ${flags})
  if(option_ASSERTIONS)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-UNDEBUG>)
  endif()
  set_property(TARGET ${target} PROPERTY HOCKET_IS_INSTRUMENTED TRUE)  # hocket::hocket asks for it
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")  # libraries find the functions there
    # Not by target_link_libraries(), of whose two signatures the target may have used either.
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES hocket::unmodified)
    # Hocket is C++, also in a C program.
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
  if(option_WHOLE_PROGRAM)
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES hocket::whole_program)
  endif()
  if(type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
    hocket_check_hooks_of(${target})
  endif()
  get_property(is_checked_later GLOBAL PROPERTY HOCKET_CHECKS_PROGRAMS)
  if(NOT type STREQUAL "EXECUTABLE" AND NOT is_checked_later)
    set_property(GLOBAL PROPERTY HOCKET_CHECKS_PROGRAMS TRUE)
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL hocket_check_programs)
  endif()
endfunction()

# Of hocket_instrument(): a program without the functions that an instrumented library calls is told of here, and not
# by the linker, which would name functions of ThreadSanitizer.
function(hocket_check_programs)
  hocket_subfolders("${CMAKE_SOURCE_DIR}" subfolders)
  foreach(subfolder IN LISTS subfolders)
    get_property(targets DIRECTORY "${subfolder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      get_target_property(is_instrumented ${target} HOCKET_IS_INSTRUMENTED)
      get_target_property(is_left_out ${target} EXCLUDE_FROM_ALL)  # it may never be built
      if(type STREQUAL "EXECUTABLE" AND NOT is_instrumented AND NOT is_left_out)
        hocket_find_instrumented_library(${target} LINK_LIBRARIES library)
        if(library)
          message(SEND_ERROR "The program ${target} uses the library ${library}, for which hocket_instrument() was "
            "called: call hocket_instrument(${target}), too, or let it use a library that is built without")
        endif()
      endif()
    endforeach()
  endforeach()
endfunction()

# The first instrumented library among those that the target's property names, and those that these use.
function(hocket_find_instrumented_library target property result)
  set(${result} "" PARENT_SCOPE)
  set(left "")
  set(seen "")
  get_target_property(libraries ${target} ${property})
  list(APPEND left ${libraries})
  while(left)
    list(POP_FRONT left library)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
    if(NOT TARGET "${library}" OR library IN_LIST seen)
      continue()
    endif()
    list(APPEND seen "${library}")
    get_target_property(is_instrumented ${library} HOCKET_IS_INSTRUMENTED)
    if(is_instrumented)
      set(${result} "${library}" PARENT_SCOPE)
      return()
    endif()
    get_target_property(more ${library} INTERFACE_LINK_LIBRARIES)
    if(more)
      list(APPEND left ${more})
    endif()
  endwhile()
endfunction()

# hocket_instrument_folder(<folder>)
#
# hocket_instrument() for all that is built in the folder and below: of a dependency that is part of the build, by
# add_subdirectory() or FetchContent, the folder of its sources. Its programs are among them, which would not find the
# functions that its libraries call. Targets that the list HOCKET_WITHOUT_HOOKS names, and Hocket's own, stay as they
# are. To be called after the folder was added.
function(hocket_instrument_folder folder)
  get_filename_component(folder "${folder}" ABSOLUTE)
  hocket_subfolders("${CMAKE_SOURCE_DIR}" subfolders)
  set(targets "")
  foreach(subfolder IN LISTS subfolders)
    string(FIND "${subfolder}/" "${folder}/" position)
    if(position EQUAL 0)
      get_property(more DIRECTORY "${subfolder}" PROPERTY BUILDSYSTEM_TARGETS)
      list(APPEND targets ${more})
    endif()
  endforeach()
  set(is_any FALSE)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(is_instrumented ${target} HOCKET_IS_INSTRUMENTED)
    if(type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$"
        AND NOT target IN_LIST HOCKET_WITHOUT_HOOKS AND NOT target MATCHES "^hocket(_|$)")
      set(is_any TRUE)
      if(NOT is_instrumented)
        hocket_instrument(${target})
      endif()
    endif()
  endforeach()
  if(NOT is_any)
    message(FATAL_ERROR "hocket_instrument_folder(${folder}): nothing is built there; name the folder of the "
      "dependency's CMakeLists.txt, after add_subdirectory() or FetchContent_MakeAvailable()")
  endif()
endfunction()

# The folder and all that were added below it.
function(hocket_subfolders folder result)
  set(all "${folder}")
  get_property(subfolders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    hocket_subfolders("${subfolder}" more)
    list(APPEND all ${more})
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# Of hocket_instrument().
function(hocket_check_hooks_of target)
  get_target_property(folder ${target} BINARY_DIR)
  if((DEFINED HOCKET_CHECK_HOOKS AND NOT HOCKET_CHECK_HOOKS)
      # Only there can something be added to the target's link.
      OR NOT folder STREQUAL CMAKE_CURRENT_BINARY_DIR)
    return()
  endif()
  find_program(HOCKET_OBJDUMP NAMES objdump)
  mark_as_advanced(HOCKET_OBJDUMP)
  set(map "${folder}/CMakeFiles/${target}.dir/$<CONFIG>.map")
  target_link_options(${target} PRIVATE "LINKER:-Map=${map}")
  if(CMAKE_GENERATOR MATCHES "Ninja")  # the linker's working directory, from which it names files
    set(folder "${CMAKE_BINARY_DIR}")
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND "$<TARGET_FILE:hocket::check_hooks>" "${map}" "${HOCKET_OBJDUMP}" "${CMAKE_BINARY_DIR}" ${HOCKET_WITHOUT_HOOKS}
    WORKING_DIRECTORY "${folder}"
    VERBATIM)
endfunction()
