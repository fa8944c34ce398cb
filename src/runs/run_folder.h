// SPDX-License-Identifier: Apache-2.0
// RunFolder: the folder of a training run, held by one process at a time.
//   config.json    what it was begun with           checkpoint   all that changes, every minute and at the end
//   metrics.jsonl  one line per update              plan.json    the best plan so far; plan-1.json ... of several
//   events.out.tfevents.*  with --tensorboard       lock         held while somebody trains
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "runs/run_config.h"

namespace berth::learn {

class RunFolder {
 public:
  // Whether a new run can be put there: nothing is, or an empty folder. Changes nothing.
  static Status check_new(const std::string& path);
  // Makes the folder, if need be, and holds it.
  static Result<RunFolder> create(const std::string& path);
  // Holds the folder of a run that is there.
  static Result<RunFolder> open(const std::string& path);
  ~RunFolder();
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;

  // What a writer that was killed has left behind goes.
  void remove_half_written() const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string config_path() const { return file("config.json"); }
  [[nodiscard]] std::string metrics_path() const { return file("metrics.jsonl"); }
  [[nodiscard]] std::string checkpoint_path() const { return file("checkpoint"); }
  [[nodiscard]] std::string plan_path(std::size_t lesson = 0, std::size_t lessons = 1) const {
    return file(lessons == 1 ? "plan.json" : fmt::format("plan-{}.json", lesson + 1));
  }

 private:
  RunFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  static Result<RunFolder> hold(const std::string& path);
  [[nodiscard]] std::string file(std::string_view name) const { return fmt::format("{}/{}", path_, name); }

  std::string path_;
  int lock_;  // an open file with a lock on it, which ends with the process however that ends
};

// The config of the run in a folder, which need not be held.
Result<RunConfig> load_config(const std::string& path);

}  // namespace berth::learn
