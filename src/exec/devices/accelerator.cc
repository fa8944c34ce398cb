// SPDX-License-Identifier: Apache-2.0
#include "exec/devices/accelerator.h"

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <cstdlib>
#include <exception>
#include <thread>

#include "exec/libtorch.h"
#if BERTH_TORCH_AT_LEAST(2, 9)
#include <c10/core/AllocatorConfig.h>
#include <c10/core/CachingDeviceAllocator.h>
#endif

namespace berth::exec {
namespace {

constexpr int kPatientQueries = 2000;  // about a millisecond; then others get the core between queries

c10::impl::VirtualGuardImpl cuda() { return c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA); }

}  // namespace

Accelerator::Accelerator(int number, c10::Stream compute, std::optional<GpuPart> part)
    : number_(number), compute_(compute), part_(std::move(part)) {}
Accelerator::~Accelerator() = default;

Status Accelerator::wake(int number) {
  if (!at::hasCUDA()) {
    return bad_input("cuda:{}: this libtorch has no CUDA; build with one that has (-DCMAKE_PREFIX_PATH)", number);
  }
  const int count = cuda().deviceCount();
  if (number >= count) return bad_input("cuda:{}: there are {} CUDA devices", number, count);
  const c10::Device device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(number));
  (void)at::zeros({1}, at::TensorOptions(device));
  return {};
}

Result<std::unique_ptr<Accelerator>> Accelerator::open(int number, Bytes limit) {
  BERTH_RETURN_IF_ERROR(wake(number));
  const c10::Device device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(number));
  const c10::Stream compute = cuda().getStreamFromGlobalPool(device, false);
  std::unique_ptr<Accelerator> accelerator(new Accelerator(number, compute));
  BERTH_RETURN_IF_ERROR(accelerator->take_away(limit));
  use_growing_segments();
  return accelerator;
}

Result<std::vector<std::unique_ptr<Accelerator>>> Accelerator::open_parts(int number,
                                                                          std::span<const int> multiprocessors) {
  BERTH_RETURN_IF_ERROR(wake(number));
  BERTH_TRY(std::vector<GpuPart> parts, split_gpu(number, multiprocessors));
  use_growing_segments();
  std::vector<std::unique_ptr<Accelerator>> accelerators;
  for (GpuPart& part : parts) {
    // A stream that libtorch did not make is known to it by its address.
    const auto id = static_cast<c10::StreamId>(reinterpret_cast<std::intptr_t>(part.stream()));
    const c10::Device device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(number));
    accelerators.emplace_back(new Accelerator(number, c10::Stream(c10::Stream::UNSAFE, device, id), std::move(part)));
  }
  return accelerators;
}

c10::Stream Accelerator::new_stream() const { return cuda().getStreamFromGlobalPool(device(), true); }

void Accelerator::use(const c10::Stream& stream) const {
  cuda().setDevice(device());
  if (part_ && stream == compute_) part_->make_current();
  cuda().exchangeStream(stream);
}

void Accelerator::synchronize(const c10::Stream& stream) const { cuda().synchronizeStream(stream); }

#if BERTH_TORCH_AT_LEAST(2, 9)

namespace {

c10::CachingAllocator::Stat allocated_stat(int number) {
  const auto stats =
      c10::getDeviceAllocator(c10::DeviceType::CUDA)->getDeviceStats(static_cast<c10::DeviceIndex>(number));
  return stats.allocated_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
}

}  // namespace

Bytes Accelerator::allocated() const { return allocated_stat(number_).current - ballast_bytes_; }
Bytes Accelerator::peak() const { return allocated_stat(number_).peak - ballast_bytes_; }
void Accelerator::reset_peak() const {
  c10::getDeviceAllocator(c10::DeviceType::CUDA)->resetPeakStats(static_cast<c10::DeviceIndex>(number_));
}

// One block as large as what the allocator must not have: the rest is then as much as a smaller card offers.
Status Accelerator::take_away(Bytes limit) {
  if (limit <= 0) return {};
  c10::DeviceAllocator* allocator = c10::getDeviceAllocator(c10::DeviceType::CUDA);
  allocator->emptyCache();
  const Bytes free = static_cast<Bytes>(allocator->getMemoryInfo(static_cast<c10::DeviceIndex>(number_)).first);
  if (free <= limit) return {};
  const Bytes before = allocated_stat(number_).current;
  ballast_ = std::make_unique<at::Tensor>(at::empty({free - limit}, at::TensorOptions(device()).dtype(at::kByte)));
  ballast_bytes_ = allocated_stat(number_).current - before;
  return {};
}

// Segments that grow and shrink by pages: weights that come and go beside activations, on streams of their own, could
// otherwise leave holes that nobody can use.
void Accelerator::use_growing_segments() {
  const bool is_set_by_user =
      std::getenv("PYTORCH_ALLOC_CONF") != nullptr || std::getenv("PYTORCH_CUDA_ALLOC_CONF") != nullptr;
  if (!is_set_by_user) c10::CachingAllocator::setAllocatorSettings("expandable_segments:True");
}

#else  // older ones do not say without the headers of CUDA

Bytes Accelerator::allocated() const { return 0; }
Bytes Accelerator::peak() const { return 0; }
void Accelerator::reset_peak() const {}
Status Accelerator::take_away(Bytes limit) {
  if (limit <= 0) return {};
  return bad_input("cuda:{}: a limit of memory needs libtorch 2.9 or newer; this is {}", number_, TORCH_VERSION);
}
void Accelerator::use_growing_segments() {}

#endif

EventPtr record(const c10::Stream& stream, bool with_time) {
  const auto flag = with_time ? c10::EventFlag::BACKEND_DEFAULT : c10::EventFlag::PYTORCH_DEFAULT;
  auto event = std::make_shared<c10::Event>(c10::DeviceType::CUDA, flag);
  event->record(stream);
  return event;
}

void wait_for(const c10::Event& event) {
  for (int queries = 0; !event.query(); ++queries) {
    if (queries > kPatientQueries) std::this_thread::yield();
  }
}

double seconds_between(const c10::Event& first, const c10::Event& second) {
#if BERTH_TORCH_AT_LEAST(2, 5)
  return first.elapsedTime(second) * 1e-3;
#else
  (void)first;
  (void)second;
  return 0.0;  // no CUDA in the older ones that are supported
#endif
}

}  // namespace berth::exec
