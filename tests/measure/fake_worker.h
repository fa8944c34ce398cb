// SPDX-License-Identifier: Apache-2.0
// A program that answers like the process that runs plans, as a shell script: what a session makes of answers can be
// tested without libtorch, and with answers that no worker of ours would give.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "measure/session.h"

namespace berth {

class FakeWorker {
 public:
  // `on_start` and `on_run` are shell commands that answer the first line and every further one. On the way they find
  // in $run how many plans were asked for so far, by all processes of this worker together, and in $question the line.
  FakeWorker(const std::string& on_start, const std::string& on_run) {
    std::string pattern = testing::TempDir() + "berth_worker_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    std::ofstream(program()) << "#!/bin/sh\n"
                             << "echo \"$1 $2 $3\" >> \"$2.starts\"\n"
                             << "sample() { echo \"{\\\"steps_s\\\": [$1], \\\"op_s\\\": [], \\\"ops\\\": [], "
                                "\\\"transfers\\\": [], \\\"peak\\\": [1, 2], \\\"tensor_peak\\\": [1, 2], "
                                "\\\"profiled_step_s\\\": 0, \\\"checksum\\\": \\\"c\\\"}\"; }\n"
                             << "read -r question\n"
                             << on_start << "\n"
                             << "while read -r question; do\n"
                             << "echo \"$question\" >> \"$2.questions\"\n"
                             << "run=$(grep -c . \"$2.questions\")\n"
                             << on_run << "\n"
                             << "done\n";
    std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
  }
  explicit FakeWorker(const std::string& on_run) : FakeWorker("echo '{\"ready\": true}'", on_run) {}
  ~FakeWorker() { std::filesystem::remove_all(folder_); }
  FakeWorker(const FakeWorker&) = delete;
  FakeWorker& operator=(const FakeWorker&) = delete;

  // For a machine of two CPUs.
  [[nodiscard]] MeasureOptions options() const {
    return {.program = program(), .capture = capture(), .devices = parse_device_specs("cpu:0,cpu:1", 2).value()};
  }
  [[nodiscard]] std::string capture() const { return (folder_ / "graph.json").string(); }
  [[nodiscard]] std::string starts() const { return text_of(capture() + ".starts"); }  // a line for every process
  [[nodiscard]] std::string questions() const { return text_of(capture() + ".questions"); }

 private:
  [[nodiscard]] std::string program() const { return (folder_ / "worker").string(); }
  [[nodiscard]] static std::string text_of(const std::string& path) {
    std::ostringstream text;
    if (std::filesystem::exists(path)) text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

}  // namespace berth
