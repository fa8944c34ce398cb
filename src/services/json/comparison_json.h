// SPDX-License-Identifier: Apache-2.0
// Several plans for programs: planners side by side, one plan for several sizes, a plan per value of a sweep, and what
// moved between two plans.
#pragma once

#include <string>
#include <vector>

#include "files/json/json_writer.h"
#include "services/compare/compare.h"
#include "services/compare/diff.h"
#include "services/compare/sweep.h"
#include "services/plan/buckets.h"

namespace berth {

std::string comparison_json(const CompareAnswer& answer);
std::string buckets_json(const PlacedBuckets& placed);
std::string diff_json(const DiffAnswer& answer);

// A sweep, written while it goes on: problems of earlier rows are gone.
class SweepDocument {
 public:
  SweepDocument(const ProblemRequest& request, const Sweep& sweep);
  void add(const SweepRow& row, const LoadedProblem& loaded);
  // How far the sweep came, and what it shows.
  std::string end(const std::vector<SweepRow>& rows) &&;

 private:
  const Sweep& sweep_;
  JsonWriter json_;
};

}  // namespace berth
