// SPDX-License-Identifier: Apache-2.0
// Metrics of a run: one JSON line per update in RUN/metrics.jsonl (TensorBoard: runs/tensorboard.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "runs/train_state.h"

namespace berth::learn {

// One line, newline included: update, evaluations, elapsed_s, mean_reward, ..., best_s (null if none).
std::string metrics_line(const UpdateFacts& facts, double elapsed_s);

// A file that is open for appending, and how it is called in errors.
class AppendedFile {
 public:
  AppendedFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~AppendedFile();
  AppendedFile(AppendedFile&& other) noexcept;
  AppendedFile& operator=(AppendedFile&& other) noexcept;
  // All of it or, as far as the file system lets us, nothing.
  Status append(std::string_view bytes);

 private:
  int descriptor_ = -1;
  std::string path_;
};

// How far a run is.
struct Progress {
  std::uint64_t updates = 0, evaluations = 0;
};

// Bytes of the lines at the front that belong to what the run has done; behind them are lines of updates that a
// checkpoint does not know, and perhaps half a line. An error names the first line that is none of such a run: no
// numbers, another update than the one that follows, or other counts than the checkpoint's.
Result<std::size_t> metrics_to_keep(std::string_view text, const Progress& done);
// The same of a file, which need not be there; errors begin with the path.
Result<std::size_t> read_metrics(const std::string& path, const Progress& done);

// Appends to a file of lines, behind its first `kept` bytes; the others go.
class MetricsFile {
 public:
  static Result<MetricsFile> open(const std::string& path, std::size_t kept);
  Status add(const UpdateFacts& facts, double elapsed_s);

 private:
  explicit MetricsFile(AppendedFile file) : file_(std::move(file)) {}
  AppendedFile file_;
};

}  // namespace berth::learn
