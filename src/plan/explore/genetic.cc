// SPDX-License-Identifier: Apache-2.0
#include "plan/explore/genetic.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/text.h"
#include "plan/baselines/expert.h"
#include "plan/baselines/simple_planners.h"
#include "plan/coarsen/grouping.h"
#include "plan/order/ranks.h"
#include "plan/search/best_plan.h"
#include "plan/search/placement.h"

namespace berth {
namespace {

constexpr std::size_t kMaxGroups = 400;
constexpr std::size_t kMinPopulation = 20, kMaxPopulation = 120;
constexpr double kEliteShare = 0.2, kMutantShare = 0.1, kEliteBias = 0.7;
constexpr std::size_t kPiece = 16;  // plans judged at once, unless the size of the population was given
constexpr std::size_t kHeldBytes = std::size_t{1} << 30;  // of such plans: one of a million ops takes nine megabytes

// Units, or as few groups as fit a population that must learn about each of them.
Grouping groups_for_genes(const Problem& problem) {
  Grouping units = one_group_per_unit(problem);
  if (units.size() <= kMaxGroups) return units;
  const GroupWeights weights = weigh_groups(problem, units);
  const Picoseconds work = std::accumulate(weights.work.begin(), weights.work.end(), Picoseconds{0});
  const Bytes resident = std::accumulate(weights.resident.begin(), weights.resident.end(), Bytes{0});
  Grouping groups = units;
  for (std::size_t parts = 4 * kMaxGroups; parts > 8 && groups.size() > kMaxGroups; parts /= 2) {
    const auto count = static_cast<std::int64_t>(parts);
    const GroupLimits limits{.work = work / count + 1, .resident = resident / count + 1};
    groups = join_heavy_tensors(problem, join_only_consumers(problem, units, limits), limits);
  }
  return groups;
}

// Keys to plans and, as far as groups allow, back.
class Genome {
 public:
  explicit Genome(const Problem& problem)
      : problem_(problem), groups_(groups_for_genes(problem)), ranks_(upward_ranks(problem)) {
    const double longest = ranks_.empty() ? 0.0 : *std::ranges::max_element(ranks_);
    for (double& rank : ranks_) rank /= std::max(longest, 1.0);
    share_devices();
  }

  [[nodiscard]] std::size_t size() const { return 2 * groups_.size(); }  // devices, then priorities

  void decode(std::span<const double> keys, Plan& plan) const {
    std::vector<DeviceId> devices(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto first = tops_.begin() + static_cast<std::ptrdiff_t>(g * devices_);
      const auto picked = std::upper_bound(first, first + static_cast<std::ptrdiff_t>(devices_), keys[g]) - first;
      devices[g] = DeviceId(picked);  // no share, no key: it is allowed
    }
    plan = plan_from_groups(problem_, groups_, devices);
    plan.priority.resize(ranks_.size());
    for (const OpId op : problem_.graph().ops()) {
      plan.priority[index(op)] = ranks_[index(op)] + keys[groups_.size() + groups_.of(problem_, op)];
    }
  }

  // A group that the plan spreads over devices goes where its first unit is.
  [[nodiscard]] std::vector<double> encode(const Plan& plan) const {
    std::vector<double> keys(size(), 0.5);
    std::vector<bool> known(groups_.size(), false);
    for (std::uint32_t unit = 0; unit < problem_.num_units(); ++unit) {
      const std::uint32_t g = groups_.of_unit[unit];
      const DeviceId device = plan.device(problem_.unit_ops(unit).front());
      if (known[g] || (groups_.allowed[g] & device_bit(device)) == 0) continue;
      known[g] = true;
      const std::size_t at = g * devices_ + index(device);
      keys[g] = ((index(device) == 0 ? 0.0 : tops_[at - 1]) + tops_[at]) / 2;
    }
    return keys;
  }

 private:
  // tops_[g * devices + d]: where the share of device d ends in the keys of group g.
  void share_devices() {
    devices_ = problem_.machine().num_devices();
    tops_.assign(groups_.size() * devices_, 0.0);
    for (const OpId op : problem_.graph().ops()) {
      const std::size_t g = groups_.of(problem_, op);
      for (const DeviceId device : problem_.machine().device_ids()) {
        tops_[g * devices_ + index(device)] += static_cast<double>(problem_.duration(op, device));
      }
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::span<double> tops(&tops_[g * devices_], devices_);
      for (std::size_t d = 0; d < devices_; ++d) {
        tops[d] = (groups_.allowed[g] >> d & 1) != 0 ? 1 / (tops[d] + 1) : 0.0;
      }
      std::partial_sum(tops.begin(), tops.end(), tops.begin());
      for (double& top : tops) top /= tops_[(g + 1) * devices_ - 1];
    }
  }

