// SPDX-License-Identifier: Apache-2.0
#include "fuzz/readers.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "cost/problem.h"
#include "fuzz/memory_file.h"
#include "graph/builder.h"
#include "io/graph_file.h"
#include "io/gzip.h"
#include "io/machine_toml.h"
#include "io/native_graph.h"
#include "io/onnx/onnx_model.h"
#include "io/openvino/execution_graph.h"
#include "io/openvino/hsdag_graph.h"
#include "io/openvino/openvino_model.h"
#include "io/plan_file.h"
#include "io/problem_file.h"
#include "io/problem_readers.h"
#include "io/pt2/exported_program.h"
#include "io/public_problem.h"
#include "io/tensorflow/tensorflow_graph.h"
#include "machine/library.h"
#include "model/lower.h"

namespace berth {
namespace {

template <typename T>
Status status_of(const Result<T>& result) {
  if (!result) return result.error();
  return {};
}

std::shared_ptr<const Machine> some_machine() {
  static const auto machine = std::make_shared<const Machine>(builtin_machine("k40x2").value());
  return machine;
}

// A graph that was read can be written, unless a name is no UTF-8, and then read again.
void check_round_trip(const Graph& graph) {
  const auto text = write_graph_json(graph);
  if (!text) return;
  const auto again = parse_graph(*text, "again.json");
  BERTH_CHECK(again.ok() && again->structure_hash() == graph.structure_hash());
}

Status use_graph(Result<Graph> graph) {
  if (!graph) return graph.error();
  check_round_trip(*graph);
  return status_of(make_problem(std::make_shared<const Graph>(*std::move(graph)), some_machine()));
}

Status use_model(Result<Model> model) {
  if (!model) return model.error();
  auto lowered = lower(*std::move(model));
  if (!lowered) return lowered.error();
  return use_graph(std::move(lowered->graph));
}

Status use_problem(const Result<Problem>& problem) {
  if (!problem) return problem.error();
  BERTH_CHECK(!write_problem_json(*problem).empty());
  return {};
}

Status read_gzip(std::string_view bytes) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  return status_of(gunzip(bytes, kMostBytes));
}

Status read_graph_json(std::string_view bytes) { return use_graph(parse_graph(std::string(bytes), "fuzz.json")); }

// relu(x * w). The seeds of plans state its hash.
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

Status read_machine(std::string_view bytes) {
  BERTH_TRY(Machine machine, read_machine_toml(bytes, "fuzz.toml"));
  const auto again = read_machine_toml(write_machine_toml(machine), "again.toml");
  BERTH_CHECK(again.ok() && again->num_devices() == machine.num_devices());
  return status_of(make_problem(small_graph(), std::make_shared<const Machine>(std::move(machine))));
}

Status read_onnx(std::string_view bytes) { return use_model(read_onnx_model(bytes, "fuzz")); }

Status read_openvino(std::string_view bytes) {
  const bool is_hsdag_graph = read_hsdag_graph(bytes).ok();
  auto model = read_openvino_model(bytes);
  BERTH_CHECK(is_hsdag_graph || !model.ok());  // it asks for less
  return use_model(std::move(model));
}

Status read_openvino_times(std::string_view bytes) { return status_of(read_execution_graph(bytes)); }

Status read_plan(std::string_view bytes) {
  static const Problem problem = make_problem(small_graph(), some_machine()).value();
  BERTH_TRY(const Plan plan, parse_plan(std::string(bytes), "fuzz.json", problem.graph(), problem.machine()));
  if (auto error = verify(problem, plan)) return *std::move(error);
  const std::string text = write_plan_json(problem.graph(), problem.machine(), plan, {});
  return status_of(parse_plan(text, "again.json", problem.graph(), problem.machine()));
}

Status read_archive(std::string_view bytes) {
  const MemoryFile file(bytes);
  return use_model(read_exported_program(file.path()));
}

Status read_program(std::string_view bytes) {
  return use_model(parse_exported_program(std::string(bytes), "fuzz.pt2"));
}

Status read_problem(std::string_view bytes) {
  return use_problem(parse_public_problem(std::string(bytes), "fuzz.txt"));
}

// The three files one after the other, with a line "---" behind the first and the second.
Status read_heft(std::string_view bytes) {
  constexpr std::string_view kBetween = "---\n";
  const auto next = [&] {
    const std::size_t end = bytes.find(kBetween);
    std::string text(bytes.substr(0, end));
    bytes.remove_prefix(std::min(text.size() + kBetween.size(), bytes.size()));
    return text;
  };
  HeftFiles files;
  files.connectivity = {"tasks.csv", next()};
  files.times = {"times.csv", next()};
  files.bandwidths = {"processors.csv", next()};
  return use_problem(read_heft_problem(files, "fuzz"));
}

Status read_tensorflow(std::string_view bytes) { return use_model(read_tensorflow_graph(bytes, "fuzz")); }
Status read_tensorflow_text(std::string_view bytes) { return use_model(read_tensorflow_graph_text(bytes, "fuzz")); }

// Formats that one reader tells apart have a row each, so that each has seeds and a share of the time.
constexpr std::array kReaders{
    FuzzedReader{"aten_graph", read_graph_json},
    FuzzedReader{"berth_graph", read_graph_json},
    FuzzedReader{"berth_plan", read_plan},
    FuzzedReader{"berth_problem", read_problem},
    FuzzedReader{"gzip", read_gzip},
    FuzzedReader{"heft_problem", read_heft},
    FuzzedReader{"machine", read_machine},
    FuzzedReader{"msr_problem", read_problem},
    FuzzedReader{"onnx", read_onnx},
    FuzzedReader{"openvino", read_openvino},
    FuzzedReader{"openvino_times", read_openvino_times},
    FuzzedReader{"pipedream_problem", read_problem},
    FuzzedReader{"pt2_archive", read_archive},
    FuzzedReader{"pt2_program", read_program},
    FuzzedReader{"stg_problem", read_problem},
    FuzzedReader{"tensorflow", read_tensorflow},
    FuzzedReader{"tensorflow_text", read_tensorflow_text},
};

}  // namespace

std::span<const FuzzedReader> fuzzed_readers() { return kReaders; }

const FuzzedReader* find_fuzzed_reader(std::string_view name) {
  const auto found = std::ranges::find(kReaders, name, &FuzzedReader::name);
  return found != kReaders.end() ? &*found : nullptr;
}

}  // namespace berth
