# SPDX-License-Identifier: Apache-2.0
# berth_module(NAME [HOT] [USES module...] [LINK library...]): the library of src/NAME.
# berth_optional(NAME SWITCH ...): what a module has only if a switch is on.
# berth_flags(TARGET [HOT|TEST]): how all our code is compiled. HOT: its loops are what planning takes its time for. TEST: it
# takes longer to compile than to run.

function(berth_flags target)
  cmake_parse_arguments(ARG "HOT;TEST" "" "" ${ARGN})
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Most of the time goes into reading headers: a dozen files share one reading (docs/decisions/0026-build-time.md).
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD ${BERTH_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT ARG_HOT)
    target_compile_options(${target} PRIVATE $<IF:$<BOOL:${ARG_TEST}>,-O1,-O2>)
  endif()
  # No fused multiply-add: durations must be the same on every machine. No interposition: position-independent code may then
  # inline its own functions, which takes a tenth off a simulation.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -ffp-contract=off -fno-semantic-interposition)
  if(BERTH_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

function(berth_module name)
  cmake_parse_arguments(ARG "HOT" "" "USES;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/*.cc)
  add_library(berth_${name} STATIC ${sources})
  add_library(berth::${name} ALIAS berth_${name})
  set_target_properties(berth_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  if(ARG_HOT)
    berth_flags(berth_${name} HOT)
  else()
    berth_flags(berth_${name})
  endif()
  target_include_directories(berth_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>)
  foreach(used ${ARG_USES})
    target_link_libraries(berth_${name} PUBLIC berth_${used})
  endforeach()
  target_link_libraries(berth_${name} PUBLIC ${ARG_LINK})
  target_compile_options(berth_${name} INTERFACE $<INSTALL_INTERFACE:-ffp-contract=off>)  # for what our headers inline
endfunction()

# berth_optional(NAME SWITCH LINK library... SOURCES file...): sources of a module that are compiled only if SWITCH is on, and
# what they link. SWITCH is 1 or 0 in the module's code. Switched off, the files stay in the list as headers do.
function(berth_optional name switch)
  cmake_parse_arguments(ARG "" "" "LINK;SOURCES" ${ARGN})
  if(${switch})
    target_link_libraries(berth_${name} PRIVATE ${ARG_LINK})
    target_compile_definitions(berth_${name} PRIVATE ${switch}=1)
  else()
    list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/)
    set_source_files_properties(${ARG_SOURCES} PROPERTIES HEADER_FILE_ONLY ON)
    target_compile_definitions(berth_${name} PRIVATE ${switch}=0)
  endif()
endfunction()

# berth::berth: everything in one name.
function(berth_umbrella)
  add_library(berth_all INTERFACE)
  add_library(berth::berth ALIAS berth_all)
  set_target_properties(berth_all PROPERTIES EXPORT_NAME berth)
  foreach(name ${ARGN})
    target_link_libraries(berth_all INTERFACE berth_${name})
  endforeach()
  set(BERTH_MODULES ${ARGN} PARENT_SCOPE)
endfunction()
