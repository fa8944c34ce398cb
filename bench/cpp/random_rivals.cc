// SPDX-License-Identifier: Apache-2.0
// The cheap rivals of a learned planner: the best of n plans by chance. Prints one JSON document: the best step time,
// and a curve of (plans so far, best so far) wherever the best changed.
//
//   random_rivals GRAPH MACHINE plans N SEED                a random accelerator for every unit, as planner `random`
//   random_rivals GRAPH MACHINE groupings N SEED GROUPS     every unit in a random group, every group on a random one
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "plan/search/placement.h"
#include "workloads.h"

namespace berth::bench {
namespace {

struct Flags {
  std::string graph, machine;
  bool grouped = false;
  std::uint64_t evaluations = 0, seed = 1, groups = 0;
};

// Devices of all units. Without groups every unit is one of its own.
void draw(std::vector<DeviceId>& wanted, const std::vector<DeviceId>& workers, std::uint64_t groups, Rng& rng) {
  const auto any = [&] { return workers[rng.below(workers.size())]; };
  if (groups == 0) {
    std::ranges::generate(wanted, any);
    return;
  }
  std::vector<DeviceId> of_group(groups);
  std::ranges::generate(of_group, any);
  std::ranges::generate(wanted, [&] { return of_group[rng.below(groups)]; });
}

std::string curve_point(std::uint64_t evaluations, Picoseconds best) {
  return fmt::format("[{}, {:.12g}]", evaluations, to_seconds(best));
}

int run(const Flags& flags) {
  const Problem here = problem(flags.graph, flags.machine);
  const std::vector<DeviceId> workers = worker_devices(here);
  std::vector<DeviceId> wanted(here.num_units());
  Rng rng(flags.seed);
  Search search(here, {.evaluations = flags.evaluations, .seed = flags.seed}, 0);
  std::string curve;
  Picoseconds best = std::numeric_limits<Picoseconds>::max();
  for (std::uint64_t i = 1; i <= flags.evaluations; ++i) {
    draw(wanted, workers, flags.grouped ? flags.groups : 0, rng);
    const Score& score = search.evaluate(plan_from_units(here, wanted));
    if (!score.feasible || score.step_time >= best) continue;
    best = score.step_time;
    curve += (curve.empty() ? "" : ", ") + curve_point(i, best);
  }
  const bool feasible = !curve.empty();
  fmt::print("{{\"feasible\": {}, \"step_time_s\": {}, \"evaluations\": {}, \"search_s\": {:.6g}, \"curve\": [{}]}}\n",
             feasible, feasible ? fmt::format("{:.12g}", to_seconds(best)) : "null", flags.evaluations,
             search.elapsed_s(), curve);
  return 0;
}

std::uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  using namespace berth::bench;
  const std::string_view kind = argc > 3 ? argv[3] : "";
  const bool grouped = kind == "groupings";
  Flags flags;
  if (argc == (grouped ? 7 : 6) && (grouped || kind == "plans")) {
    flags = {argv[1], argv[2], grouped, number(argv[4]), number(argv[5]), grouped ? number(argv[6]) : 0};
  }
  if (flags.evaluations == 0 || (grouped && flags.groups == 0)) {
    std::fprintf(stderr, "usage: random_rivals GRAPH MACHINE plans|groupings N SEED [GROUPS]\n");
    return 2;
  }
  return run(flags);
}
