// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "app/flags/options.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "files/output_path.h"
#include "format/problem_file.h"
#include "services/export/write_graph.h"
#include "services/export/write_problem.h"
#include "services/json/graph_json.h"
#include "services/words.h"

namespace berth::app {
namespace {

struct GraphFlags {
  ProblemFlags problem;
  std::string output;
  bool json = false;
};

std::string roles_text(const GraphFacts& facts) {
  std::vector<std::string> words;
  for (const auto& [role, count] : facts.roles) words.push_back(fmt::format("{} {}", group_digits(count), role));
  return join(words, ", ");
}

// "x f32[8,512]"
std::string tensor_text(const Graph& graph, const NamedTensor& named) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : graph.shape(named.tensor)) sizes.push_back(fmt::format("{}", size));
  return fmt::format("{} {}[{}]", named.name, name_of(graph.dtype(named.tensor)), join(sizes, ","));
}

std::string tensors_text(const Graph& graph, const std::vector<NamedTensor>& tensors) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> words;
  for (const NamedTensor& tensor : tensors) words.push_back(tensor_text(graph, tensor));
  return words.empty() ? "none" : some_of(words, kMost);
}

std::string parameters_text(const Graph& graph, const GraphFacts& facts) {
  return fmt::format("{} in {}, {}", format_count(facts.parameters), counted(facts.parameter_tensors, "tensor"),
                     format_bytes(graph.parameter_bytes()));
}

// Files differ in what is an edge: those of ONNX run between nodes alone, exported programs count weights and inputs.
std::string edges_text(const Graph& graph) {
  return fmt::format("{}, one per tensor and reader; the source has {} and {} by its own count",
                     group_digits(graph.num_edges()), counted(graph.source_nodes(), "node"),
                     counted(graph.source_edges(), "edge"));
}

std::string parallelism_text(const Parallelism& shape) {
  std::string text = fmt::format("{} on the longest path, {:.3g} side by side on average, {} at most",
                                 counted(shape.depth, "compute op"), shape.width(), group_digits(shape.widest));
  if (shape.path_s > 0.0) {
    text += fmt::format("; on {} the work is {:.3g}x the critical path", shape.device, shape.work_over_path());
  }
  return text;
}

std::string unknown_text(const GraphFacts& facts) {
  constexpr std::size_t kMost = 6;
  if (facts.unknown.empty()) return "none";
  std::vector<std::string> words;
  for (const auto& [type, count] : facts.unknown) words.push_back(fmt::format("{} ({})", type, group_digits(count)));
  return fmt::format("{}: priced by their bytes, {} of the work on {}", some_of(words, kMost),
                     percent(facts.unknown_share), facts.parallelism.device);
}

std::string branches_text(const LowerReport& report) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> words;
  for (const auto& [node, branch] : report.branches_taken) words.push_back(fmt::format("{} ({})", node, branch));
  return fmt::format("the file does not say which one runs; the one with more nodes counts: {}", some_of(words, kMost));
}

// What the file leaves open, and what that does to the numbers.
void add_report(Table& facts, const LowerReport& report, std::span<const DimEffect> effects) {
  constexpr std::size_t kMostDims = 6, kMostValues = 3;
  std::vector<std::string> dims;
  for (const NamedDim& dim : report.dims) {
    dims.push_back(fmt::format("{} = {} ({}, {})", dim.name, dim.size, dim.where, name_of_source(dim.source)));
  }
  if (!dims.empty()) facts.add({"sizes", some_of(dims, kMostDims)});
  for (const DimEffect& effect : effects) {
    facts.add(
        {"assumed", fmt::format("{} counts as 1; 2 would make {:.3g}x the flops, {:.3g}x the activations (--dim {}=2)",
                                effect.name, effect.flops, effect.activations, effect.name)});
  }
  if (!report.branches_taken.empty()) facts.add({"branches", branches_text(report)});
  if (!report.left_out.empty()) {
    facts.add({"left out", fmt::format("nodes that are no part of the step: {}", left_out_text(report))});
  }
  if (report.unknown_shapes.empty()) return;
  facts.add({"unknown sizes",
             fmt::format("{} counted as nothing, so times and memory are too small: {}",
                         counted(report.unknown_shapes.size(), "value"), some_of(report.unknown_shapes, kMostValues))});
}

std::string types_table(const GraphFacts& facts) {
  constexpr std::size_t kMost = 12;
  Table table = Table::headed({"type", ">ops", ">flops"});
  for (const TypeUse& use : std::span(facts.types).first(std::min(facts.types.size(), kMost))) {
    table.add({std::string(use.type), group_digits(use.count), use.flops > 0.0 ? format_count(use.flops) : "-"});
  }
  const std::size_t more = facts.types.size() > kMost ? facts.types.size() - kMost : 0;
  return table.text() + (more > 0 ? fmt::format("... and {} more types\n", more) : "");
}

// Several devices a line, the fastest first; those that do not run all ops come last.
std::string devices_table(const GraphFacts& facts) {
  constexpr std::size_t kPerLine = 4;
  std::vector<DeviceEstimate> devices = facts.devices;
  std::ranges::stable_sort(devices, [](const DeviceEstimate& a, const DeviceEstimate& b) {
    if ((a.unsupported_ops == 0) != (b.unsupported_ops == 0)) return a.unsupported_ops == 0;
    return a.time_s < b.time_s;
  });
  std::vector<Table::Align> columns(2 * kPerLine, Table::Align::kLeft);
  for (std::size_t i = 1; i < columns.size(); i += 2) columns[i] = Table::Align::kRight;
  Table table(columns);
  std::vector<std::string> line;
  bool is_any_full = false;
  for (const DeviceEstimate& device : devices) {
    const bool runs_all = device.unsupported_ops == 0;
    const bool is_full = runs_all && !facts.fits(device);
    is_any_full = is_any_full || is_full;
    line.push_back(device.name);
    line.push_back(runs_all ? format_seconds(device.time_s) + (is_full ? "*" : " ")
                            : fmt::format("not {} ", counted(device.unsupported_ops, "op")));
    if (line.size() == 2 * kPerLine) table.add(std::exchange(line, {}));
  }
  if (!line.empty()) table.add(line);
  return fmt::format("on one device, ops one after the other\n{}{}", table.text("  "),
                     is_any_full ? "  * more than its memory\n" : "");
}

