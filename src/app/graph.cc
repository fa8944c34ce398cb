// SPDX-License-Identifier: Apache-2.0
#include "app/flags/options.h"
#include "app/output/graph_info.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "files/json/json_writer.h"
#include "files/output_path.h"
#include "format/problem_file.h"
#include "services/export/write_graph.h"

namespace berth::app {
namespace {

struct GraphFlags {
  ProblemFlags problem;
  std::string output;
  bool json = false;
};

Result<Exit> run_info(const GraphFlags& flags) {
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  BERTH_TRY(const GraphAnswer answer, look_at_graph(request.graph, request.import));
  return printed(flags.json ? graph_info_json(answer) : graph_info_text(answer));
}

// What was written where, for people or programs.
Result<Exit> written(const GraphFlags& flags, const Graph& graph) {
  if (!flags.json) {
    return printed(fmt::format("{} written to {}\n", counted(graph.num_ops(), "op"), clean(flags.output)));
  }
  JsonWriter json;
  json.begin_object().members("output", flags.output, "ops", graph.num_ops(), "hash", graph.structure_hash());
  json.end_object();
  return printed(std::move(json).take());
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
  BERTH_RETURN_IF_ERROR(save_problem_file(flags.output, loaded.problem));
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
      graph, exit, "problem", "everything the simulator knows, in plain numbers, as JSON", run_problem);
  add_problem_flags(command, flags.problem);
  add_output_flag(command, flags.output, "file to write (default: stdout)");
  add_json_flag(command, flags.json);
  command.footer("Example:\n  berth graph problem zoo:rnnlm --machine k40x2 -o problem.json");
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
