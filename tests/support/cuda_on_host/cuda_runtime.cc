// SPDX-License-Identifier: Apache-2.0
#include "support/cuda_on_host/cuda_runtime.h"

#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

CudaIndex threadIdx, blockIdx, blockDim, gridDim;
PretendedCard pretended_card;

namespace berth::batch {
alignas(16) char shared[232448];  // what a block of Hopper may have
}

namespace {

constexpr std::size_t kStack = std::size_t{128} << 10;
constexpr unsigned kWarp = 32;

struct Thread {
  ucontext_t context;
  std::unique_ptr<char[]> stack{new char[kStack]};
  bool is_over = false;
};
// Threads that wait for one another: the last one to come lets all go on.
struct Meeting {
  unsigned come = 0, turn = 0;
  int any = 0, result = 0;
};

ucontext_t scheduler;
std::vector<std::unique_ptr<Thread>> threads;
std::vector<Meeting> warps;
Meeting block;
const std::function<void()>* running = nullptr;

void begin_thread() {
  (*running)();
  threads[threadIdx.x]->is_over = true;
  swapcontext(&threads[threadIdx.x]->context, &scheduler);
}

void let_others() {
  const unsigned me = threadIdx.x;
  swapcontext(&threads[me]->context, &scheduler);
}

int meet(Meeting& meeting, unsigned members, int is_true) {
  meeting.any |= is_true;
  if (++meeting.come == members) {
    meeting.result = meeting.any;
    meeting.come = 0;
    meeting.any = 0;
    ++meeting.turn;
    return meeting.result;
  }
  for (const unsigned turn = meeting.turn; turn == meeting.turn;) let_others();
  return meeting.result;
}

void run_block(unsigned count) {
  warps.assign((count + kWarp - 1) / kWarp, {});
  block = {};
  while (threads.size() < count) threads.push_back(std::make_unique<Thread>());
  for (unsigned i = 0; i < count; ++i) {
    Thread& thread = *threads[i];
    thread.is_over = false;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = kStack;
    makecontext(&thread.context, begin_thread, 0);
  }
  for (bool is_any_left = true; is_any_left;) {
    is_any_left = false;
    for (unsigned i = 0; i < count; ++i) {
      if (threads[i]->is_over) continue;
      is_any_left = true;
      threadIdx.x = i;
      swapcontext(&scheduler, &threads[i]->context);
    }
  }
}

std::mutex mutex;  // of what follows: uploads come from several threads
std::map<void*, std::size_t> taken;
std::size_t bytes_taken() {
  std::size_t sum = 0;
  for (const auto& [memory, bytes] : taken) sum += bytes;
  return sum;
}
bool is_lost() {
  if (pretended_card.calls_until_lost == 0) return true;
  if (pretended_card.calls_until_lost > 0) --pretended_card.calls_until_lost;
  return false;
}

}  // namespace

void run_grid(unsigned blocks, unsigned count, const std::function<void()>& kernel) {
  ++pretended_card.launches;
  running = &kernel;
  blockDim.x = count;
  gridDim.x = blocks;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) run_block(count);
}

void __syncthreads() { meet(block, blockDim.x, 0); }
int __any_sync(unsigned, int is_true) { return meet(warps[threadIdx.x / kWarp], kWarp, is_true); }

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const std::lock_guard guard(mutex);
  if (is_lost()) return cudaErrorNoDevice;
  if (bytes_taken() + bytes > pretended_card.memory) return cudaErrorMemoryAllocation;
  *memory = std::malloc(bytes);
  std::memset(*memory, 0xa5, bytes);  // nobody may rely on what was there
  taken[*memory] = bytes;
  pretended_card.most_taken = std::max(pretended_card.most_taken, bytes_taken());
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  const std::lock_guard guard(mutex);
  taken.erase(memory);
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  const std::lock_guard guard(mutex);
  if (is_lost()) return cudaErrorNoDevice;
  if (bytes > 0) std::memcpy(to, from, bytes);  // of nothing, both may be null
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  const std::lock_guard guard(mutex);
  if (is_lost()) return cudaErrorNoDevice;
  *memory = std::malloc(bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CudaStream;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  const std::lock_guard guard(mutex);
  if (is_lost()) return cudaErrorNoDevice;
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const std::lock_guard guard(mutex);
  *free = pretended_card.memory - bytes_taken();
  *total = pretended_card.memory;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "no such device";
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = pretended_card.answers ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::strcpy(properties->name, "a pretended card");
  properties->multiProcessorCount = pretended_card.multiprocessors;
  return cudaSuccess;
}
