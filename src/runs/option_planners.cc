// SPDX-License-Identifier: Apache-2.0
// Which options mean something to which planners.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "runs/option_kinds.h"

namespace berth::learn {
namespace {

struct Share {
  std::string_view planners, options;  // words
};

// Options that are in no row are everybody's.
constexpr std::array kShares{
    Share{"hierarchical colocrl",
          "clusters start start-weight type-size outputs dims neighbours neighbour-slots grouper-hidden grouper-scale "
          "grouper-activation placer attention aligned adjacency group-types group-shapes placed-features"},
    Share{"hierarchical colocrl placeto", "grouping tanh-constant temperature"},
    Share{"hierarchical colocrl placeto hsdag", "groups"},
    Share{"hierarchical colocrl hsdag", "type-feature max-types cost-features device-features"},
    Share{"hierarchical colocrl go", "noise noise-updates"},
    Share{"hierarchical colocrl go hsdag", "hidden groupings placements valid-only-after baseline baseline-fails"},
    Share{"placeto", "rounds message-width messages device-head episodes sweeps first-placement returns discount"},
    Share{"placeto go", "lessons"},
    Share{"go",
          "nodes tasks levels priorities ties sage-layers attention-layers heads segment inner passes superposition "
          "task-attention locality stretch"},
    Share{"hsdag",
          "coarsening degrees fractal node-shapes position position-size raw-features gnn gnn-layers directed parser "
          "self-loops parse-noise start-by-times near-best near-stretches poolings pool-factor dropout activation "
          "freeze-after state-update credit step-discount refuse-single"},
};

bool has_word(std::string_view words, std::string_view word) {
  const std::vector<std::string_view> all = split(words, ' ');
  return std::ranges::find(all, word) != all.end();
}

const Share* share_of(std::string_view option) {
  const auto found = std::ranges::find_if(kShares, [&](const Share& share) { return has_word(share.options, option); });
  return found != kShares.end() ? &*found : nullptr;
}

}  // namespace

bool has_option(std::string_view planner, std::string_view option) {
  const Share* const share = share_of(option);
  return share != nullptr ? has_word(share->planners, planner) : find_option(option) != nullptr;
}

Status set_option(Options& options, std::string_view assignment, std::string_view planner) {
  const std::string_view name = trim(assignment.substr(0, assignment.find('=')));
  const Share* const share = share_of(name);
  if (share != nullptr && !has_word(share->planners, planner)) {
    return bad_input("option '{}' belongs to {}; {} has none of that name (berth planners --options {} lists its own)",
                     name, listed(split(share->planners, ' ')), planner, planner);
  }
  return set_option(options, assignment);
}

}  // namespace berth::learn