// Inference has no optimiser, whatever the file says.
std::string what_stays(const Graph& graph) {
  for (const OpId op : graph.ops()) {
    if (graph.is_trained(op)) return fmt::format("with the optimiser's copies ({})", name_of(graph.optimizer()));
  }
  return "of parameters, buffers and constants";
}

std::string graph_info_text(const GraphAnswer& answer) {
  const auto& [loaded, facts, effects] = answer;
  const Graph& graph = *loaded.graph;
  Table table = Table::of_facts();
  table.add({"title", graph.title()});
  table.add({"hash", graph.structure_hash()});
  table.add({"ops", fmt::format("{} ({})", group_digits(graph.num_ops()), roles_text(facts))});
  table.add({"edges", edges_text(graph)});
  table.add({"inputs", tensors_text(graph, facts.inputs)});
  table.add({"outputs", tensors_text(graph, facts.outputs)});
  if (const Problem* problem = loaded.problem.get()) {
    table.add({"problem", fmt::format("objective {} on {}: {}", objective_name(problem->objective()),
                                      problem->machine().name(), problem->machine().description())});
  }
  table.add({"flops", format_count(graph.total_flops())});
  table.add({"parameters", parameters_text(graph, facts)});
  table.add({"resident", fmt::format("{} {}", format_bytes(facts.resident_bytes), what_stays(graph))});
  table.add({"activations", format_bytes(facts.activation_bytes) + " made by compute ops in one step"});
  if (facts.peak_bytes) table.add({"peak memory", format_bytes(*facts.peak_bytes) + " on one device"});
  table.add({"parallelism", parallelism_text(facts.parallelism)});
  table.add({"unknown types", unknown_text(facts)});
  if (loaded.report) add_report(table, *loaded.report, effects);
  return fmt::format("{}\n{}\n{}", table.text(), types_table(facts), devices_table(facts));
}

Result<Exit> run_info(const GraphFlags& flags) {
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  BERTH_TRY(const GraphAnswer answer, look_at_graph(request.graph, request.import));
  return printed(flags.json ? graph_json(answer) : graph_info_text(answer));
}

// What was written where, for people or programs.
Result<Exit> written(const GraphFlags& flags, const Graph& graph) {
  if (!flags.json) {
    return printed(fmt::format("{} written to {}\n", counted(graph.num_ops(), "op"), clean(flags.output)));
  }
  return printed(written_graph_json(flags.output, graph));
}

Result<Exit> run_convert(const GraphFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output, files_of(flags.problem)));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const auto graph, convert_graph(request, flags.output, caller));
  return written(flags, *graph);
}

Result<Exit> run_problem(const GraphFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output, files_of(flags.problem)));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const LoadedProblem loaded, load_problem(request, caller));
  if (flags.output.empty()) return printed(write_problem_json(loaded.problem));
  BERTH_RETURN_IF_ERROR(save_problem(flags.output, loaded.problem));
  return written(flags, loaded.problem.graph());
}

void add_info_command(CLI::App& graph, Exit& exit) {
  auto [command, flags] = add_command<GraphFlags>(
      graph, exit, "info", "ops, flops, memory, parallelism, time on every built-in device, and what is not known",
      run_info);
  add_graph_argument(command, flags.problem.graph);
  add_model_flags(command, flags.problem);
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth graph info zoo:resnet-50,batch=64\n  berth graph info bert.onnx --dim batch=8,seq=128");
}

void add_convert_command(CLI::App& graph, Exit& exit) {
  auto [command, flags] =
      add_command<GraphFlags>(graph, exit, "convert", "write a graph in the native format", run_convert);
  add_graph_argument(command, flags.problem.graph);
  add_model_flags(command, flags.problem);
  add_output_flag(command, flags.output, "file to write, .json or .json.gz")->required();
  add_json_flag(command, flags.json);
  command.footer("Example:\n  berth graph convert zoo:rnnlm -o rnnlm.json.gz");
}

void add_problem_command(CLI::App& graph, Exit& exit) {
  auto [command, flags] = add_command<GraphFlags>(
      graph, exit, "problem", "everything the simulator knows, in plain numbers, as JSON or arrays", run_problem);
  add_problem_flags(command, flags.problem);
  add_output_flag(command, flags.output, "file to write: .json, .json.gz, or .npz for NumPy (default: JSON to stdout)");
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth graph problem zoo:rnnlm --machine k40x2 -o problem.json\n"
      "  berth graph problem zoo:rnnlm --machine k40x2 -o problem.npz");
}

}  // namespace

void add_graph_command(CLI::App& app, Exit& exit) {
  CLI::App* graph = app.add_subcommand("graph", "look at a graph, convert it, or write down the whole problem");
  graph->require_subcommand(1);
  graph->footer("Example:\n  berth graph info zoo:resnet-50");
  add_info_command(*graph, exit);
  add_convert_command(*graph, exit);
  add_problem_command(*graph, exit);
}

}  // namespace berth::app
