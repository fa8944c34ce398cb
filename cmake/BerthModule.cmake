# SPDX-License-Identifier: Apache-2.0
# berth_module(NAME [USES module...] [LINK library...]): the library of src/NAME.
# berth_flags(TARGET): how all our code is compiled.

function(berth_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # No fused multiply-add: durations must be the same on every machine. No interposition: position-independent code may then
  # inline its own functions, which takes a tenth off a simulation.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -ffp-contract=off -fno-semantic-interposition)
  if(BERTH_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

function(berth_module name)
  cmake_parse_arguments(ARG "" "" "USES;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/*.cc)
  add_library(berth_${name} STATIC ${sources})
  add_library(berth::${name} ALIAS berth_${name})
  set_target_properties(berth_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  berth_flags(berth_${name})
  target_include_directories(berth_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>)
  foreach(used ${ARG_USES})
    target_link_libraries(berth_${name} PUBLIC berth_${used})
  endforeach()
  target_link_libraries(berth_${name} PUBLIC ${ARG_LINK})
  target_compile_options(berth_${name} INTERFACE $<INSTALL_INTERFACE:-ffp-contract=off>)  # for what our headers inline
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
