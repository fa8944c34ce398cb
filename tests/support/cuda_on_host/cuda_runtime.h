// SPDX-License-Identifier: Apache-2.0
// Stands in for CUDA's header where there is no card: the same code is compiled by an ordinary compiler, memory of the
// card is memory here, and the threads of a block take turns, so that what happens between them is the same every time.
// Only what src/sim/batch/cuda uses.
#pragma once

#include <cstddef>
#include <functional>

#define __global__
#define __device__
#define __host__
#define __shared__
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)

struct CudaIndex {
  unsigned x;
};
extern CudaIndex threadIdx, blockIdx, blockDim, gridDim;

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation, cudaErrorNoDevice };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
struct cudaDeviceProp {
  char name[256];
  int multiProcessorCount;
};
struct CudaStream {};
using cudaStream_t = CudaStream*;

cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind);
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int) {
  return cudaSuccess;
}

void __syncthreads();
int __any_sync(unsigned lanes, int is_true);

// The card that is not there.
struct PretendedCard {
  bool answers = true;
  std::size_t memory = std::size_t{1} << 30;  // of which allocations take
  int multiprocessors = 1;                    // so that few plans fill warps
  int calls_until_lost = -1;  // allocations and copies that work; -1: all
  int launches = 0;
  std::size_t most_taken = 0;  // bytes
};
extern PretendedCard pretended_card;

void run_grid(unsigned blocks, unsigned threads, const std::function<void()>& kernel);

namespace berth::batch {

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t, Arguments... arguments) {
  run_grid(blocks, threads, [&] { kernel(arguments...); });
}

}  // namespace berth::batch
