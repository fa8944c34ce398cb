// SPDX-License-Identifier: Apache-2.0
#include "exec/devices/allocator.h"

#include <ATen/ATen.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <fmt/format.h>
#include <malloc.h>

#include <array>
#include <atomic>
#include <new>

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

std::array<Account, kNoDevice + 1> accounts;
static_assert(kNoDevice >= kMaxDevices);
thread_local int current_device = 0;
thread_local bool current_pinned = false;

// Stands in front of the bytes of a tensor. The address that libtorch gets is also the one it frees by: libraries below
// it, such as oneDNN, ask for memory without the object that owns it.
struct alignas(64) Header {
  Bytes bytes;
  int device;
  at::DataPtr pinned;  // empty: of malloc
};

void release(void* data) {
  if (data == nullptr) return;
  Header* header = static_cast<Header*>(data) - 1;
  accounts[static_cast<std::size_t>(header->device)].now.fetch_sub(header->bytes);
  const at::DataPtr pinned = std::move(header->pinned);
  header->~Header();
  if (pinned.get() == nullptr) c10::free_cpu(header);
}

class CountingAllocator final : public at::Allocator {
 public:
#if BERTH_TORCH_AT_LEAST(2, 3)
  at::DataPtr allocate(std::size_t bytes) override { return allocated(bytes); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
#else
  at::DataPtr allocate(std::size_t bytes) const override { return allocated(bytes); }
#endif
  at::DeleterFnPtr raw_deleter() const override { return &release; }

 private:
  static at::DataPtr allocated(std::size_t bytes) {
    if (bytes == 0) return {nullptr, nullptr, &release, at::kCPU};
    const int device = current_device;
    Account& account = accounts[static_cast<std::size_t>(device)];
    account.take(static_cast<Bytes>(bytes), device);
    try {
      const std::size_t all = sizeof(Header) + bytes;
      at::DataPtr pinned;
      if (current_pinned) pinned = at::detail::getCUDAHooks().getPinnedMemoryAllocator()->allocate(all);
      void* memory = current_pinned ? pinned.get() : c10::alloc_cpu(all);
      void* data = new (memory) Header{static_cast<Bytes>(bytes), device, std::move(pinned)} + 1;
      return {data, data, &release, at::kCPU};
    } catch (...) {
      account.now.fetch_sub(static_cast<Bytes>(bytes));
      throw;
    }
  }
};

}  // namespace

void install_counting_allocator() {
  static CountingAllocator allocator;
  // Memory of a step comes back in the next: freed memory is kept, and by one arena for all threads, since those of
  // threads give it back at once. Otherwise pages are fetched anew for every tensor, which costs more than small ops.
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  c10::SetCPUAllocator(&allocator, 255);
}

void allocate_for(int device, bool pinned) {
  current_device = device;
  current_pinned = pinned;
}

void take_bytes(int device, Bytes bytes) { accounts[static_cast<std::size_t>(device)].take(bytes, device); }
void give_bytes(int device, Bytes bytes) { accounts[static_cast<std::size_t>(device)].now.fetch_sub(bytes); }

void set_memory_limit(int device, Bytes limit) { accounts[static_cast<std::size_t>(device)].limit = limit; }
Bytes allocated_bytes(int device) { return accounts[static_cast<std::size_t>(device)].now; }
Bytes peak_bytes(int device) { return accounts[static_cast<std::size_t>(device)].peak; }

void reset_peak(int device) {
  Account& account = accounts[static_cast<std::size_t>(device)];
  account.peak = account.now.load();
}

}  // namespace berth::exec
