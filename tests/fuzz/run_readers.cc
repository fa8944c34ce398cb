// SPDX-License-Identifier: Apache-2.0
#include "fuzz/run_readers.h"

#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "graph/builder.h"
#include "machine/machine.h"
#include "problem/problem.h"
#include "runs/check_state.h"
#include "runs/checkpoint.h"
#include "runs/metrics.h"
#include "runs/run_config.h"

namespace berth {
namespace {

Device device_named(const std::string& name) {
  Device device;
  device.name = name;
  device.memory = 64;
  device.flops_per_s = {{DType::kF32, 1.0}};
  device.bytes_per_s = 8.0;
  return device;
}

// a (2 s) -> b (3 s or, on the second device, 1 s). The seeds of checkpoints have plans of it, with their scores.
Problem make_timed_problem() {
  GraphBuilder builder("timed");
  const OpId a = builder.add({.name = "a", .type = "op", .outputs = {{DType::kF32, {1}}}});
  builder.add({.name = "b", .type = "op", .inputs = {{a, 0}}, .outputs = {{DType::kF32, {2}}}});
  const Link link{.from = "p", .to = "q", .bytes_per_s = 2.0, .latency_s = 1.0};
  Machine machine = Machine::make("timed", "", {device_named("p"), device_named("q")}, {}, {}, {link}).value();
  return make_problem(std::make_shared<const Graph>(std::move(builder).build().value()),
                      std::make_shared<const Machine>(std::move(machine)),
                      ExplicitCosts{.time_s = {{2.0, 2.0}, {3.0, 1.0}}, .compute_s = {}})
      .value();
}

const Problem& timed_problem() {
  static const Problem problem = make_timed_problem();
  return problem;
}

}  // namespace

// As it is, and with the length and the checksum put right. A run of timed_problem() goes on from it.
Status read_checkpoint(std::string_view bytes) {
  static const learn::TrainState fresh = [] {
    learn::TrainState state;
    state.layout = {{"bias", {1}}, {"weight", {2, 1}}};
    state.values.resize(3);
    return state;
  }();
  auto checkpoint = learn::parse_checkpoint(bytes, "");
  if (!checkpoint) {
    const int version = bytes.starts_with("berth-checkpoint/2") ? 2 : 3;
    checkpoint = learn::parse_checkpoint(learn::sealed_checkpoint(learn::contents_of_checkpoint(bytes), version), "");
  }
  if (!checkpoint) return checkpoint.error();
  const std::string written = learn::checkpoint_bytes(*checkpoint);
  const auto again = learn::parse_checkpoint(written, checkpoint->fingerprint);
  const bool has_layout = !checkpoint->state.layout.empty() || checkpoint->state.values.empty();
  BERTH_CHECK(!has_layout || (again.ok() && learn::checkpoint_bytes(*again) == written));
  const Problem* const problems[] = {&timed_problem()};
  return learn::check_state(checkpoint->state, fresh, problems, 1);
}

Status read_run_config(std::string_view bytes) {
  BERTH_TRY(const learn::RunConfig config, learn::read_config(std::string(bytes), "config.json"));
  const std::string written = learn::write_config(config);
  const auto again = learn::read_config(written, "again.json");
  BERTH_CHECK(again.ok() && learn::write_config(*again) == written && again->fingerprint() == config.fingerprint());
  return {};
}

// Of a run that has made three updates.
Status read_run_metrics(std::string_view bytes) {
  constexpr learn::Progress kDone{3, 24};
  BERTH_TRY(const std::size_t kept, learn::metrics_to_keep(bytes, kDone));
  BERTH_CHECK(kept <= bytes.size() && learn::metrics_to_keep(bytes.substr(0, kept), kDone).value() == kept);
  return {};
}

}  // namespace berth
