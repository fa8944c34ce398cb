// SPDX-License-Identifier: Apache-2.0
#include "app/output/measured_output.h"

#include <array>
#include <cmath>

#include "app/output/output.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "services/words.h"

namespace berth::app {
namespace {

std::string signed_percent(double share) {
  return fmt::format("{}{}", share < 0 ? "-" : "+", percent(std::abs(share)));
}

std::string busy_table(const Problem& problem, const MeasuredPlan& measured, const MeasuredFacts& facts) {
  const Machine& machine = problem.machine();
  Table table = Table::headed({"device", ">busy", ">predicted", ">peak memory", ">predicted", ">workspaces"});
  for (const DeviceId id : machine.device_ids()) {
    const DeviceUse& use = measured.predicted.devices[index(id)];
    table.add({machine.device(id).name, format_seconds(facts.busy_s[index(id)]), format_time(use.busy),
               format_bytes(measured.sample->peak[index(id)]), format_bytes(use.peak),
               format_bytes(facts.workspaces[index(id)])});
  }
  return table.text();
}

std::string transfer_table(const Machine& machine, const MeasuredFacts& facts) {
  if (facts.links.empty()) return "";
  Table table = Table::headed({"from > to", ">transfers", ">bytes", ">busy", ">predicted"});
  for (const auto& [pair, link] : facts.links) {
    table.add({fmt::format("{} > {}", machine.device(pair.first).name, machine.device(pair.second).name),
               group_digits(link.transfers), format_bytes(link.bytes), format_seconds(link.measured_s),
               format_seconds(link.predicted_s)});
  }
  return fmt::format("\n{}", table.text());
}

std::string slowest_table(const Problem& problem, const MeasuredFacts& facts) {
  constexpr std::size_t kSlowest = 8;
  Table table = Table::headed({"slowest ops", "device", ">measured", ">predicted"});
  for (const MeasuredFacts::Op& op : facts.slowest(kSlowest)) {
    table.add({std::string(problem.graph().name(op.op)), problem.machine().device(op.device).name,
               format_seconds(op.measured_s), format_seconds(op.predicted_s)});
  }
  return fmt::format("\n{}", table.text());
}

void write_facts(JsonWriter& json, const Problem& problem, const MeasuredPlan& measured, const MeasuredFacts& facts) {
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

}  // namespace

std::string measured_page(const Problem& problem, const MeasuredPlan& measured) {
  const Sample& sample = *measured.sample;
  const MeasuredFacts facts = facts_of(problem, measured);
  std::string page = headline(problem) + "\n";
  page += fmt::format("measured step   {} (median of {}, spread {})\n", bold(format_seconds(sample.median_s())),
                      counted(sample.steps_s.size(), "run"), percent(sample.spread()));
  const auto range = step_range(problem.machine(), measured.predicted);
  page += fmt::format("predicted step  {} ({}){}{}\n\n", format_time(measured.predicted.step_time),
                      signed_percent(facts.error), range ? ", 9 of 10 real steps take " + range_text(*range) : "",
                      measured.predicted.feasible ? "" : ", and that it does not fit in memory");
  return page + busy_table(problem, measured, facts) + transfer_table(problem.machine(), facts) +
         slowest_table(problem, facts);
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
  write_facts(json, problem, measured, facts);
}

}  // namespace berth::app
