// SPDX-License-Identifier: Apache-2.0
#include "services/json/measured_json.h"

#include <array>

#include "files/json/json_writer.h"
#include "ops/cost_class.h"
#include "services/plan/outcome.h"

namespace berth {
namespace {

void write_measured_facts(JsonWriter& json, const Problem& problem, const MeasuredPlan& measured,
                          const MeasuredFacts& facts) {
  const auto name = [&](DeviceId id) { return problem.machine().device(id).name; };
  json.objects("devices", problem.machine().device_ids(), [&](DeviceId id) {
    const DeviceUse& use = measured.predicted.devices[index(id)];
    json.members("name", name(id), "busy_s", facts.busy_s[index(id)], "predicted_busy_s", to_seconds(use.busy),
                 "peak_bytes", measured.sample->peak[index(id)], "tensor_peak_bytes",
                 measured.sample->tensor_peak[index(id)], "workspace_bytes", facts.workspaces[index(id)],
                 "predicted_peak_bytes", use.peak);
  });
  json.objects("links", facts.links, [&](const auto& entry) {
    const auto& [pair, link] = entry;
    json.members("from", name(pair.first), "to", name(pair.second), "transfers", link.transfers, "bytes", link.bytes,
                 "busy_s", link.measured_s, "predicted_busy_s", link.predicted_s);
  });
  json.objects("ops", facts.ops, [&](const MeasuredFacts::Op& op) {
    json.members("name", problem.graph().name(op.op), "device", name(op.device), "measured_s", op.measured_s,
                 "predicted_s", op.predicted_s);
  });
}

void write_measured(JsonWriter& json, const Problem& problem, const MeasuredPlan& measured) {
  json.members("plan", measured.path);
  if (!measured.sample) {
    json.members("failed", measured.sample.error().message).key("measured_step_s").null();
    return;
  }
  const Sample& sample = *measured.sample;
  const MeasuredFacts facts = facts_of(problem, measured);
  json.key("failed").null();
  json.members("graph", problem.graph().title(), "machine", problem.machine().name());
  json.members("measured_step_s", sample.median_s(), "spread", sample.spread()).list("runs_s", sample.steps_s);
  json.members("predicted_step_s", to_seconds(measured.predicted.step_time));
  if (const auto range = step_range(problem.machine(), measured.predicted)) {
    json.list("predicted_range_s", std::array{range->low_s, range->high_s});
  }
  json.members("predicted_feasible", measured.predicted.feasible, "error", facts.error, "checksum", sample.checksum);
  write_measured_facts(json, problem, measured, facts);
}

}  // namespace

std::string measure_json(const MeasureAnswer& answer) {
  return json_document([&](JsonWriter& json) {
    const auto write = [&](const MeasuredPlan& plan) { write_measured(json, answer.loaded.problem, plan); };
    if (answer.plans.size() > 1) {
      json.objects("plans", answer.plans, write, JsonLayout::kLines);
    } else {
      write(answer.plans.front());
    }
  });
}

std::string calibrate_json(const CalibrateAnswer& answer) {
  const Problem& problem = answer.loaded.problem;
  const Machine& machine = problem.machine();
  const auto name = [&](DeviceId id) { return machine.device(id).name; };
  return json_document([&](JsonWriter& json) {
    json.members("graph", problem.graph().title(), "machine", machine.name());
    json.objects("runs", answer.runs, [&](const CheckedRun& run) {
      json.members("plan", run.plan, "measured_s", run.measured_s, "before_s", run.before_s, "after_s", run.after_s);
    });
    json.list("failed", answer.failed, JsonLayout::kLines);
    json.objects("classes", answer.fits.classes, [&](const ClassFit& fit) {
      json.members("class", name_of(fit.cost_class), "device", name(fit.device), "ops", fit.ops, "factor", fit.factor,
                   "error_before", fit.error_before, "error_after", fit.error_after);
    });
    json.objects("links", answer.fits.links, [&](const LinkFit& fit) {
      json.members("from", name(fit.from), "to", name(fit.to), "transfers", fit.transfers, "latency_s", fit.latency_s,
                   "bytes_per_s", fit.bytes_per_s);
    });
    json.members("handover_s", answer.fits.handover_s);
    json.object("overhead_s", [&] {
      for (const DeviceId id : machine.device_ids()) json.members(name(id), answer.fits.overhead_s[index(id)]);
    });
    if (const auto& accuracy = answer.fits.accuracy) json.list("accuracy", std::array{accuracy->low, accuracy->high});
  });
}

}  // namespace berth
