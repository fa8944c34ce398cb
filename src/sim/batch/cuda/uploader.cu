// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/uploader.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace berth::batch {

struct Uploader::Lane {
  std::byte* pieces[2] = {nullptr, nullptr};
  cudaStream_t streams[2] = {nullptr, nullptr};

  explicit Lane(std::size_t bytes, Outcome& outcome) {
    for (int i = 0; i < 2; ++i) {
      outcome.check(cudaMallocHost(reinterpret_cast<void**>(&pieces[i]), bytes), "sharing memory");
      outcome.check(cudaStreamCreate(&streams[i]), "sharing memory");
    }
  }
  ~Lane() {
    for (int i = 0; i < 2; ++i) {
      if (streams[i] != nullptr) cudaStreamDestroy(streams[i]);
      if (pieces[i] != nullptr) cudaFreeHost(pieces[i]);
    }
  }
};

struct Uploader::Job {
  std::byte* to;
  std::size_t bytes, piece_bytes;
  const Fill& fill;
  std::atomic<std::size_t> next = 0;  // byte
  std::atomic<bool> is_over = false, is_filled = true;
  std::mutex mutex{};  // of the outcome
  Outcome& outcome;

  void check(cudaError_t code) {
    if (code == cudaSuccess) return;
    const std::lock_guard guard(mutex);
    outcome.check(code, "taking plans");
    is_over = true;
  }
};

Uploader::Uploader(std::size_t piece_bytes) : piece_bytes_(piece_bytes) {}
Uploader::~Uploader() = default;

void Uploader::work(Lane& lane, Job& job) {
  for (int turn = 0; !job.is_over; turn = 1 - turn) {
    const std::size_t first = job.next.fetch_add(job.piece_bytes);
    if (first >= job.bytes) break;
    const std::size_t count = std::min(job.piece_bytes, job.bytes - first);
    job.check(cudaStreamSynchronize(lane.streams[turn]));  // the piece has been read
    if (!job.fill(lane.pieces[turn], first, count)) {
      job.is_filled = false;
      job.is_over = true;
      break;
    }
    job.check(cudaMemcpyAsync(job.to + first, lane.pieces[turn], count, cudaMemcpyHostToDevice, lane.streams[turn]));
  }
  for (const cudaStream_t stream : lane.streams) job.check(cudaStreamSynchronize(stream));
}

bool Uploader::upload(std::byte* to, std::size_t bytes, const Fill& fill, int threads, Outcome& outcome) {
  if (!outcome.ok() || bytes == 0) return true;
  const std::size_t pieces = (bytes + piece_bytes_ - 1) / piece_bytes_;
  const std::size_t count = std::min(pieces, static_cast<std::size_t>(std::max(threads, 1)));
  while (lanes_.size() < count && outcome.ok()) lanes_.push_back(std::make_unique<Lane>(piece_bytes_, outcome));
  if (!outcome.ok()) {
    lanes_.clear();
    return true;
  }
  Job job{.to = to, .bytes = bytes, .piece_bytes = piece_bytes_, .fill = fill, .outcome = outcome};
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < count; ++i) others.emplace_back([&, i] { work(*lanes_[i], job); });
  work(*lanes_[0], job);
  for (std::thread& other : others) other.join();
  return job.is_filled;
}

}  // namespace berth::batch