  const Problem& problem_;
  Grouping groups_;
  std::vector<double> ranks_;  // per op, the longest way is 1
  std::size_t devices_ = 0;
  std::vector<double> tops_;
};

struct Individual {
  std::vector<double> keys;
  PlanValue value;
};

class Population {
 public:
  Population(Search& search, const Genome& genome, std::size_t size)
      : search_(search),
        genome_(genome),
        rng_(search.budget().seed),
        has_limits_(has_limits(search.problem())),
        members_(size),
        elites_(std::max<std::size_t>(static_cast<std::size_t>(static_cast<double>(size) * kEliteShare), 1)),
        piece_(search.budget().batch > 0 ? most_held(search.problem()) : kPiece) {}

  void begin(std::span<const Plan> seeds) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      members_[i].keys = i < seeds.size() ? genome_.encode(seeds[i]) : random_keys();
    }
    evaluate_from(0);
  }

  // The best stay, children come behind them, mutants last.
  void next_generation() {
    const std::size_t size = members_.size();
    const auto mutants = static_cast<std::size_t>(static_cast<double>(size) * kMutantShare);
    std::vector<Individual> children;
    for (std::size_t i = elites_; i < size - mutants; ++i) {
      const std::vector<double>& elite = members_[rng_.below(elites_)].keys;
      const std::vector<double>& other = members_[elites_ + rng_.below(size - elites_)].keys;
      children.push_back({cross(elite, other), {}});
    }
    while (children.size() < size - elites_) children.push_back({random_keys(), {}});
    std::ranges::move(children, members_.begin() + static_cast<std::ptrdiff_t>(elites_));
    evaluate_from(elites_);
  }

 private:
  [[nodiscard]] std::vector<double> random_keys() {
    std::vector<double> keys(genome_.size());
    for (double& key : keys) key = rng_.uniform();
    return keys;
  }

  [[nodiscard]] std::vector<double> cross(const std::vector<double>& elite, const std::vector<double>& other) {
    std::vector<double> keys(elite.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = rng_.chance(kEliteBias) ? elite[i] : other[i];
    return keys;
  }

  // By the problem alone, so that a seed gives one plan on any computer.
  static std::size_t most_held(const Problem& problem) {
    const std::size_t bytes_each =
        (sizeof(std::uint8_t) + sizeof(double)) * std::max<std::size_t>(problem.graph().num_ops(), 1);
    return std::max(kHeldBytes / bytes_each, kPiece);
  }

  void evaluate_from(std::size_t first) {
    for (std::size_t i = first; i < members_.size() && !search_.should_stop(); i += piece_) {
      evaluate(std::span(members_).subspan(i, std::min(piece_, members_.size() - i)));
    }
    std::ranges::stable_sort(members_, {}, &Individual::value);
  }

  void evaluate(std::span<Individual> batch) {
    plans_.clear();
    std::vector<Individual*> judged;
    for (Individual& individual : batch) {
      genome_.decode(individual.keys, plan_);
      if (has_limits_ && verify(search_.problem(), plan_)) continue;
      judged.push_back(&individual);
      plans_.add(plan_);
    }
    search_.count_evaluations(batch.size() - plans_.size());  // so that a search where nothing is legal ends
    const BatchScores& scores = search_.evaluate(plans_.batch());
    for (std::size_t i = 0; i < scores.size(); ++i) judged[i]->value = value_of(scores, i);
  }

  Search& search_;
  const Genome& genome_;
  Rng rng_;
  bool has_limits_;                  // on devices or crossings: plans must be verified
  std::vector<Individual> members_;  // best first
  std::size_t elites_;
  std::size_t piece_;  // members judged at once
  GatheredPlans plans_;
  Plan plan_;
};

std::size_t population_size(const Budget& budget, const Genome& genome) {
  return budget.batch > 0 ? std::max(budget.batch, kMinPopulation)
                          : std::clamp(genome.size(), kMinPopulation, kMaxPopulation);
}

}  // namespace

Result<Plan> GeneticPlanner::plan(Search& search) {
  std::vector<Plan> seeds;
  const Result<Plan> single = SinglePlanner().plan(search);
  if (single) seeds.push_back(*single);
  if (!search.should_stop()) {
    if (const Result<Plan> expert = ExpertPlanner().plan(search)) seeds.push_back(*expert);
  }
  const Score first = search.has_best() ? search.best_score() : Score();
  std::uint64_t generations = 0;
  if (!search.should_stop() && !search.at_lower_bound()) {
    const Genome genome(search.problem());
    Population population(search, genome, population_size(search.budget(), genome));
    population.begin(seeds);
    for (; !search.should_stop() && !search.at_lower_bound(); ++generations) population.next_generation();
  }
  if (!search.has_best()) return single.error();
  const bool is_better = seeds.empty() || better(search.best_score(), first);
  search.set_note(
      fmt::format("{}, {}", counted(generations, "generation"),
                  is_better ? "better than the plans they began with" : "no better than single and expert"));
  return search.best_plan();
}

}  // namespace berth
