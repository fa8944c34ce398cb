# SPDX-License-Identifier: Apache-2.0
# berth_torch: libtorch and what must be switched to compile with it, 1.13 of Debian as well as those of PyPI. And MPI.
find_package(Torch REQUIRED)
add_library(berth_torch INTERFACE)
target_include_directories(berth_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_link_libraries(berth_torch INTERFACE ${TORCH_LIBRARIES})
separate_arguments(berth_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(berth_torch INTERFACE ${berth_torch_flags})
if(BERTH_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()
# Those of PyPI bring the headers of their own {fmt}, of another version than the library of the system: whoever sees them must not
# link that.
foreach(folder ${TORCH_INCLUDE_DIRS})
  if(EXISTS ${folder}/fmt/format.h AND NOT folder STREQUAL "/usr/include")
    target_compile_definitions(berth_torch INTERFACE FMT_HEADER_ONLY=1)
  endif()
endforeach()
