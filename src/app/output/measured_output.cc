// SPDX-License-Identifier: Apache-2.0
#include "app/output/measured_output.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "app/output/output.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "files/json/json_writer.h"
#include "services/words.h"

namespace berth::app {
namespace {

constexpr std::size_t kSlowest = 8;
constexpr double kMicroseconds = 1e6;

struct LinkFacts {
  std::size_t transfers = 0;
  Bytes bytes = 0;
  double measured_s = 0.0, predicted_s = 0.0;
};
using Links = std::map<std::pair<DeviceId, DeviceId>, LinkFacts>;

double predicted_transfer_s(const Problem& problem, const TransferSpan& span) {
  Picoseconds sum = 0;
  for (const std::uint16_t channel : problem.machine().route(span.from, span.to)) {
    sum += problem.transfer_time(span.bytes, channel);
  }
  return to_seconds(sum);
}

Links links_of(const MeasuredPlan& measured) {
  Links links;
  for (const TransferSpan& span : measured.sample.transfers) {
    LinkFacts& facts = links[{span.from, span.to}];
    ++facts.transfers;
    facts.bytes += span.bytes;
    facts.measured_s += span.end_s - span.start_s;
    facts.predicted_s += predicted_transfer_s(measured.problem, span);
  }
  return links;
}

std::vector<double> busy_of(const MeasuredPlan& measured) {
  std::vector<double> busy_s(measured.problem.machine().num_devices());
  for (std::size_t i = 0; i < measured.sample.ops.size(); ++i) {
    busy_s[index(measured.plan.device(measured.sample.ops[i].op))] += measured.sample.op_s[i];
  }
  return busy_s;
}

double predicted_op_s(const MeasuredPlan& measured, OpId op) {
  return to_seconds(measured.problem.duration(op, measured.plan.device(op)));
}

double error_of(const MeasuredPlan& measured) {
  return to_seconds(measured.predicted.step_time) / measured.sample.median_s() - 1.0;
}

Bytes workspace(const Sample& sample, std::size_t device) {
  return std::max<Bytes>(sample.peak[device] - sample.tensor_peak[device], 0);
}

std::string signed_percent(double share) {
  return fmt::format("{}{}", share < 0 ? "-" : "+", percent(std::abs(share)));
}

std::string measured_devices_table(const MeasuredPlan& measured) {
  using enum Table::Align;
  const Machine& machine = measured.problem.machine();
  const std::vector<double> busy_s = busy_of(measured);
  Table table({kLeft, kRight, kRight, kRight, kRight, kRight});
  table.add({"device", "busy", "predicted", "peak memory", "predicted", "workspaces"});
  for (const DeviceId id : machine.device_ids()) {
    const DeviceUse& use = measured.predicted.devices[index(id)];
    table.add({machine.device(id).name, format_seconds(busy_s[index(id)]), format_seconds(to_seconds(use.busy)),
               format_bytes(measured.sample.peak[index(id)]), format_bytes(use.peak),
               format_bytes(workspace(measured.sample, index(id)))});
  }
  return table.text();
}

std::string measured_links_table(const MeasuredPlan& measured) {
  using enum Table::Align;
  const Links links = links_of(measured);
  if (links.empty()) return "";
  const Machine& machine = measured.problem.machine();
  Table table({kLeft, kRight, kRight, kRight, kRight});
  table.add({"from > to", "transfers", "bytes", "busy", "predicted"});
  for (const auto& [pair, facts] : links) {
    table.add({fmt::format("{} > {}", machine.device(pair.first).name, machine.device(pair.second).name),
               group_digits(facts.transfers), format_bytes(facts.bytes), format_seconds(facts.measured_s),
               format_seconds(facts.predicted_s)});
  }
  return fmt::format("\n{}", table.text());
}

std::string op_table(const MeasuredPlan& measured) {
  using enum Table::Align;
  std::vector<std::size_t> order(measured.sample.ops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return measured.sample.op_s[i]; });
  order.resize(std::min(order.size(), kSlowest));
  Table table({kLeft, kLeft, kRight, kRight});
  table.add({"slowest ops", "device", "measured", "predicted"});
  for (const std::size_t i : order) {
    const OpId op = measured.sample.ops[i].op;
    table.add({std::string(measured.problem.graph().name(op)),
               measured.problem.machine().device(measured.plan.device(op)).name,
               format_seconds(measured.sample.op_s[i]), format_seconds(predicted_op_s(measured, op))});
  }
  return fmt::format("\n{}", table.text());
}

void write_measured_devices(JsonWriter& json, const MeasuredPlan& measured) {
  const Machine& machine = measured.problem.machine();
  const std::vector<double> busy_s = busy_of(measured);
  json.key("devices").begin_array(JsonLayout::kLines);
  for (const DeviceId id : machine.device_ids()) {
    const DeviceUse& use = measured.predicted.devices[index(id)];
    json.begin_object().key("name").value(machine.device(id).name).key("busy_s").value(busy_s[index(id)]);
    json.key("predicted_busy_s").value(to_seconds(use.busy)).key("peak_bytes").value(measured.sample.peak[index(id)]);
    json.key("tensor_peak_bytes").value(measured.sample.tensor_peak[index(id)]);
    json.key("workspace_bytes").value(workspace(measured.sample, index(id)));
    json.key("predicted_peak_bytes").value(use.peak).end_object();
  }
  json.end_array();
}

void write_measured_links(JsonWriter& json, const MeasuredPlan& measured) {
  const Machine& machine = measured.problem.machine();
  json.key("links").begin_array(JsonLayout::kLines);
  for (const auto& [pair, facts] : links_of(measured)) {
    json.begin_object().key("from").value(machine.device(pair.first).name);
    json.key("to").value(machine.device(pair.second).name).key("transfers").value(facts.transfers);
    json.key("bytes").value(facts.bytes).key("busy_s").value(facts.measured_s);
    json.key("predicted_busy_s").value(facts.predicted_s).end_object();
  }
  json.end_array();
}

void write_ops(JsonWriter& json, const MeasuredPlan& measured) {
  json.key("ops").begin_array(JsonLayout::kLines);
  for (std::size_t i = 0; i < measured.sample.ops.size(); ++i) {
    const OpId op = measured.sample.ops[i].op;
    json.begin_object().key("name").value(measured.problem.graph().name(op)).key("device");
    json.value(measured.problem.machine().device(measured.plan.device(op)).name);
    json.key("measured_s").value(measured.sample.op_s[i]);
    json.key("predicted_s").value(predicted_op_s(measured, op)).end_object();
  }
  json.end_array();
}

void write_span(JsonWriter& json, std::string_view name, int row, double start_s, double end_s) {
  json.begin_object().key("name").value(name).key("ph").value("X").key("pid").value(1).key("tid").value(row);
  json.key("ts").value(start_s * kMicroseconds).key("dur").value(std::max(end_s - start_s, 0.0) * kMicroseconds);
  json.end_object();
}

void write_row_name(JsonWriter& json, int row, std::string_view name) {
  json.begin_object().key("name").value("thread_name").key("ph").value("M").key("pid").value(1).key("tid").value(row);
  json.key("args").begin_object().key("name").value(name).end_object().end_object();
}

}  // namespace

