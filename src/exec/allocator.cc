// SPDX-License-Identifier: Apache-2.0
#include "exec/allocator.h"

#include <ATen/ATen.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <fmt/format.h>

#include <array>
#include <atomic>

#include "exec/libtorch.h"
#include "machine/machine.h"

namespace berth::exec {
namespace {

struct Account {
  std::atomic<Bytes> now = 0, peak = 0, limit = 0;

  void take(Bytes bytes, int device) {
    const Bytes held = now.fetch_add(bytes) + bytes;
    if (const Bytes most = limit.load(); most > 0 && held > most) {
      now.fetch_sub(bytes);
      throw OutOfMemory(fmt::format("out of memory: device {} holds {} and wants {} more, its limit is {}", device,
                                    format_bytes(held - bytes), format_bytes(bytes), format_bytes(most)));
    }
    Bytes before = peak.load();
    while (before < held && !peak.compare_exchange_weak(before, held)) {
    }
  }
};

std::array<Account, kMaxDevices> accounts;
thread_local int current_device = 0;
thread_local bool current_pinned = false;

struct Block {
  void* data;
  Bytes bytes;
  int device;
  at::DataPtr pinned;  // empty: of malloc
};

void release(void* context) {
  auto* block = static_cast<Block*>(context);
  accounts[static_cast<std::size_t>(block->device)].now.fetch_sub(block->bytes);
  if (block->pinned.get() == nullptr && block->data != nullptr) c10::free_cpu(block->data);
  delete block;
}

class CountingAllocator final : public at::Allocator {
 public:
#if BERTH_TORCH_AT_LEAST(2, 3)
  at::DataPtr allocate(std::size_t bytes) override { return allocated(bytes); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
#else
  at::DataPtr allocate(std::size_t bytes) const override { return allocated(bytes); }
#endif

 private:
  static at::DataPtr allocated(std::size_t bytes) {
    if (bytes == 0) return {nullptr, nullptr, &release_nothing, at::kCPU};
    const int device = current_device;
    accounts[static_cast<std::size_t>(device)].take(static_cast<Bytes>(bytes), device);
    auto* block = new Block{nullptr, static_cast<Bytes>(bytes), device, {}};
    try {
      if (current_pinned) {
        block->pinned = at::detail::getCUDAHooks().getPinnedMemoryAllocator()->allocate(bytes);
        block->data = block->pinned.get();
      } else {
        block->data = c10::alloc_cpu(bytes);
      }
    } catch (...) {
      release(block);
      throw;
    }
    return {block->data, block, &release, at::kCPU};
  }
  static void release_nothing(void* /*context*/) {}
};

}  // namespace

void install_counting_allocator() {
  static CountingAllocator allocator;
  c10::SetCPUAllocator(&allocator, 255);
}

void allocate_for(int device, bool pinned) {
  current_device = device;
  current_pinned = pinned;
}

void set_memory_limit(int device, Bytes limit) { accounts[static_cast<std::size_t>(device)].limit = limit; }
Bytes allocated_bytes(int device) { return accounts[static_cast<std::size_t>(device)].now; }
Bytes peak_bytes(int device) { return accounts[static_cast<std::size_t>(device)].peak; }

void reset_peak(int device) {
  Account& account = accounts[static_cast<std::size_t>(device)];
  account.peak = account.now.load();
}

}  // namespace berth::exec
