// SPDX-License-Identifier: Apache-2.0
#include "plan/planners.h"

#include <algorithm>
#include <array>

#include "plan/auto.h"
#include "plan/baselines/expert.h"
#include "plan/baselines/simple_planners.h"
#include "plan/construct/baechi.h"
#include "plan/construct/heft.h"
#include "plan/exact/exact.h"
#include "plan/explore/genetic.h"
#include "plan/mincut/mincut_exact.h"
#include "plan/partition/metis.h"
#include "plan/partition/scotch.h"
#include "plan/pipeline/dp.h"
#include "plan/refine/refiner.h"

namespace berth {
namespace {

using MakePlanner = decltype(PlannerInfo::make);

#if BERTH_SCOTCH
constexpr MakePlanner kMakeScotch = make_planner<ScotchPlanner>, kMakeMincut = make_planner<MincutPlanner>;
#else
constexpr MakePlanner kMakeScotch = nullptr, kMakeMincut = nullptr;
#endif
#if BERTH_METIS
constexpr MakePlanner kMakeMetis = make_planner<MetisPlanner>;
#else
constexpr MakePlanner kMakeMetis = nullptr;
#endif
#if BERTH_CLP
constexpr MakePlanner kMakeMSct = make_planner<MSctPlanner>;
#else
constexpr MakePlanner kMakeMSct = nullptr;
#endif

}  // namespace

std::span<const PlannerInfo> classical_planners() {
  static constexpr std::array kTable{
      PlannerInfo{kSinglePlanner, "everything on the one device that does best", make_planner<SinglePlanner>},
      PlannerInfo{"cpu-only", "everything on the first CPU", make_planner<CpuOnlyPlanner>},
      PlannerInfo{"gpu-only", "everything on the first accelerator", make_planner<GpuOnlyPlanner>},
      PlannerInfo{"random", "a random accelerator for every op", make_planner<RandomPlanner>, true},
      PlannerInfo{"round-robin", "accelerators in turn, in topological order", make_planner<RoundRobinPlanner>},
      PlannerInfo{"expert", "the human: the better of one GPU and the layer rule", make_planner<ExpertPlanner>},
      PlannerInfo{"expert-layers", "the human's layer rule alone", make_planner<ExpertLayersPlanner>},
      PlannerInfo{"scotch", "Scotch static mapping onto the machine", kMakeScotch, true},
      PlannerInfo{"mincut", "Scotch static mapping onto the accelerators alone", kMakeMincut, true},
      PlannerInfo{"metis", "METIS k-way partition", kMakeMetis, true},
      PlannerInfo{"heft", "list scheduling by upward rank", make_planner<HeftPlanner>},
      PlannerInfo{"m-topo", "topological fill within memory", make_planner<MTopoPlanner>},
      PlannerInfo{"m-etf", "earliest task first within memory", make_planner<MEtfPlanner>},
      PlannerInfo{"m-sct", "small communication times within memory", kMakeMSct},
      PlannerInfo{"dp", "dynamic programming over down-sets", make_planner<DpPlanner>},
      PlannerInfo{"exact", "branch and bound, with proof", make_planner<ExactPlanner>, true},
      PlannerInfo{"mincut-exact", "least cut between two devices; with proof where nothing overlaps",
                  make_planner<MincutExactPlanner>},
      PlannerInfo{"anneal", "simulated annealing on the simulator", make_planner<AnnealPlanner>, true, false, false,
                  true},
      PlannerInfo{"genetic", "genetic search on the simulator", make_planner<GeneticPlanner>, true, true},
      PlannerInfo{"auto", "the quick planners, then multilevel refinement; the default", make_planner<AutoPlanner>,
                  true, true, true, true},
  };
  return kTable;
}

const PlannerInfo* find_classical_planner(std::string_view name) {
  const auto table = classical_planners();
  const auto found = std::ranges::find(table, name, &PlannerInfo::name);
  return found != table.end() && found->make != nullptr ? &*found : nullptr;
}

}  // namespace berth
