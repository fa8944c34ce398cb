// SPDX-License-Identifier: Apache-2.0
#include "exec/devices/gpu_driver.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "exec/devices/shared_library.h"

namespace berth::exec {
namespace {

using DevicePointer = std::uint64_t;

// The part of the driver that copies.
class CopyDriver {
 public:
  CopyDriver() : library_("libcuda.so.1") {
    init_ = library_.find<int(unsigned)>("cuInit");
    count_ = library_.find<int(int*)>("cuDeviceGetCount");
    get_ = library_.find<int(int*, int)>("cuDeviceGet");
    name_ = library_.find<int(char*, int, int)>("cuDeviceGetName");
    total_ = library_.find<int(std::size_t*, int)>("cuDeviceTotalMem_v2");
    retain_ = library_.find<int(void**, int)>("cuDevicePrimaryCtxRetain");
    release_ = library_.find<int(int)>("cuDevicePrimaryCtxRelease_v2");
    current_ = library_.find<int(void*)>("cuCtxSetCurrent");
    free_ = library_.find<int(std::size_t*, std::size_t*)>("cuMemGetInfo_v2");
    allocate_ = library_.find<int(DevicePointer*, std::size_t)>("cuMemAlloc_v2");
    give_back_ = library_.find<int(DevicePointer)>("cuMemFree_v2");
    pin_ = library_.find<int(void**, std::size_t)>("cuMemAllocHost_v2");
    unpin_ = library_.find<int(void*)>("cuMemFreeHost");
    to_gpu_ = library_.find<int(DevicePointer, const void*, std::size_t)>("cuMemcpyHtoD_v2");
    to_host_ = library_.find<int(void*, DevicePointer, std::size_t)>("cuMemcpyDtoH_v2");
  }

  [[nodiscard]] int gpus() const {
    int count = 0;
    if (init_ == nullptr || count_ == nullptr || get_ == nullptr || init_(0) != 0 || count_(&count) != 0) return 0;
    return count;
  }

  [[nodiscard]] DriverGpu describe(int number, bool with_copies) const {
    DriverGpu gpu;
    int device = 0;
    if (get_(&device, number) != 0) return gpu;
    std::array<char, 128> text{};
    if (name_ != nullptr && name_(text.data(), static_cast<int>(text.size()), device) == 0) gpu.name = text.data();
    std::size_t total = 0;
    if (total_ != nullptr && total_(&total, device) == 0) gpu.memory = static_cast<Bytes>(total);
    void* context = nullptr;
    if (retain_ == nullptr || current_ == nullptr || retain_(&context, device) != 0) return gpu;
    current_(context);
    std::size_t free = 0;
    if (free_ != nullptr && free_(&free, &total) == 0) gpu.free_memory = static_cast<Bytes>(free);
    if (with_copies) time_copies(gpu);
    current_(nullptr);
    if (release_ != nullptr) release_(device);
    return gpu;
  }

 private:
  static double seconds_of(const auto& copy) {
    using Clock = std::chrono::steady_clock;
    double best = 1e30;
    for (int i = 0; i < 4; ++i) {
      const Clock::time_point start = Clock::now();
      copy();
      best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best;
  }

  void time_copies(DriverGpu& gpu) const {
    constexpr std::array<std::size_t, 4> kSizes{4096, 262144, 4194304, 67108864};
    DevicePointer there = 0;
    void* here = nullptr;
    if (allocate_ == nullptr || pin_ == nullptr || allocate_(&there, kSizes.back()) != 0) return;
    if (pin_(&here, kSizes.back()) == 0) {
      for (const std::size_t size : kSizes) {
        gpu.copies.push_back({static_cast<Bytes>(size), seconds_of([&] { to_gpu_(there, here, size); }),
                              seconds_of([&] { to_host_(here, there, size); })});
      }
      unpin_(here);
    }
    give_back_(there);
  }

  SharedLibrary library_;
  int (*init_)(unsigned);
  int (*count_)(int*);
  int (*get_)(int*, int);
  int (*name_)(char*, int, int);
  int (*total_)(std::size_t*, int);
  int (*retain_)(void**, int);
  int (*release_)(int);
  int (*current_)(void*);
  int (*free_)(std::size_t*, std::size_t*);
  int (*allocate_)(DevicePointer*, std::size_t);
  int (*give_back_)(DevicePointer);
  int (*pin_)(void**, std::size_t);
  int (*unpin_)(void*);
  int (*to_gpu_)(DevicePointer, const void*, std::size_t);
  int (*to_host_)(void*, DevicePointer, std::size_t);
};

// The management library sees GPUs that the driver's compute part cannot open, for example those of another container.
std::vector<DriverGpu> managed_gpus() {
  struct Memory {
    unsigned long long total, free, used;
  };
  const SharedLibrary library("libnvidia-ml.so.1");
  auto* init = library.find<int()>("nvmlInit_v2");
  auto* end = library.find<int()>("nvmlShutdown");
  auto* count = library.find<int(unsigned*)>("nvmlDeviceGetCount_v2");
  auto* get = library.find<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
  auto* name = library.find<int(void*, char*, unsigned)>("nvmlDeviceGetName");
  auto* memory = library.find<int(void*, Memory*)>("nvmlDeviceGetMemoryInfo");
  std::vector<DriverGpu> gpus;
  if (!init || !end || !count || !get || !name || !memory || init() != 0) return gpus;
  unsigned number = 0;
  count(&number);
  for (unsigned i = 0; i < number; ++i) {
    void* device = nullptr;
    Memory bytes{};
    std::array<char, 128> text{};
    if (get(i, &device) != 0 || name(device, text.data(), static_cast<unsigned>(text.size())) != 0) continue;
    if (memory(device, &bytes) != 0) continue;
    gpus.push_back({text.data(), static_cast<Bytes>(bytes.total), static_cast<Bytes>(bytes.free), {}});
  }
  end();
  return gpus;
}

}  // namespace

std::vector<DriverGpu> driver_gpus(bool with_copies) {
  const CopyDriver driver;
  std::vector<DriverGpu> gpus;
  for (int i = 0, count = driver.gpus(); i < count; ++i) gpus.push_back(driver.describe(i, with_copies));
  return gpus.empty() ? managed_gpus() : gpus;
}

}  // namespace berth::exec
