# SPDX-License-Identifier: Apache-2.0
# Batches of plans on NVIDIA GPUs (BERTH_CUDA): kernels are compiled by nvcc as a library of their own, since it does not know our
# compiler's flags. docs/decisions/0027-simulation-on-gpus.md.
file(GLOB cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/sim/batch/cuda/*.cu)
if(BERTH_CUDA)
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc takes C++20
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
    list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
  endif()
  find_package(CUDAToolkit REQUIRED)
  if(NOT CMAKE_CUDA_ARCHITECTURES OR CMAKE_CUDA_ARCHITECTURES STREQUAL CMAKE_CUDA_ARCHITECTURES_DEFAULT)
    set(CMAKE_CUDA_ARCHITECTURES 80 90)  # and what is newer, by the PTX of the last
  endif()
  add_library(berth_cuda STATIC ${cuda_sources})
  target_compile_features(berth_cuda PRIVATE cuda_std_20)
  target_compile_options(berth_cuda PRIVATE --expt-relaxed-constexpr)
  target_include_directories(berth_cuda PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(berth_cuda PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME cuda)
  target_link_libraries(berth_cuda PRIVATE CUDA::cudart_static Threads::Threads)
  target_link_libraries(berth_sim PUBLIC berth_cuda)
endif()
berth_optional(sim BERTH_CUDA SOURCES batch/cuda/cuda_simulator.cc)
