// SPDX-License-Identifier: Apache-2.0
#include "fuzz/readers.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "export/training/training_exports.h"
#include "files/gzip.h"
#include "format/constraints_file.h"
#include "format/machine_toml.h"
#include "format/pipeline_file.h"
#include "format/plan_file.h"
#include "fuzz/memory_file.h"
#include "fuzz/run_readers.h"
#include "fuzz/use.h"
#include "import/costs/costs_file.h"
#include "import/graph_file.h"
#include "import/onnx/onnx_locations.h"
#include "import/onnx/onnx_model.h"
#include "import/onnx/onnx_types.h"
#include "import/onnx/onnx_writer.h"
#include "import/openvino/openvino_model.h"
#include "import/plans/foreign_plan.h"
#include "import/plans/given_placement.h"
#include "import/problems/problem_readers.h"
#include "import/problems/public_problem.h"
#include "import/pt2/exported_program.h"
#include "import/pt2/pt2_weights.h"
#include "import/tensorflow/tensorflow_graph.h"
#include "machine/library.h"
#include "model/shapes/shapes.h"
#include "services/problem/dims.h"
#include "serving/architecture.h"
#include "serving/files/device_map.h"
#include "serving/files/gguf_model.h"
#include "serving/files/hf_model.h"
#include "serving/files/llama_bench.h"
#include "serving/files/routing.h"
#include "serving/files/served_file.h"
#include "serving/presets.h"
#include "serving/workload.h"

