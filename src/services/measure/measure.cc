// SPDX-License-Identifier: Apache-2.0
#include "services/measure/measure.h"

#include <algorithm>
#include <functional>
#include <set>

#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"
#include "format/plan_file.h"
#include "measure/session.h"
#include "sim/simulator.h"

namespace berth {
namespace {

// The one that a plan was made for, by name.
Result<std::string> machine_for(const std::string& path) {
  BERTH_TRY(std::string text, read_file(path));
  Result<JsonDocument> document = JsonDocument::open(std::move(text));
  if (!document) return in_file(path, document.error());
  Result<std::string> name = document->string("machine");
  if (!name) return in_file(path, name.error());
  if (load_machine(*name)) return name;
  return bad_input("{}: it was made for machine '{}', which is not built in; say --machine", path, *name);
}

Result<std::vector<Plan>> read_plans(const std::vector<std::string>& paths, const Problem& problem) {
  std::vector<Plan> plans;
  for (const std::string& path : paths) {
    BERTH_TRY(Plan plan, load_plan_file(path, problem.graph(), problem.machine()));
    if (const auto broken = verify(problem, plan)) return within(path, *broken);
    plans.push_back(std::move(plan));
  }
  return plans;
}

Status run_all(const MeasureRequest& request, std::vector<Plan> plans, MeasureAnswer& answer, Caller& caller) {
  const Problem& problem = answer.loaded.problem;
  caller.work_begins();
  caller.show(std::string("loading the graph"));
  BERTH_TRY(const std::unique_ptr<MeasureSession> session,
            open_session(request.problem.graph, problem, request.measuring, caller));
  for (std::size_t i = 0; i < plans.size() && !(i > 0 && caller.wants_to_stop()); ++i) {
    caller.show(fmt::format("plan {} of {}", i + 1, plans.size()));
    Result<Sample> sample = session->measure(plans[i]);
    const Score predicted = simulate(problem, plans[i]);
    answer.plans.push_back({request.plans[i], std::move(plans[i]), std::move(sample), predicted});
  }
  caller.part_ends();
  return {};
}

double predicted_transfer_s(const Problem& problem, const TransferSpan& span) {
  Picoseconds sum = 0;
  for (const std::uint16_t channel : problem.machine().route(span.from, span.to)) {
    sum += problem.transfer_time(span.bytes, channel);
  }
  return to_seconds(sum);
}

// Rows of a trace: devices, then pairs of them.
class TraceRows {
 public:
  explicit TraceRows(const Machine& machine) : devices_(static_cast<int>(machine.num_devices())) {}
  [[nodiscard]] static int of(DeviceId device) { return static_cast<int>(index(device)); }
  [[nodiscard]] int of(DeviceId from, DeviceId to) const { return devices_ + of(from) * devices_ + of(to); }

 private:
  int devices_;
};

void write_span(JsonWriter& json, std::string_view name, int row, double start_s, double end_s) {
  constexpr double kMicroseconds = 1e6;
  json.begin_object().members("name", name, "ph", "X", "pid", 1, "tid", row, "ts", start_s * kMicroseconds, "dur",
                              std::max(end_s - start_s, 0.0) * kMicroseconds);
  json.end_object();
}

void write_row_name(JsonWriter& json, int row, std::string_view name) {
  json.begin_object().members("name", "thread_name", "ph", "M", "pid", 1, "tid", row);
  json.object("args", [&] { json.members("name", name); }).end_object();
}

}  // namespace

Result<MeasureAnswer> measure_plans(MeasureRequest request, Caller& caller) {
  if (!request.trace.empty() && request.plans.size() > 1) return bad_input("--trace is for one plan");
  if (request.problem.machine.empty()) {
    BERTH_TRY(request.problem.machine, machine_for(request.plans.front()));
  }
  BERTH_TRY(LoadedProblem loaded, load_problem(request.problem, caller));
  MeasureAnswer answer{.loaded = std::move(loaded)};
  const Problem& problem = answer.loaded.problem;
  if (problem.objective() != Objective::kStep) return bad_input("--objective: only steps can be measured");
  BERTH_TRY(std::vector<Plan> plans, read_plans(request.plans, problem));
  BERTH_RETURN_IF_ERROR(run_all(request, std::move(plans), answer, caller));
  const MeasuredPlan& first = answer.plans.front();
  if (!request.trace.empty() && first.sample) {
    BERTH_RETURN_IF_ERROR(write_file_atomically(request.trace, measured_trace(problem, first.plan, *first.sample)));
  }
  return answer;
}

std::vector<MeasuredFacts::Op> MeasuredFacts::slowest(std::size_t most) const {
  std::vector<Op> order = ops;
  std::ranges::stable_sort(order, std::greater(), &Op::measured_s);
  order.resize(std::min(order.size(), most));
  return order;
}

MeasuredFacts facts_of(const Problem& problem, const MeasuredPlan& measured) {
  const Sample& sample = *measured.sample;
  const std::size_t devices = problem.machine().num_devices();
  MeasuredFacts facts{.busy_s = std::vector<double>(devices), .workspaces = {}, .links = {}, .ops = {}};
  for (std::size_t i = 0; i < sample.ops.size(); ++i) {
    const OpId op = sample.ops[i].op;
    const DeviceId device = measured.plan.device(op);
    facts.busy_s[index(device)] += sample.op_s[i];
    facts.ops.push_back({op, device, sample.op_s[i], to_seconds(problem.duration(op, device))});
  }
  for (std::size_t i = 0; i < devices; ++i) {
    facts.workspaces.push_back(std::max<Bytes>(sample.peak[i] - sample.tensor_peak[i], 0));
  }
  for (const TransferSpan& span : sample.transfers) {
    MeasuredFacts::Link& link = facts.links[{span.from, span.to}];
    ++link.transfers;
    link.bytes += span.bytes;
    link.measured_s += span.end_s - span.start_s;
    link.predicted_s += predicted_transfer_s(problem, span);
  }
  facts.error = to_seconds(measured.predicted.step_time) / sample.median_s() - 1.0;
  return facts;
}

std::string measured_trace(const Problem& problem, const Plan& plan, const Sample& sample) {
  const Machine& machine = problem.machine();
  const Graph& graph = problem.graph();
  const TraceRows rows(machine);
  return json_document([&](JsonWriter& json) {
    json.key("traceEvents").begin_array(JsonLayout::kLines);
    for (const DeviceId id : machine.device_ids()) write_row_name(json, TraceRows::of(id), machine.device(id).name);
    std::set<std::pair<DeviceId, DeviceId>> pairs;
    for (const TransferSpan& span : sample.transfers) pairs.emplace(span.from, span.to);
    for (const auto& [from, to] : pairs) {
      const std::string name = fmt::format("{} > {}", machine.device(from).name, machine.device(to).name);
      write_row_name(json, rows.of(from, to), name);
    }
    for (const OpSpan& span : sample.ops) {
      write_span(json, graph.name(span.op), TraceRows::of(plan.device(span.op)), span.start_s, span.end_s);
    }
    for (const TransferSpan& span : sample.transfers) {
      write_span(json, graph.name(graph.producer(span.tensor)), rows.of(span.from, span.to), span.start_s, span.end_s);
    }
    json.end_array().members("displayTimeUnit", "ms");
  });
}

}  // namespace berth
