// SPDX-License-Identifier: Apache-2.0
// Parts of one GPU: disjoint sets of its multiprocessors, each with a context and a stream of its own (green contexts
// of NVIDIA's driver, 550 and newer). Memory and its bandwidth stay shared. The driver is loaded at run time.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"

namespace berth::exec {

class GpuPart {
 public:
  GpuPart(void* green, void* context, void* stream) : green_(green), context_(context), stream_(stream) {}
  ~GpuPart();
  GpuPart(GpuPart&& other) noexcept;
  GpuPart(const GpuPart&) = delete;
  GpuPart& operator=(const GpuPart&) = delete;
  GpuPart& operator=(GpuPart&&) = delete;

  [[nodiscard]] void* stream() const { return stream_; }
  void make_current() const;  // for what this thread does from now on

 private:
  void *green_, *context_, *stream_;
};

// How many multiprocessors parts can have together: some are left over, since they come in groups of eight. Like the
// next one, an error if the driver has no such parts.
Result<int> divisible_multiprocessors(int gpu);

// One part for every number of multiprocessors. Numbers are rounded up to multiples of eight.
// The GPU must be in use by this process (its primary context).
Result<std::vector<GpuPart>> split_gpu(int gpu, std::span<const int> multiprocessors);

}  // namespace berth::exec
