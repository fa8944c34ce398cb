// SPDX-License-Identifier: Apache-2.0
// Training as a service: a request for a run that begins or goes on, and what it has led to. Everything that a run
// leaves is in its folder (runs/run_folder.h); the caller hears notes, warnings and progress, and may stop it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/distributed/communicator.h"
#include "runs/new_run.h"
#include "services/caller.h"
#include "services/plan/outcome.h"
#include "services/problem/problem_request.h"

namespace berth::learn {

struct TrainRequest {
  std::string folder;                 // of the run
  std::optional<NewRun> begins = {};  // a new run, in a folder of its own; none: the run in the folder goes on ...
  RunChanges changes = {};            // ... with these
  bool shares_threads = true;         // several processes divide them among themselves, since they share the cores
  double checkpoint_every_s = 60.0;
  SimulateOn simulate_on = SimulateOn::kCpu;
};

// What a run has found for one of its problems.
struct TrainedLesson {
  std::shared_ptr<const LoadedProblem> loaded;
  Outcome outcome;                     // of its best plan; with an error if none was measured yet
  std::optional<Outcome> single = {};  // the best single device; none if the caller stopped first
  std::string plan_path = {};          // where the best plan is, if there is one
};

struct TrainAnswer {
  RunConfig config;
  std::string folder;
  std::vector<TrainedLesson> lessons;             // at least one
  std::uint64_t updates = 0, updates_before = 0;  // of all stretches; of those before this one
  std::uint64_t plans_per_update = 0;
  double elapsed_s = 0.0;                  // of all stretches
  bool is_time_over = false;               // that of the config
  bool interrupted = false;                // the caller stopped it
  std::vector<std::string> warnings = {};  // of this stretch
  int processes = 1;
};

// This process alone.
Result<TrainAnswer> train(const TrainRequest& request, Caller& caller);

// One of several processes that train together, each with the same request. Rank 0 alone writes files, speaks to its
// caller and has an answer; an error of any rank is rank 0's, and the others then have one without words.
class TrainRun {
 public:
  // All must outlive it.
  TrainRun(const TrainRequest& request, Communicator& ranks, Caller& caller);
  ~TrainRun();

  Result<std::optional<TrainAnswer>> run();
  // After an error: whether others may be waiting for this rank, or this rank cannot reach them.
  [[nodiscard]] bool is_broken() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

// What the run loads for a lesson.
Result<ProblemRequest> request_of(const RunConfig& config, const LessonConfig& lesson);

}  // namespace berth::learn
