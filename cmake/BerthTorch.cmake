# SPDX-License-Identifier: Apache-2.0
# berth_torch: libtorch and what must be switched to compile with it, 1.13 of Debian as well as those of PyPI. And MPI.
# BERTH_TORCH_FOLDER names the folder `torch` of a Python environment: then nothing but its headers and libraries is looked for. Its
# own CMake package wants the whole CUDA toolkit where it was built with CUDA; programs that we link need none of it.
set(BERTH_TORCH_FOLDER "" CACHE PATH "Folder of PyPI's package torch; empty: what find_package(Torch) finds")
add_library(berth_torch INTERFACE)
if(BERTH_TORCH_FOLDER)
  set(TORCH_INSTALL_PREFIX ${BERTH_TORCH_FOLDER})
  set(TORCH_INCLUDE_DIRS ${BERTH_TORCH_FOLDER}/include ${BERTH_TORCH_FOLDER}/include/torch/csrc/api/include)
  foreach(name torch torch_cpu c10)
    list(APPEND TORCH_LIBRARIES ${BERTH_TORCH_FOLDER}/lib/lib${name}.so)
  endforeach()
  # libtorch.so is what brings CUDA, though nothing in it is called by name; NVIDIA's libraries come in packages of their own.
  set(TORCH_LIBRARIES -Wl,--push-state,--no-as-needed ${TORCH_LIBRARIES} -Wl,--pop-state,--allow-shlib-undefined)
else()
  find_package(Torch REQUIRED)
endif()
# Those of PyPI export a std::filesystem of another compiler's. Our references to it would go there, beside headers and inlined code of
# ours, whose structures may differ: that has crashed. With the system's library first, all go there (docs/decisions/0033-packages.md).
if(NOT TORCH_INSTALL_PREFIX STREQUAL "/usr")
  target_link_libraries(berth_torch INTERFACE "-Wl,--push-state,--no-as-needed -lstdc++ -Wl,--pop-state")  # one item: CMake joins equal ones
endif()
target_include_directories(berth_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_link_libraries(berth_torch INTERFACE ${TORCH_LIBRARIES})
separate_arguments(berth_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(berth_torch INTERFACE ${berth_torch_flags})
if(BERTH_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()
# They bring the headers of their own {fmt}, too, of another version than the library of the system: whoever sees them must not link that.
foreach(folder ${TORCH_INCLUDE_DIRS})
  if(EXISTS ${folder}/fmt/format.h AND NOT folder STREQUAL "/usr/include")
    target_compile_definitions(berth_torch INTERFACE FMT_HEADER_ONLY=1)
  endif()
endforeach()
