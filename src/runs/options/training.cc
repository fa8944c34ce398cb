// SPDX-License-Identifier: Apache-2.0
#include "runs/options/training.h"

namespace berth::learn {
namespace {

// What plans are worth.
std::vector<FieldOf<TrainingOptions>> reward_fields() {
  using O = TrainingOptions;
  const Words rewards{"time", "sqrt", "log", "inverse", "log-time"}, failings{"constant", "graded"};
  const auto set_reward = [=](O& own, std::string_view text) -> Status {
    BERTH_RETURN_IF_ERROR(parse_word("reward", text, rewards));
    own.reward.kind = *reward_from_name(text);
    return {};
  };
  const auto set_failing = [=](O& own, std::string_view text) -> Status {
    BERTH_RETURN_IF_ERROR(parse_word("failing", text, failings));
    own.reward.failing = *failing_from_name(text);
    return {};
  };
  const auto set_failing_s = [](O& own, std::string_view text) -> Status {
    BERTH_TRY(own.reward.failing_s, parse_real("failing-s", text, 1e-6, 1e6));
    return {};
  };
  return {
      {"reward",
       "what a time t is worth: time (-t), sqrt (-sqrt t), log (-log(1 + t)), inverse (1 / t), log-time (-log t)",
       set_reward, [](const O& own) { return std::string(name_of(own.reward.kind)); }},
      {"failing", "what a plan that does not fit counts as: constant (failing-s), graded (twice its time and more)",
       set_failing, [](const O& own) { return std::string(name_of(own.reward.failing)); }},
      {"failing-s", "seconds that stand for a plan that does not fit, if failing=constant", set_failing_s,
       [](const O& own) { return text_of(own.reward.failing_s); }},
  };
}

}  // namespace

std::vector<FieldOf<TrainingOptions>> training_fields() {
  using F = Fields<TrainingOptions>;
  using O = TrainingOptions;
  std::vector<FieldOf<TrainingOptions>> fields{
      F::on_off("start-by-speed", "devices begin with the share of their speed, not all alike", &O::start_by_speed),
      F::whole("epochs", "steps by the same plans; more than one needs a ratio-clip", &O::epochs, 1, 100),
      F::real("ratio-clip", "of PPO: how far a choice's chance may move by one batch; 0: plain policy gradient",
              &O::ratio_clip, 0, 1),
      F::real("rate", "learning rate of Adam", &O::rate, 0, 10),
      F::real("rate-decay", "the rate is multiplied by this every decay-every updates", &O::rate_decay, 0, 1),
      F::whole("decay-after", "updates before the rate begins to fall", &O::decay_after, 0, kMany),
      F::whole("decay-every", "updates between two steps of the rate", &O::decay_every, 1, kMany),
      F::real("clip", "gradients are scaled down to this norm", &O::clip, 1e-6, 1e6),
      F::real("entropy", "weight of the entropy bonus at the start", &O::entropy, 0, 100),
      F::real("entropy-end", "its weight from update entropy-updates on", &O::entropy_end, 0, 100),
      F::whole("entropy-updates", "updates on the way from one to the other", &O::entropy_updates, 0, kMany),
      F::real("baseline-decay", "of the moving average that rewards are compared with", &O::baseline_decay, 0, 1),
      F::on_off("scale-advantage", "advantages are divided by the usual deviation of rewards", &O::scale_advantage),
  };
  for (FieldOf<TrainingOptions>& field : reward_fields()) fields.push_back(std::move(field));
  fields.push_back(
      F::real("env-noise", "times are multiplied by exp(this x normal), as on a noisy machine", &O::env_noise, 0, 10));
  return fields;
}

std::vector<FieldOf<TrainingOptions>> lessons_field() {
  using F = Fields<TrainingOptions>;
  using O = TrainingOptions;
  return {F::whole("lessons", "problems that an update learns from, of several; 0: all", &O::lessons, 0, 4'096)};
}

}  // namespace berth::learn
