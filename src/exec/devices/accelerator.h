// SPDX-License-Identifier: Apache-2.0
// Accelerator: one CUDA device, or a part of one, through the interfaces that ATen has for any device, so that this
// compiles without the headers of CUDA and against a libtorch without it.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <memory>
#include <optional>

#include "base/result.h"
#include "base/units.h"
#include "exec/devices/gpu_parts.h"

namespace at {
class Tensor;
}

namespace berth::exec {

using EventPtr = std::shared_ptr<c10::Event>;

class Accelerator {
 public:
  // An error if libtorch has no CUDA or not that many devices. With a limit, memory beyond it is taken away until the
  // end.
  static Result<std::unique_ptr<Accelerator>> open(int number, Bytes limit);
  // Parts of this many multiprocessors each. What they may hold is not limited here: one allocator serves them all.
  static Result<std::vector<std::unique_ptr<Accelerator>>> open_parts(int number, std::span<const int> multiprocessors);
  ~Accelerator();

  [[nodiscard]] c10::Device device() const { return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(number_)}; }
  [[nodiscard]] const c10::Stream& compute() const { return compute_; }
  [[nodiscard]] c10::Stream new_stream() const;
  void use(const c10::Stream& stream) const;  // for what this thread does from now on
  void synchronize(const c10::Stream& stream) const;

  [[nodiscard]] Bytes allocated() const;
  [[nodiscard]] Bytes peak() const;
  void reset_peak() const;

 private:
  Accelerator(int number, c10::Stream compute, std::optional<GpuPart> part = std::nullopt);
  static Status wake(int number);
  Status take_away(Bytes limit);
  static void use_growing_segments();

  int number_;
  c10::Stream compute_;
  std::optional<GpuPart> part_;
  std::unique_ptr<at::Tensor> ballast_;
  Bytes ballast_bytes_ = 0;
};

// An event that the stream has been told to record.
EventPtr record(const c10::Stream& stream, bool with_time = false);
void wait_for(const c10::Event& event);
// Seconds between two recorded events that have happened.
double seconds_between(const c10::Event& first, const c10::Event& second);

}  // namespace berth::exec
