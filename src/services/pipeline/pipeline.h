// SPDX-License-Identifier: Apache-2.0
// A training pipeline, as somebody asks: the best one for a model on a machine, or what a given one would do; with what
// others would make of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/pipeline_plan.h"
#include "pipeline/search/planning.h"
#include "services/caller.h"
#include "services/problem/problem_request.h"

namespace berth {

struct PipelineRequest {
  ProblemRequest problem;          // the graph is the step of one microbatch
  std::uint32_t microbatches = 8;  // of a given pipeline those of its file
  std::string schedule = {};       // empty: the best of all
  bool may_recompute = true, may_split = true, may_share = true;
  double time_s = 8.0;  // for the search
  std::uint64_t seed = 1;
  bool one_more = false;    // what one more card of each kind would bring
  std::string given = {};   // a file of berth-pipeline/1 to judge instead of a search
  std::string output = {};  // file to write; empty: none
};

// What bounds a pipeline: the share of the step that its busiest device and its busiest link work, and the memory that
// is fullest.
struct PipelineBounds {
  DeviceId busiest{};
  double busiest_share = 0.0;
  std::optional<std::size_t> link = {};  // index into Machine::queues(); none: nothing is sent
  double link_share = 0.0;
  DeviceId fullest{};
  double fullest_share = 0.0;
};

// The best pipeline with one more device of a model.
struct OneMore {
  std::string model;
  std::optional<Picoseconds> step_time = {};  // none: nothing fits, or it cannot be added
};

struct PipelineAnswer {
  std::shared_ptr<const LoadedProblem> loaded;
  pipeline::LayeredStep step;
  std::optional<pipeline::Judged> best;  // what was found, or was given; nothing if nothing fits
  std::vector<pipeline::Judged> others;  // what people do without a planner, best first
  PipelineBounds bounds;                 // of the best
  std::vector<OneMore> one_more;         // if asked for
  std::size_t orders = 0;
  std::uint64_t evaluations = 0;
  double search_s = 0.0;
  Status saved = {};

  [[nodiscard]] const Problem& problem() const { return loaded->problem; }
  // The best of the rows that cut into stages for equal devices.
  [[nodiscard]] const pipeline::Judged* best_uniform() const;
  [[nodiscard]] bool fits() const { return best && best->timeline.score.feasible; }
};
Result<PipelineAnswer> answer_pipeline(const PipelineRequest& request, Caller& caller);

// The name of a schedule that a request may ask for; empty stays empty.
Result<std::string> find_schedule(const std::string& name);

}  // namespace berth
