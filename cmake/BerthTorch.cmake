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