std::string measured_page(const MeasuredPlan& measured) {
  const Sample& sample = measured.sample;
  std::string page = headline(measured.problem) + "\n";
  page += fmt::format("measured step   {} (median of {}, spread {})\n", bold(format_seconds(sample.median_s())),
                      counted(sample.steps_s.size(), "run"), percent(sample.spread()));
  const auto range = step_range(measured.problem.machine(), measured.predicted);
  page +=
      fmt::format("predicted step  {} ({}){}{}\n\n", format_seconds(to_seconds(measured.predicted.step_time)),
                  signed_percent(error_of(measured)), range ? ", 9 of 10 real steps take " + range_text(*range) : "",
                  measured.predicted.feasible ? "" : ", and that it does not fit in memory");
  return page + measured_devices_table(measured) + measured_links_table(measured) + op_table(measured);
}

void write_measured(JsonWriter& json, const MeasuredPlan& measured) {
  const Sample& sample = measured.sample;
  json.key("graph").value(measured.problem.graph().title()).key("machine").value(measured.problem.machine().name());
  json.key("measured_step_s").value(sample.median_s()).key("spread").value(sample.spread());
  json.key("runs_s").begin_array();
  for (const double seconds : sample.steps_s) json.value(seconds);
  json.end_array().key("predicted_step_s").value(to_seconds(measured.predicted.step_time));
  if (const auto range = step_range(measured.problem.machine(), measured.predicted)) {
    json.key("predicted_range_s").begin_array().value(range->low_s).value(range->high_s).end_array();
  }
  json.key("predicted_feasible").value(measured.predicted.feasible).key("error").value(error_of(measured));
  json.key("checksum").value(sample.checksum);
  write_measured_devices(json, measured);
  write_measured_links(json, measured);
  write_ops(json, measured);
}

std::string measured_trace(const MeasuredPlan& measured) {
  const Machine& machine = measured.problem.machine();
  const auto devices = static_cast<int>(machine.num_devices());
  const auto row_of = [&](const TransferSpan& span) {
    return devices + static_cast<int>(index(span.from)) * devices + static_cast<int>(index(span.to));
  };
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("traceEvents").begin_array(JsonLayout::kLines);
  for (const DeviceId id : machine.device_ids())
    write_row_name(json, static_cast<int>(index(id)), machine.device(id).name);
  for (const auto& [pair, facts] : links_of(measured)) {
    const int row = devices + static_cast<int>(index(pair.first)) * devices + static_cast<int>(index(pair.second));
    write_row_name(json, row,
                   fmt::format("{} > {}", machine.device(pair.first).name, machine.device(pair.second).name));
  }
  for (const OpSpan& span : measured.sample.ops) {
    write_span(json, measured.problem.graph().name(span.op), static_cast<int>(index(measured.plan.device(span.op))),
               span.start_s, span.end_s);
  }
  for (const TransferSpan& span : measured.sample.transfers) {
    const Graph& graph = measured.problem.graph();
    write_span(json, graph.name(graph.producer(span.tensor)), row_of(span), span.start_s, span.end_s);
  }
  json.end_array().key("displayTimeUnit").value("ms").end_object();
  return std::move(json).take();
}

}  // namespace berth::app
