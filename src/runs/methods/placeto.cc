// SPDX-License-Identifier: Apache-2.0
#include "runs/methods/placeto.h"

#include "runs/methods/info.h"

namespace berth::learn {
namespace {

std::vector<FieldOf<PlacetoOptions>> placeto_fields() {
  using F = Fields<PlacetoOptions>;
  using O = PlacetoOptions;
  return {
      grouping_field<O>(),
      F::whole("groups", "most groups; 0: as the machine says", &O::groups, 0, 65'536),
      F::whole("rounds", "of messages along the graph and as many against it", &O::rounds, 0, 64),
      F::whole("message-width", "numbers of a message; 0: as many as a group's features", &O::message_width, 0, 4'096),
      F::word("messages", "how messages are put together, and the states of pools: mean, sum", &O::messages,
              {"mean", "sum"}),
      F::word("device-head", "scored (any machine), fixed (an output for every device of one machine)", &O::device_head,
              {"scored", "fixed"}),
      F::whole("episodes", "walks over the groups, side by side, for an update", &O::episodes, 2, 4'096),
      F::whole("sweeps", "times that a walk comes past every group", &O::sweeps, 1, 1'000),
      F::word("first-placement", "where a walk begins: random, single, best (so far), turns (random and best)",
              &O::first_placement, {"random", "single", "best", "turns"}),
      F::word("returns",
              "what counts for a step: drop (all that is yet gained), best (the best yet to come), final (the end)",
              &O::returns, {"drop", "best", "final"}),
      F::real("discount", "of later rewards, for returns=drop", &O::discount, 0, 1),
  };
}

Hints placeto_hints(const Options& options) {
  const auto& own = std::get<PlacetoOptions>(options);
  return {fmt::format("--option episodes={}", std::min(4 * own.episodes, 4096)),
          own.groups == 1 ? "" : "--option grouping=heavy or --option grouping=none", "--option groups=256"};
}

}  // namespace

PlacetoOptions placeto_default() {
  PlacetoOptions options;
  options.grouping = {GroupingRule::Kind::kHeavy};
  options.groups = 64;
  options.tanh_constant = 5.0, options.temperature = 1.0;
  options.discount = 0.9;
  options.rate = 0.005;
  options.entropy = 0.01, options.entropy_end = 0.0;
  options.entropy_updates = 100;
  options.reward.kind = RewardKind::kLogTime;
  return options;
}

// By its authors' code.
PlacetoOptions placeto_paper() {
  PlacetoOptions options = placeto_default();
  options.groups = 256;  // chosen: "a few hundred"
  options.rounds = 8;
  options.message_width = 0;
  options.messages = Messages::kSum;
  options.device_head = DeviceHead::kFixed;
  options.start_by_speed = false;
  options.tanh_constant = options.temperature = 1000.0;  // as good as none
  options.episodes = 8;                                  // 4 to 8 workers
  options.returns = Returns::kDrop;
  options.discount = 1.0;
  options.scale_advantage = false;
  options.reward = {RewardKind::kTime, FailingKind::kGraded, 100.0};  // graded: chosen; it has 2 s per GB over 8 GB
  options.rate = 0.001, options.rate_decay = 0.955;  // to a tenth in 500 updates, which is chosen; there in a line
  options.decay_every = 10;
  options.clip = 1.25;
  options.entropy = 1.0, options.entropy_end = 0.0;
  options.entropy_updates = 500;  // chosen
  return options;
}

MethodInfo Placeto::info() {
  return {.name = "placeto",
          .summary = "policy that improves a placement group by group (2019)",
          .why_not_general = "",
          .fields = fields_of<Options>(placeto_fields(), bound_fields(), lessons_field(), training_fields()),
          .presets = {{"default", placeto_default()}, {"paper", placeto_paper()}},
          .plain = Options(),
          .hints = placeto_hints};
}

}  // namespace berth::learn
