// SPDX-License-Identifier: Apache-2.0
// RunConfig: everything a training run was begun with, as RUN/config.json keeps it (format berth-run/2), so that a run
// can go on from any folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "import/model_file.h"
#include "problem/demands/demand.h"
#include "runs/methods.h"

namespace berth::learn {

inline constexpr std::string_view kRunFormat = "berth-run/2";

// When a run ends, whichever comes first, counted from its very beginning; 0: never.
struct Limits {
  std::uint64_t updates = 0, evaluations = 0;
  double time_s = 0.0;
};

// One of the problems that a run learns from.
struct LessonConfig {
  std::string graph, machine;  // as users name them, with absolute paths; no machine: a problem's own
  std::string graph_hash, machine_hash, problem_hash;  // runs/fingerprint.h

  [[nodiscard]] std::string name() const;  // "zoo:nmt-4 on k40x4"
};

// What all problems of a run share, in the words of the command line.
struct ProblemWords {
  struct Given {
    const DemandForm* form;
    std::string text;
  };
  std::string objective;                              // empty: as the file says
  std::vector<std::string> costs, dims;               // --costs, --dim
  StepChoice step = {};                               // --output-node, --signature, --tag
  std::vector<Given> demands;                         // --pin a=gpu0 and the like
  std::vector<std::string> constraints, unsupported;  // files
};

using OptionWords = std::vector<std::pair<std::string, std::string>>;  // names and values

struct RunConfig {
  ProblemWords problem;
  std::vector<LessonConfig> lessons;  // at least one
  std::string planner, preset;
  Options options;
  // Of a run that was read: the options of its file, whose order does not matter. Those that berth has learned since
  // are as if they did not exist, and those of other planners, which files had once, stay there without effect: the run
  // stays the one it was. Empty: as `options` has them.
  OptionWords read_options;
  std::uint64_t seed = 1;
  int threads = 1;
  std::string policy_device = "cpu";
  bool tensorboard = false, async = false;
  Limits limits;

  // Its options as texts.
  [[nodiscard]] OptionWords option_words() const;
  // What a checkpoint must have been made with to be one of this run.
  [[nodiscard]] std::string fingerprint() const;
};

std::string write_config(const RunConfig& config);
// `where` is the file that errors name.
Result<RunConfig> read_config(std::string text, std::string_view where);

}  // namespace berth::learn
