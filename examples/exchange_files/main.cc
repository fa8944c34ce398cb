// SPDX-License-Identifier: Apache-2.0
// Files in and out: a machine of your own as text, a graph from a file, a constraint in ids, and the plan, the graph
// and the whole problem as files that other programs read.
//
//   exchange_files FOLDER [GRAPH]     GRAPH: .onnx, .pt2, .pb, .xml, or JSON of ours; the zoo's rnnlm if none is given
#include <berth/base/kinds.h>
#include <berth/base/result.h>
#include <berth/format/machine_toml.h>
#include <berth/format/native_graph.h>
#include <berth/format/plan_file.h>
#include <berth/format/problem_file.h>
#include <berth/graph/graph.h>
#include <berth/import/graph_file.h>
#include <berth/import/model_file.h>
#include <berth/machine/machine.h>
#include <berth/plan/planners.h>
#include <berth/plan/search/search.h>
#include <berth/problem/constraints.h>
#include <berth/problem/problem.h>
#include <berth/zoo/zoo.h>
#include <fmt/core.h>

using namespace berth;

constexpr std::string_view kMachine = R"(
name = "desk"
[[devices]]
name = "cpu"
model = "ryzen-7950x"
[[devices]]
name = "gpu0"
model = "rtx4090"
[[devices]]
name = "gpu1"
model = "rtx3060"
[[links]]
from = "cpu"
to = "gpu0"
bandwidth = "25 GB/s"
latency = "11 us"
[[links]]
from = "cpu"
to = "gpu1"
bandwidth = "12 GB/s"
latency = "11 us"
)";

Result<Graph> graph_of(const std::string& path) {
  if (path.empty()) return build_zoo_model("rnnlm,batch=16,unroll=5");
  if (!is_model_file(path)) return load_graph_file(path);
  BERTH_TRY(Lowered lowered, import_model(path));
  return std::move(lowered.graph);
}

// The first weight stays where it can be looked at: on the CPU.
Constraints first_weight_on(const Graph& graph, DeviceId cpu) {
  Constraints constraints;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kParameter) continue;
    constraints.pins.push_back({op, cpu});
    break;
  }
  return constraints;
}

Status exchange(const std::string& folder, const std::string& path) {
  BERTH_TRY(auto made, graph_of(path));
  BERTH_RETURN_IF_ERROR(save_graph_file(folder + "/graph.json.gz", made));
  BERTH_TRY(auto graph, load_graph_file(folder + "/graph.json.gz"));
  BERTH_TRY(auto machine, read_machine_toml(kMachine, "desk.toml"));
  const DeviceId cpu = *machine.first_of(DeviceKind::kCpu);
  Constraints constraints = first_weight_on(graph, cpu);
  BERTH_TRY(const Problem problem, make_problem(std::make_shared<const Graph>(std::move(graph)),
                                                std::make_shared<const Machine>(std::move(machine)), constraints));
  BERTH_RETURN_IF_ERROR(save_problem_file(folder + "/problem.json.gz", problem));

  Search search(problem, Budget{.evaluations = 200});
  BERTH_TRY(const Plan plan, find_classical_planner("auto")->make()->plan(search));
  const std::string plan_path = folder + "/plan.json";
  const double seconds = to_seconds(search.best_score().step_time);
  BERTH_RETURN_IF_ERROR(save_plan_file(plan_path, problem.graph(), problem.machine(), plan,
                                       {.planner = "auto", .objective_value_s = seconds, .step_time_s = seconds}));
  BERTH_TRY(const Plan read, load_plan_file(plan_path, problem.graph(), problem.machine()));
  if (const auto broken = verify(problem, read)) return within(plan_path, *broken);
  fmt::print("{} ops, hash {}\n", problem.graph().num_ops(), problem.graph().structure_hash());
  for (const Constraints::Pin& pin : problem.constraints().pins) {
    fmt::print("{} is on {}\n", problem.graph().name(pin.op), problem.machine().device(read.device(pin.op)).name);
  }
  fmt::print("what was read is {}what was written\n", read == plan ? "" : "not ");
  return {};
}

int main(int argc, char** argv) {
  const Status status =
      argc < 2 ? bad_input("exchange_files FOLDER [GRAPH]") : exchange(argv[1], argc > 2 ? argv[2] : "");
  if (!status.ok()) fmt::print(stderr, "{}\n", status.error().message);
  return status.ok() ? 0 : 1;
}
