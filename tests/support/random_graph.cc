// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "graph/builder.h"
#include "support/random_parts.h"

namespace berth::random_parts {
namespace {

// Ops are drafted in an order that is topological, then numbered at random, since ids need not follow the edges.
struct Draft {
  Role role = Role::kCompute;
  std::vector<std::pair<std::size_t, int>> inputs;  // draft, output
  std::vector<std::size_t> control;
  std::vector<Bytes> outputs;
  int group = -1;
  KindSet allowed = kAnyKind;
  std::ptrdiff_t updates = -1;
};

class Drafter {
 public:
  Drafter(Rng& rng, std::size_t ops) : rng_(rng), ops_(ops) {
    source_share_ = 0.05 + 0.3 * rng_.uniform();
    view_share_ = rng_.chance(0.3) ? 0.5 : 0.15;
    control_share_ = rng_.chance(0.5) ? 0.05 : 0.3;
    reach_ = static_cast<std::size_t>(rng_.between(2, 12));
    most_bytes_ = rng_.chance(0.8) ? 6 : 100'000;
  }

  std::vector<Draft> make() {
    while (drafts_.size() < ops_) {
      if (tensors_.empty() || rng_.chance(source_share_)) {
        add_source();
      } else {
        add_op();
      }
    }
    add_updates();
    return std::move(drafts_);
  }

 private:
  Bytes random_bytes() { return rng_.chance(0.1) ? 0 : rng_.between(1, most_bytes_); }

  void add_source() {
    static constexpr Role kSources[] = {Role::kInput, Role::kParameter, Role::kBuffer, Role::kConstant, Role::kCompute};
    Draft draft;
    draft.role = kSources[rng_.below(5)];
    const bool many = rng_.chance(0.1);
    for (int i = 0; i < (many ? 2 : 1); ++i) draft.outputs.push_back(random_bytes());
    // Even a source may be held back by a control edge; but not an input, which is there from 0.
    if (rng_.chance(0.02)) add_control(draft);
    add(draft);
  }

  void add_op() {
    Draft draft;
    draft.role = rng_.chance(view_share_) ? Role::kView : Role::kCompute;
    const std::int64_t inputs = draft.role == Role::kView ? 1 + (rng_.chance(0.15) ? 1 : 0) : rng_.between(1, 4);
    for (std::int64_t i = 0; i < inputs; ++i) draft.inputs.push_back(random_tensor());
    if (rng_.chance(0.1)) draft.inputs.push_back(draft.inputs.front());
    const std::int64_t outputs = rng_.chance(0.05) ? 0 : rng_.chance(0.25) ? rng_.between(2, 3) : 1;
    for (std::int64_t i = 0; i < outputs; ++i) draft.outputs.push_back(random_bytes());
    if (rng_.chance(control_share_)) add_control(draft);
    if (rng_.chance(0.1)) draft.group = static_cast<int>(rng_.below(1 + ops_ / 10));
    if (rng_.chance(0.05)) draft.allowed = kind_bit(DeviceKind::kCpu);
    add(draft);
  }

  // Mostly recent tensors, so that graphs grow long; now and then any.
  std::pair<std::size_t, int> random_tensor() {
    const std::size_t back = rng_.chance(0.2) ? tensors_.size() : std::min(tensors_.size(), reach_);
    return tensors_[tensors_.size() - 1 - rng_.below(back)];
  }

  void add_control(Draft& draft) {
    if (drafts_.empty()) return;
    const std::size_t back = std::min<std::size_t>(drafts_.size(), 20);
    for (std::int64_t i = rng_.between(1, 2); i > 0; --i) {
      draft.control.push_back(drafts_.size() - 1 - rng_.below(back));
    }
  }

  void add(const Draft& draft) {
    for (int output = 0; output < static_cast<int>(draft.outputs.size()); ++output) {
      tensors_.emplace_back(drafts_.size(), output);
    }
    drafts_.push_back(draft);
  }

  // Two updates that read each other's parameter would wait for each other.
  [[nodiscard]] bool shares_parameter(std::size_t draft) const {
    while (drafts_[draft].role == Role::kView) draft = drafts_[draft].inputs.front().first;
    return drafts_[draft].role == Role::kParameter;
  }

  // Updates come last, after every reader. What follows them reads only them, so that nothing runs in a circle.
  void add_updates() {
    const std::size_t before = drafts_.size();
    for (std::size_t parameter = 0; parameter < before; ++parameter) {
      if (drafts_[parameter].role != Role::kParameter || !rng_.chance(0.7)) continue;
      Draft draft;
      draft.updates = static_cast<std::ptrdiff_t>(parameter);
      if (rng_.chance(0.6)) draft.inputs.emplace_back(parameter, 0);
      if (const auto gradient = random_tensor(); !shares_parameter(gradient.first)) draft.inputs.push_back(gradient);
      if (rng_.chance(0.5)) draft.outputs.push_back(random_bytes());
      drafts_.push_back(draft);
      if (draft.outputs.empty() || !rng_.chance(0.3)) continue;
      Draft reader;
      reader.inputs.emplace_back(drafts_.size() - 1, 0);
      reader.outputs.push_back(random_bytes());
      drafts_.push_back(reader);
    }
  }

  Rng& rng_;
  std::size_t ops_, reach_ = 0;
  double source_share_ = 0.0, view_share_ = 0.0, control_share_ = 0.0;
  Bytes most_bytes_ = 0;
  std::vector<Draft> drafts_;
  std::vector<std::pair<std::size_t, int>> tensors_;
};

OpSpec to_spec(const Draft& draft, std::string_view name, std::string_view group, const std::vector<OpId>& id_of) {
  OpSpec spec;
  spec.name = name;
  spec.type = "random";
  spec.role = draft.role;
  for (const auto& [producer, output] : draft.inputs) spec.inputs.push_back({id_of[producer], output});
  for (const std::size_t before : draft.control) spec.control_inputs.push_back(id_of[before]);
  for (const Bytes bytes : draft.outputs) spec.outputs.push_back({DType::kU8, {bytes}});
  spec.colocate = group;
  spec.allowed = draft.allowed;
  if (draft.updates >= 0) spec.updates = id_of[static_cast<std::size_t>(draft.updates)];
  return spec;
}

}  // namespace

std::shared_ptr<const Graph> random_graph(Rng& rng, std::size_t ops) {
  const std::vector<Draft> drafts = Drafter(rng, ops).make();
  std::vector<OpId> id_of(drafts.size());
  for (std::size_t i = 0; i < drafts.size(); ++i) id_of[i] = OpId(i);
  if (rng.chance(0.5)) rng.shuffle(std::span(id_of));
  std::vector<std::size_t> draft_of(drafts.size());
  for (std::size_t i = 0; i < drafts.size(); ++i) draft_of[index(id_of[i])] = i;

  GraphBuilder builder("random");
  builder.set_optimizer(static_cast<Optimizer>(rng.below(3)));
  for (std::size_t id = 0; id < drafts.size(); ++id) {
    const Draft& draft = drafts[draft_of[id]];
    const std::string group = draft.group < 0 ? "" : fmt::format("g{}", draft.group);
    builder.add(to_spec(draft, fmt::format("op{}", id), group, id_of));
    for (int output = 0; output < static_cast<int>(draft.outputs.size()); ++output) {
      if (rng.chance(0.06)) builder.mark_output({OpId(id), output});
    }
  }
  return std::make_shared<const Graph>(value_of(std::move(builder).build()));
}

}  // namespace berth::random_parts
