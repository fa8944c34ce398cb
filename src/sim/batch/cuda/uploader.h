// SPDX-License-Identifier: Apache-2.0
// Uploads large arrays: threads fill pieces of memory that the card reads by itself, and it reads some while they fill
// others. An array in ordinary memory would be copied piece by piece by a single thread of the driver.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "sim/batch/cuda/outcome.h"

namespace berth::batch {

class Uploader {
 public:
  // Writes `count` bytes of what is uploaded, from byte `first` on. False: cannot be written so.
  using Fill = std::function<bool(std::byte* to, std::size_t first, std::size_t count)>;

  explicit Uploader(std::size_t piece_bytes = std::size_t{4} << 20);
  ~Uploader();
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;

  // By that many threads at most. False if fill() said so; all else is in the outcome.
  bool upload(std::byte* to, std::size_t bytes, const Fill& fill, int threads, Outcome& outcome);
  template <typename T>
  void upload(T* to, const T* from, std::size_t count, int threads, Outcome& outcome);

 private:
  struct Lane;  // of a thread: two pieces, one of which is filled while the other is read
  struct Job;
  static void work(Lane& lane, Job& job);

  std::size_t piece_bytes_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

template <typename T>
void Uploader::upload(T* to, const T* from, std::size_t count, int threads, Outcome& outcome) {
  const auto* bytes = reinterpret_cast<const std::byte*>(from);
  const auto copy = [bytes](std::byte* there, std::size_t first, std::size_t size) {
    std::copy_n(bytes + first, size, there);
    return true;
  };
  upload(reinterpret_cast<std::byte*>(to), count * sizeof(T), copy, threads, outcome);
}

}  // namespace berth::batch
