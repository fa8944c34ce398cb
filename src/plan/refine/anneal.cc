// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/anneal.h"

#include "plan/baselines/expert.h"
#include "plan/baselines/one_device.h"
#include "plan/refine/refiner.h"

namespace berth {

Result<Plan> AnnealPlanner::plan(Search& search) {
  const Result<Plan> single = SinglePlanner().plan(search);
  const Result<Plan> expert = ExpertPlanner().plan(search);
  if (!search.has_best()) return single.error();
  const bool from_single = !expert || (single && search.best_plan() == *single);
  Refiner(search, Rng(search.budget().seed)).improve_once(search.best_plan(), 1.0);
  search.set_note(fmt::format("annealed from {}", from_single ? "one device" : "the layer rule"));
  return search.best_plan();
}

}  // namespace berth