namespace berth {
namespace {

Status read_gzip(std::string_view bytes) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  return status_of(gunzip(bytes, kMostBytes));
}

Status read_graph_json(std::string_view bytes) { return use_graph(parse_graph(std::string(bytes), "fuzz.json")); }

Status read_machine(std::string_view bytes) {
  BERTH_TRY(Machine machine, read_machine_toml(bytes, "fuzz.toml"));
  const auto again = read_machine_toml(write_machine_toml(machine), "again.toml");
  BERTH_CHECK(again.ok() && again->num_devices() == machine.num_devices());
  return status_of(make_problem(small_graph(), std::make_shared<const Machine>(std::move(machine))));
}

// With the device of a plan at every node, the file is the same model.
void check_edited(std::string_view bytes, const Model& model) {
  const auto parts = edit_onnx_model(bytes, [](const OnnxNode&) {
    return OnnxNodeEdit{.metadata = {{"device", "gpu0"}}};
  });
  if (!parts) return;  // a graph that another follows is not read
  std::string edited;
  for (const FilePart& part : *parts) edited += part.bytes.empty() ? bytes.substr(part.offset, part.size) : part.bytes;
  const auto again = read_onnx_model(edited, "again");
  BERTH_CHECK(again.ok() && again->nodes.size() == model.nodes.size() && again->values.size() == model.values.size());
}

// Exports work out types and names of files; what they cannot is an error.
void check_types(std::string_view bytes) {
  std::set<std::string, std::less<>> locations;
  (void)find_onnx_locations(bytes, OnnxMessage::kModel, locations);
  const auto types = find_onnx_types(bytes);
  if (!types) return;
  for (const auto& [name, type] : *types) BERTH_CHECK(without_shapes(type) == type);
}

Status read_onnx(std::string_view bytes) {
  auto model = read_onnx_model(bytes, "fuzz");
  if (model) {
    check_edited(bytes, *model);
    check_types(bytes);
  }
  return use_model(std::move(model));
}

constexpr std::size_t kMostGiven = 4;  // so that the rest has to follow
constexpr std::int64_t kGivenSize = 20;

Status read_openvino(std::string_view bytes) {
  auto model = read_openvino_model(bytes);
  if (!model) return model.error();
  // What windows make of sizes follows once these are given.
  Model named = *model;
  BERTH_TRY(const NamedSizes names, infer_shapes(named, {}));
  DimSizes sizes;
  for (const NamedDim& dim : names.open) {
    if (sizes.size() < kMostGiven) sizes.emplace(dim.name, kGivenSize);
  }
  return use_model(std::move(model), sizes);
}

Status read_plan(std::string_view bytes) {
  static const Problem problem = make_problem(small_graph(), some_machine()).value();
  BERTH_TRY(const Plan plan, parse_plan(std::string(bytes), "fuzz.json", problem.graph(), problem.machine()));
  return use_plan(problem, plan);
}

// Written, read again and put into the form of every framework, which may refuse it.
Status read_pipeline_file(std::string_view bytes) {
  static const Problem problem = make_problem(small_graph(), some_machine()).value();
  BERTH_TRY(const PipelinePlan plan,
            parse_pipeline(std::string(bytes), "fuzz.json", problem.graph(), problem.machine()));
  for (const ExportFormat& format : training_exports()) {
    const auto made = format.make_of_pipeline({.problem = problem, .plan = plan});
    BERTH_CHECK(made.ok() ? !made->files.empty() : !made.error().message.empty());
  }
  const std::string text = write_pipeline_json(problem.graph(), problem.machine(), plan, "labels", {});
  const auto again = parse_pipeline(text, "again.json", problem.graph(), problem.machine());
  BERTH_CHECK(again.ok() && *again == plan);
  return {};
}

Status read_archive(std::string_view bytes) {
  const MemoryFile file(bytes);
  BERTH_RETURN_IF_ERROR(status_of(read_pt2_weights(file.path())));
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

// A quarter of what the program inlines: sanitizers make the rest as slow.
constexpr std::size_t kMostInlined = 50'000;

Status read_tensorflow(std::string_view bytes) {
  return use_model(read_tensorflow_graph(bytes, "fuzz", {.max_inlined_nodes = kMostInlined}));
}

Status read_tensorflow_text(std::string_view bytes) {
  return use_model(read_tensorflow_graph_text(bytes, "fuzz", {.max_inlined_nodes = kMostInlined}));
}

Status read_costs(std::string_view bytes) { return use_costs(parse_costs(std::string(bytes), "fuzz.costs")); }

Status read_constraints(std::string_view bytes) {
  BERTH_TRY(ConstraintsFile file, parse_constraints(bytes, "fuzz.toml"));
  return use_demands(std::move(file.demands));
}

Status read_unsupported(std::string_view bytes) { return use_demands(parse_unsupported(bytes, "fuzz.csv")); }

// A line for each op, and again from the first where there are more ops.
Status read_device_fields(std::string_view bytes) {
  const std::vector<std::string_view> lines = split(bytes, '\n');
  for (const std::string_view line : lines) {
    if (!line.empty()) BERTH_RETURN_IF_ERROR(parse_device_field(line));
  }
  std::vector<std::string> device_of(layered_problem().graph().num_ops());
  for (std::size_t i = 0; i < device_of.size(); ++i) device_of[i] = lines[i % lines.size()];
  return use_devices(device_of);
}

// What stands behind --dim in the first line, the size of a dimension in names of others in the second.
Status read_dimensions(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::vector<std::string> texts{std::string(bytes.substr(0, end))};
  BERTH_TRY(const std::vector<Bucket> buckets, read_buckets(texts));
  Model model;
  const std::string symbol(bytes.substr(std::min(end + 1, bytes.size())));
  const ValueIndex x = model.add({.name = "x", .dtype = DType::kF32, .shape = Shape{{-1, "batch"}, {-1, symbol}}});
  const ValueIndex y = model.add({.name = "y"});
  model.leaves.push_back({.value = x, .role = Role::kInput});
  model.nodes.push_back({.name = "relu", .type = "Relu", .inputs = {x}, .outputs = {y}});
  model.outputs = {y};
  for (const Bucket& bucket : buckets) {
    BERTH_CHECK(bucket_path("plan.json", bucket).ends_with(".json"));
    BERTH_RETURN_IF_ERROR(use_model(model, bucket.sizes));
  }
  return {};
}

// Both graphs of the model, as far as it is small: a few bytes can ask for thousands of layers.
Status use_llm(const Result<llm::Model>& model) {
  constexpr std::int64_t kMostLayers = 64;
  if (!model) return model.error();
  if (model->config.layers > kMostLayers) return {};
  for (const llm::Phase phase : {llm::Phase::kDecode, llm::Phase::kPrefill}) {
    BERTH_RETURN_IF_ERROR(llm::build_serving_graph(*model, {.phase = phase}));
  }
  return {};
}

Status read_gguf(std::string_view bytes) {
  BERTH_TRY(const GgufHeader header, read_gguf_header(bytes));
  return use_llm(model_of_gguf(header, "fuzz"));
}

// The config.json up to the first line "---", behind it the header of safetensors.
Status read_hf(std::string_view bytes) {
  constexpr std::string_view kBetween = "---\n";
  const std::size_t end = std::min(bytes.find(kBetween), bytes.size());
  BERTH_TRY(const HfConfig config, read_hf_config(std::string(bytes.substr(0, end))));
  std::vector<StoredTensor> tensors;
  if (end < bytes.size()) {
    BERTH_TRY(tensors, read_safetensors_header(bytes.substr(end + kBetween.size())));
  }
  return use_llm(model_of_hf(config, tensors, "fuzz"));
}

Status read_index(std::string_view bytes) { return status_of(read_safetensors_index(std::string(bytes))); }

// A device map of an 8 B model; what is read is written and read again.
Status read_map(std::string_view bytes) {
  static const llm::Model model = llm::build_model("m", llm::find_preset("llama-8b")->config, "q4_0");
  static const std::shared_ptr<const Machine> machine = some_machine();
  const RuntimeDevices devices(*machine);
  BERTH_TRY(const llm::Placement placement, read_device_map(std::string(bytes), model, devices));
  const auto again = read_device_map(write_device_map(model, devices, placement), model, devices);
  BERTH_CHECK(again.ok() && *again == placement);
  return {};
}

// Which experts of a small mixture are picked how often; every share is one.
Status read_routing(std::string_view bytes) {
  llm::Config config;
  config.layers = 3;
  config.dense_layers = 1;
  config.experts = 4;
  config.experts_used = 2;
  BERTH_TRY(const llm::Routing routing, llm::read_routing(std::string(bytes), config));
  for (const std::vector<double>& picks : routing.picks) {
    for (const double share : picks) BERTH_CHECK(share >= 0.0 && share <= 1.0);
  }
  return {};
}

// What runs have shown of a machine, and back.
Status read_learned(std::string_view bytes) {
  static const Machine machine = builtin_machine("rtx4090-3060").value();
  BERTH_TRY(const std::vector<ServedShares> served, read_served(bytes, "fuzz.toml", machine));
  const auto again = read_served(write_served(machine, served), "again.toml", machine);
  BERTH_CHECK(again.ok() && *again == served);
  return {};
}

Status read_speeds(std::string_view bytes) {
  BERTH_TRY(const std::vector<BenchSpeed> speeds, read_bench_speeds(std::string(bytes)));
  for (const BenchSpeed& speed : speeds)
    BERTH_CHECK(speed.tokens_per_s > 0.0 && speed.prompt >= 0 && speed.answer >= 0);
  return {};
}

// Of one of three graphs: layered_problem(), an ONNX file, or a TensorFlow graph, which is what the bytes are if they
// begin with a node.
Status read_foreign(std::string_view bytes) {
  const std::string text(bytes);
  const bool is_graph = bytes.starts_with("node");
  const NamedMemoryFile file(bytes, is_graph ? "plan.pbtxt" : "plan.txt");
  if (!is_foreign_plan(file.path(), text)) return bad_input("it is a plan of ours");
  Status answer;
  for (const PlacedGraph& graph : placed_graphs()) {
    if (graph.source.ends_with(".pbtxt") != is_graph) continue;
    const ForeignPlanRequest request{file.path(), graph.problem, graph.source};
    const auto plan = read_foreign_plan(text, request);
    answer = plan ? use_plan(graph.problem, plan->given.plan) : plan.error();
    if (answer) return answer;
  }
  return answer;
}

// Formats that one reader tells apart have a row each, so that each has seeds and a share of the time.
constexpr std::array kReaders{
    FuzzedReader{"aten_graph", read_graph_json},
    FuzzedReader{"bench_speeds", read_speeds},
    FuzzedReader{"berth_graph", read_graph_json},
    FuzzedReader{"berth_pipeline", read_pipeline_file},
    FuzzedReader{"berth_plan", read_plan},
    FuzzedReader{"berth_problem", read_problem},
    FuzzedReader{"checkpoint", read_checkpoint},
    FuzzedReader{"chrome_trace", read_costs},
    FuzzedReader{"constraints", read_constraints},
    FuzzedReader{"csv_costs", read_costs},
    FuzzedReader{"device_field", read_device_fields},
    FuzzedReader{"device_map", read_map},
    FuzzedReader{"dims", read_dimensions},
    FuzzedReader{"foreign_plan", read_foreign},
    FuzzedReader{"gguf", read_gguf},
    FuzzedReader{"gzip", read_gzip},
    FuzzedReader{"heft_problem", read_heft},
    FuzzedReader{"hf_model", read_hf},
    FuzzedReader{"machine", read_machine},
    FuzzedReader{"msr_problem", read_problem},
    FuzzedReader{"onnx", read_onnx},
    FuzzedReader{"onnxruntime_profile", read_costs},
    FuzzedReader{"openvino", read_openvino},
    FuzzedReader{"openvino_times", read_costs},
    FuzzedReader{"pipedream_problem", read_problem},
    FuzzedReader{"pt2_archive", read_archive},
    FuzzedReader{"pt2_program", read_program},
    FuzzedReader{"routing", read_routing},
    FuzzedReader{"run_config", read_run_config},
    FuzzedReader{"run_metrics", read_run_metrics},
    FuzzedReader{"safetensors_index", read_index},
    FuzzedReader{"served", read_learned},
    FuzzedReader{"stg_problem", read_problem},
    FuzzedReader{"tensorflow", read_tensorflow},
    FuzzedReader{"tensorflow_text", read_tensorflow_text},
    FuzzedReader{"unsupported_ops", read_unsupported},
};

}  // namespace

std::span<const FuzzedReader> fuzzed_readers() { return kReaders; }

const FuzzedReader* find_fuzzed_reader(std::string_view name) {
  const auto found = std::ranges::find(kReaders, name, &FuzzedReader::name);
  return found != kReaders.end() ? &*found : nullptr;
}

}  // namespace berth
