// SPDX-License-Identifier: Apache-2.0
#include "learn/policies.h"

#include <algorithm>
#include <exception>

#include "learn/colocation.h"
#include "learn/grouping/simple.h"
#include "learn/hsdag/node_features.h"

namespace berth::learn {
namespace {

constexpr std::size_t kMostGroups = 256, kGroupsPerDevice = 20;  // as in Google's code

// 0 groups: as many as the papers have.
std::size_t number_of_groups(std::string_view planner, const Problem& problem, const Options& options) {
  if (options.groups > 0) return static_cast<std::size_t>(options.groups);
  if (planner == "colocrl") return paper_groups(problem.graph());
  return std::min(kMostGroups, kGroupsPerDevice * problem.machine().num_devices());
}

Result<Grouping> grouping_for_placeto(const Problem& problem, const Options& options, std::uint64_t seed) {
  if (options.grouping == "learned") {
    return bad_input("placeto learns no groups: grouping=learned is for hierarchical (heavy is placeto's own)");
  }
  if (options.grouping == "none") return one_group_per_unit(problem);
  return fixed_grouping(problem, options.grouping, number_of_groups("placeto", problem, options), seed);
}

}  // namespace

Result<at::Device> device_named(const std::string& name) {
  try {
    const at::Device device(name);
    if (device.is_cpu()) return device;
    if (!device.is_cuda()) return bad_input("no policy device '{}'; it is cpu or cuda", name);
    if (!at::hasCUDA()) return bad_input("no policy device '{}': this libtorch sees no CUDA device", name);
    (void)at::zeros({1}, device);  // says now whether that one is there
    return device;
  } catch (const std::exception&) {
    return bad_input("no policy device '{}'; it is cpu, cuda or cuda:N for a GPU that is there", name);
  }
}

Result<std::unique_ptr<PlacementPolicy>> make_placement_policy(std::string_view planner, const Problem& problem,
                                                               const Options& options, std::uint64_t seed,
                                                               at::Device device) {
  const std::size_t groups = number_of_groups(planner, problem, options);
  std::optional<Grouping> fixed, start;
  Grouping items = one_group_per_unit(problem);
  if (options.grouping != "learned" && options.grouping != "none") {
    BERTH_TRY(fixed, fixed_grouping(problem, options.grouping, groups, seed));
  }
  const Grouping with_views = join_views(problem, items);
  if (options.grouping == "learned" && options.start == "heavy") start = heavy_grouping(problem, with_views, groups);
  if (options.grouping == "learned" && options.clusters > 0) {
    items = heavy_grouping(problem, with_views, groups * static_cast<std::size_t>(options.clusters));
    if (start) items = common_parts(problem, items, *start);
  }
  return std::make_unique<PlacementPolicy>(problem, options, groups, std::move(items), fixed, start, seed, device);
}

// With metis as many clusters as learned parsing leaves at the start, about a quarter, unless `groups` says.
Result<std::unique_ptr<HsdagPolicy>> make_hsdag_policy(const Problem& problem, const Options& options,
                                                       std::uint64_t seed, at::Device device) {
  std::optional<Grouping> clusters;
  if (options.parser == "metis") {
    const std::size_t quarter = std::max<std::size_t>(1, coarsen(problem, options.coarsening).size() / 4);
    const std::size_t groups = options.groups > 0 ? static_cast<std::size_t>(options.groups) : quarter;
    BERTH_TRY(clusters, fixed_grouping(problem, "metis", groups, seed));
  }
  return std::make_unique<HsdagPolicy>(problem, options, clusters, seed, device);
}

Result<std::unique_ptr<PlacetoLearner>> make_placeto(std::vector<std::unique_ptr<Environment>> environments,
                                                     const Options& options, std::uint64_t seed, at::Device device,
                                                     Communicator& communicator) {
  PlacetoLearner::Groupings groupings;
  std::size_t devices = 0;
  for (const std::unique_ptr<Environment>& environment : environments) {
    const Problem& problem = environment->problem();
    BERTH_TRY(Grouping grouping, grouping_for_placeto(problem, options, seed));
    groupings.push_back(std::move(grouping));
    if (devices != 0 && devices != problem.machine().num_devices() && options.device_head == "fixed") {
      return bad_input(
          "device-head=fixed is for one machine; these have {} and {} devices (device-head=scored is for "
          "any)",
          devices, problem.machine().num_devices());
    }
    devices = problem.machine().num_devices();
  }
  return std::make_unique<PlacetoLearner>(std::move(environments), std::move(groupings), options, seed, device,
                                          communicator);
}

}  // namespace berth::learn
