// SPDX-License-Identifier: Apache-2.0
#include "fuzz/use.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "files/files.h"
#include "format/native_graph.h"
#include "format/plan_file.h"
#include "format/problem_file.h"
#include "fuzz/memory_file.h"
#include "graph/builder.h"
#include "import/graph_file.h"
#include "import/model_file.h"
#include "import/onnx/onnx_writer.h"
#include "import/plans/given_placement.h"
#include "import/plans/ort_settings.h"
#include "machine/library.h"
#include "model/lower.h"
#include "problem/demands/clash.h"
#include "problem/demands/resolve.h"

namespace berth {
namespace {

Graph make_layered_graph() {
  const TensorSpec row{DType::kF32, {1, 64}}, square{DType::kF32, {64, 64}};
  GraphBuilder builder("layered");
  OpId last = builder.add({.name = "x", .type = "input", .role = Role::kInput, .outputs = {row}});
  for (const std::string layer : {"net.0", "net.1"}) {
    const std::string names[] = {fmt::format("{}.weight", layer), fmt::format("{}.mm", layer),
                                 fmt::format("{}.relu", layer)};
    const OpId weight = builder.add({.name = names[0],
                                     .type = "parameter",
                                     .role = Role::kParameter,
                                     .outputs = {square},
                                     .module = layer,
                                     .label = names[0]});
    const OpId product = builder.add({.name = names[1],
                                      .type = "aten.mm.default",
                                      .inputs = {{last, 0}, {weight, 0}},
                                      .outputs = {row},
                                      .flops = 2.0 * 64 * 64,
                                      .module = layer});
    last = builder.add(
        {.name = names[2], .type = "aten.relu.default", .inputs = {{product, 0}}, .outputs = {row}, .module = layer});
  }
  return std::move(builder).build().value();
}

std::shared_ptr<const Graph> layered_graph() {
  static const auto graph = std::make_shared<const Graph>(make_layered_graph());
  return graph;
}

// A graph that was read can be written, unless a name is no UTF-8, and then read again.
void check_round_trip(const Graph& graph) {
  const auto text = write_graph_json(graph);
  if (!text) return;
  const auto again = parse_graph(*text, "again.json");
  BERTH_CHECK(again.ok() && again->structure_hash() == graph.structure_hash());
}

// The placement of a file is a legal plan, if the machine has the devices.
Status check_given(const Problem& problem, std::span<const std::string> device_of) {
  BERTH_TRY(const GivenPlacement given, given_placement(problem, device_of));
  BERTH_CHECK(!verify(problem, given.plan));
  return {};
}

// A seed of ONNX, every other node of which belongs to a layer.
std::string annotated_onnx() {
  const std::string bytes = read_file(BERTH_FUZZ_SEEDS "/onnx/layers.onnx").value();
  int nodes = 0;
  const auto parts = edit_onnx_model(bytes, [&](const OnnxNode&) {
    OnnxNodeEdit edit;
    if (++nodes % 2 == 0) edit.metadata = {{std::string(kLayerAnnotation), nodes < 5 ? "encoder" : "head"}};
    return edit;
  });
  std::string edited;
  for (const FilePart& part : parts.value())
    edited += part.bytes.empty() ? bytes.substr(part.offset, part.size) : part.bytes;
  return edited;
}

Problem imported_problem(const std::string& path) {
  Lowered lowered = import_model(path, {}).value();
  return make_problem(std::make_shared<const Graph>(std::move(lowered.graph)), some_machine()).value();
}

void expect_answer(const Status& status) { BERTH_CHECK(status.ok() || !status.error().message.empty()); }

}  // namespace

std::shared_ptr<const Machine> some_machine() {
  static const auto machine = std::make_shared<const Machine>(builtin_machine("k40x2").value());
  return machine;
}

std::shared_ptr<const Graph> small_graph() {
  static const auto graph = [] {
    const TensorSpec row{DType::kF32, {64}};
    GraphBuilder builder("small");
    const OpId x = builder.add({.name = "x", .type = "input", .role = Role::kInput, .outputs = {row}});
    const OpId w = builder.add({.name = "w", .type = "parameter", .role = Role::kParameter, .outputs = {row}});
    const OpId product = builder.add({.name = "mul", .type = "mul", .inputs = {{x, 0}, {w, 0}}, .outputs = {row}});
    builder.add({.name = "relu", .type = "relu", .inputs = {{product, 0}}, .outputs = {row}});
    return std::make_shared<const Graph>(std::move(builder).build().value());
  }();
  return graph;
}

const Problem& layered_problem() {
  static const Problem problem = make_problem(layered_graph(), some_machine()).value();
  return problem;
}

std::span<const PlacedGraph> placed_graphs() {
  static const NamedMemoryFile onnx(annotated_onnx(), "model.onnx");
  static const std::string graph = BERTH_FUZZ_SEEDS "/tensorflow_text/layers.pbtxt";
  static const Problem of_onnx = imported_problem(onnx.path()), of_graph = imported_problem(graph);
  static const std::array<PlacedGraph, 3> graphs{{{layered_problem(), ""}, {of_onnx, onnx.path()}, {of_graph, graph}}};
  return graphs;
}

Status use_graph(Result<Graph> graph) {
  if (!graph) return graph.error();
  check_round_trip(*graph);
  return status_of(make_problem(std::make_shared<const Graph>(*std::move(graph)), some_machine()));
}

Status use_model(Result<Model> model, const DimSizes& sizes) {
  if (!model) return model.error();
  BERTH_TRY(Lowered lowered, lower(*std::move(model), {.dims = sizes}));
  check_round_trip(lowered.graph);
  BERTH_TRY(const Problem problem,
            make_problem(std::make_shared<const Graph>(std::move(lowered.graph)), some_machine()));
  if (!lowered.device_of.empty()) expect_answer(check_given(problem, lowered.device_of));
  return {};
}

Status use_problem(const Result<Problem>& problem) {
  if (!problem) return problem.error();
  BERTH_CHECK(!write_problem_json(*problem).empty());
  return {};
}

Status use_costs(Result<CostsFile> costs) {
  if (!costs) return costs.error();
  const Problem& problem = layered_problem();
  const std::span<const CostsFile> files(&*costs, 1);
  expect_answer(status_of(match_costs(problem.graph(), problem.machine(), files)));
  costs->device = "gpu";  // where the file does not say it
  BERTH_TRY(const MatchedCosts matched, match_costs(problem.graph(), problem.machine(), files));
  return status_of(make_problem(layered_graph(), some_machine(), matched.costs));
}

Status use_demands(const Result<std::vector<Demand>>& demands) {
  if (!demands) return demands.error();
  const Problem& problem = layered_problem();
  BERTH_TRY(const auto resolved, resolve_demands(problem.graph(), problem.machine(), *demands));
  BERTH_TRY(const Problem constrained, constrain(problem, resolved));
  Plan plan;
  plan.device_of.assign(problem.graph().num_ops(), DeviceId{0});
  if (find_broken(problem, plan, resolved))
    BERTH_CHECK(verify(constrained, plan));  // all demands rule out what one does
  if (const auto clash = find_memory_clash(problem, resolved)) return bad_input("{}", *clash);
  return {};
}

Status use_plan(const Problem& problem, const Plan& plan) {
  if (auto error = verify(problem, plan)) return *std::move(error);
  const std::string text = write_plan_json(problem.graph(), problem.machine(), plan, {});
  return status_of(parse_plan(text, "again.json", problem.graph(), problem.machine()));
}

Status use_devices(std::span<const std::string> device_of) { return check_given(layered_problem(), device_of); }

}  // namespace berth
