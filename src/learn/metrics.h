// SPDX-License-Identifier: Apache-2.0
// Metrics of a run: one JSON line per update in RUN/metrics.jsonl, and TensorBoard event files if asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "learn/trainer.h"

namespace berth::learn {

// One line, newline included: update, evaluations, elapsed_s, mean_reward, ..., best_s (null if none).
std::string metrics_line(const UpdateFacts& facts, double elapsed_s);

// Appends to a file of lines. Opening it for a run that goes on from update `updates` drops what is behind that: lines of
// updates that a checkpoint does not know, and a half-written last line.
class MetricsFile {
 public:
  static Result<MetricsFile> open(const std::string& path, std::uint64_t updates);
  ~MetricsFile();
  MetricsFile(MetricsFile&&) noexcept;
  MetricsFile& operator=(MetricsFile&&) noexcept;
  Status add(const UpdateFacts& facts, double elapsed_s);

 private:
  explicit MetricsFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

// Writes scalars as TensorBoard reads them: records with masked CRC-32C around Event messages.
class TensorBoardFile {
 public:
  static Result<TensorBoardFile> create(const std::string& folder);  // a new events.out.tfevents.* in it
  ~TensorBoardFile();
  TensorBoardFile(TensorBoardFile&&) noexcept;
  TensorBoardFile& operator=(TensorBoardFile&&) noexcept;
  Status add(const UpdateFacts& facts);

 private:
  explicit TensorBoardFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace berth::learn
