// SPDX-License-Identifier: Apache-2.0
// A model at several sizes (seq=128,512,2048): a plan for every bucket of sizes, and one for all of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "services/caller.h"
#include "services/plan/chosen_planner.h"
#include "services/plan/outcome.h"
#include "services/problem/dims.h"
#include "services/problem/input_notes.h"
#include "services/problem/problem_request.h"

namespace berth {

struct PlacedBuckets {
  std::vector<Bucket> buckets;
  std::vector<Problem> problems;  // one per bucket, as are the outcomes
  InputNotes notes;               // about the first of them
  std::vector<Outcome> own;       // the best plan known for the bucket alone
  std::vector<Outcome> shared;    // the one plan for all; empty if there is none
  // Of the shared plan, per bucket: its time over that of the bucket's own plan, less 1; none where it does not fit.
  std::vector<std::optional<double>> regrets;
  std::optional<Error> error;  // why there is no shared plan
  std::string note;            // how the shared plan came to be
  double search_s = 0.0;       // for the shared plan
  std::uint64_t evaluations = 0;
  bool interrupted = false;  // the caller stopped before all searches were done

  [[nodiscard]] bool feasible() const;      // the shared plan fits in every bucket, as the next two require
  [[nodiscard]] std::size_t worst() const;  // bucket with the largest regret
  [[nodiscard]] double mean_regret() const;
};

// Each bucket and the shared plan have the whole budget.
Result<PlacedBuckets> place_buckets(const ProblemRequest& request, std::vector<Bucket> buckets,
                                    const ChosenPlanner& planner, const Budget& budget, Caller& caller);

// Writes the shared plan, readable at every size, and beside it each bucket's own (bucket_path).
Status save_buckets(const std::string& path, const PlacedBuckets& placed);

// Whether plans of all buckets can be written there, asked before a long search; `sources` are read.
Status check_bucket_paths(const std::string& path, const std::vector<Bucket>& buckets,
                          std::span<const std::string> sources);

// Why there is no plan that fits at every size, if there is none.
std::optional<Error> failure_of(const PlacedBuckets& placed);

}  // namespace berth
