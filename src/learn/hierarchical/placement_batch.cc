// SPDX-License-Identifier: Apache-2.0
#include "learn/hierarchical/placement_batch.h"

#include <cmath>
#include <numeric>
#include <set>

#include "learn/nn/logits.h"
#include "learn/nn/random.h"

namespace berth::learn {

PlacementBatch::PlacementBatch(PlacementPolicy& policy, const Sampling& sampling, Rng& rng)
    : policy_(policy), groupings_(sampling.groupings), placements_(sampling.placements) {
  // Without groups, or with fixed ones, there is one kind of choice: all samples are of that kind.
  if (!policy.placer_) {
    groupings_ *= placements_;
    placements_ = 1;
  } else if (policy.fixed_) {
    placements_ *= groupings_;
    groupings_ = 1;
  }
  draw_groupings(sampling.noise, rng);
  draw_placements(sampling.noise, rng);
}

PlacementBatch::PlacementBatch(PlacementPolicy& policy, std::vector<std::vector<std::uint32_t>> groups,
                               const std::vector<std::vector<std::int64_t>>& devices)
    : policy_(policy), groupings_(static_cast<int>(groups.size())), groups_(std::move(groups)) {
  placements_ = policy.placer_ ? static_cast<int>(devices.size()) / groupings_ : 1;
  if (!policy.fixed_) {
    grouping_log_ = grouping_logs();
    keep_grouping_choices();
  }
  if (policy.placer_) {
    std::vector<Tensor> rows;
    for (const std::vector<std::int64_t>& row : devices)
      rows.push_back(tensor_of(row, {static_cast<std::int64_t>(row.size())}));
    drawn_.devices = at::stack(rows).to(policy.parameters_.device());
    embedding_ = policy.embed(groups_);
  }
  make_plans();
}

void PlacementBatch::draw_groupings(double noise, Rng& rng) {
  if (policy_.fixed_) {
    groups_.push_back(*policy_.fixed_);
    return;
  }
  if (noise > 0.0) {
    const auto items = static_cast<std::int64_t>(policy_.items_.size());
    const auto groups = static_cast<std::int64_t>(policy_.placer_ ? policy_.groups_ : policy_.devices_.size());
    grouping_noise_ = normal_numbers({items, groups}, rng, policy_.parameters_.device()) * noise;
  }
  grouping_log_ = grouping_logs();
  const Tensor chances = grouping_log_.detach().to(at::kCPU).exp();
  for (int i = 0; i < groupings_; ++i) groups_.push_back(draw_rows(chances, rng));
  keep_grouping_choices();
}

Tensor PlacementBatch::grouping_logs() const {
  return at::log_softmax(with_noise(policy_.grouper_->logits(), grouping_noise_), 1);
}

void PlacementBatch::keep_grouping_choices() {
  std::vector<Tensor> choices;
  for (const PlacementPolicy::Groups& groups : groups_) {
    const std::vector<std::int64_t> choice(groups.begin(), groups.end());
    choices.push_back(tensor_of(choice, {static_cast<std::int64_t>(choice.size())}));
  }
  grouping_choice_ = at::stack(choices).to(grouping_log_.device());
}

void PlacementBatch::draw_placements(double noise, Rng& rng) {
  if (policy_.placer_) {
    embedding_ = policy_.embed(groups_);
    drawn_ = policy_.placer_->draw(embedding_, placements_, noise, rng);
  }
  make_plans();
}

void PlacementBatch::make_plans() {
  if (!policy_.placer_) {  // the groups are the devices
    std::vector<std::int64_t> same(policy_.devices_.size());
    std::iota(same.begin(), same.end(), std::int64_t{0});
    for (const PlacementPolicy::Groups& groups : groups_) plans_.push_back(policy_.plan_of(groups, same.data()));
    return;
  }
  const Tensor devices = drawn_.devices.to(at::kCPU).contiguous();
  for (std::int64_t row = 0; row < devices.size(0); ++row) {
    const auto& groups = groups_[static_cast<std::size_t>(row / placements_)];
    plans_.push_back(policy_.plan_of(groups, devices.data_ptr<std::int64_t>() + row * devices.size(1)));
  }
}

void PlacementBatch::prepare() {
  if (!policy_.fixed_) {
    if (prepared_) grouping_log_ = grouping_logs();  // the parameters have moved since the groups were drawn
    log_grouping_ = grouping_log_.gather(1, grouping_choice_.t()).t();
    if (!prepared_) grouping_then_ = log_grouping_.detach();
    entropies_.grouping =
        mean_entropy(grouping_log_.detach().unsqueeze(0)).item<double>() / static_cast<double>(grouping_log_.size(0));
    entropies_.most_grouping = std::log(static_cast<double>(grouping_log_.size(1)));
  }
  if (policy_.placer_) {
    placing_log_ = policy_.placer_->log_probabilities(embedding_, drawn_);
    log_placing_ = placing_log_.gather(2, drawn_.devices.unsqueeze(2)).squeeze(2);
    if (!prepared_) placing_then_ = log_placing_.detach();
    entropies_.placing = mean_entropy(placing_log_.detach()).item<double>() / static_cast<double>(placing_log_.size(1));
    entropies_.most_placing = std::log(static_cast<double>(policy_.devices_.size()));
  }
  prepared_ = true;
}

Tensor PlacementBatch::loss(const LossTerms& terms) {
  const std::vector<float> plain(terms.weights.begin(), terms.weights.end());
  const Tensor weight = tensor_of(plain, {groupings_, placements_}).to(policy_.parameters_.device());
  Tensor gain = at::zeros({}, weight.options());
  if (log_grouping_.defined()) {
    gain = gain + surrogate(log_grouping_, grouping_then_, weight.sum(1, true), terms.ratio_clip).sum();
    if (terms.entropy_weight > 0.0) gain = gain + mean_entropy(grouping_log_.unsqueeze(0)) * terms.entropy_weight;
  }
  if (log_placing_.defined()) {
    gain = gain + surrogate(log_placing_, placing_then_, weight.reshape({-1, 1}), terms.ratio_clip).sum();
    if (terms.entropy_weight > 0.0) gain = gain + mean_entropy(placing_log_) * terms.entropy_weight;
  }
  return -gain;
}

std::vector<double> PlacementBatch::log_probabilities() const {
  std::vector<double> logs(plans_.size());
  const std::vector<float> grouping = log_grouping_.defined() ? floats_of(log_grouping_.sum(1)) : std::vector<float>();
  const std::vector<float> placing = log_placing_.defined() ? floats_of(log_placing_.sum(1)) : std::vector<float>();
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (!grouping.empty()) logs[i] += static_cast<double>(grouping[i / static_cast<std::size_t>(placements_)]);
    if (!placing.empty()) logs[i] += static_cast<double>(placing[i]);
  }
  return logs;
}

double PlacementBatch::used_groups() const {
  double used = 0.0;
  for (const PlacementPolicy::Groups& groups : groups_)
    used += static_cast<double>(std::set(groups.begin(), groups.end()).size());
  return used / static_cast<double>(groups_.size());
}

}  // namespace berth::learn
