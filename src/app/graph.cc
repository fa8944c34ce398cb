// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/commands.h"
#include "app/flags/options.h"
#include "app/output/graph_info.h"
#include "app/output/progress.h"
#include "base/text.h"
#include "files/json/json_writer.h"
#include "format/native_graph.h"
#include "format/problem_file.h"
#include "import/graph_file.h"
#include "services/output_path.h"
#include "services/problem/problem_request.h"

namespace berth::app {
namespace {

struct GraphFlags {
  ProblemFlags problem;
  std::string output;
  bool json = false;
};

Result<Exit> run_info(const GraphFlags& flags) {
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  BERTH_TRY(const LoadedGraph loaded, load_graph(request.graph, request.import));
  const GraphFacts facts = facts_of(loaded);
  const std::vector<DimEffect> effects = effects_of_dims(request.graph, request.import, loaded);
  BERTH_RETURN_IF_ERROR(
      print(flags.json ? graph_info_json(loaded, facts, effects) : graph_info_text(loaded, facts, effects)));
  return Exit::kDone;
}

// What was written where, for people or programs.
Result<Exit> written(const GraphFlags& flags, const Graph& graph) {
  std::string text = fmt::format("{} written to {}\n", counted(graph.num_ops(), "op"), clean(flags.output));
  if (flags.json) {
    JsonWriter json;
    json.begin_object().key("output").value(flags.output).key("ops").value(graph.num_ops());
    json.key("hash").value(graph.structure_hash()).end_object();
    text = std::move(json).take();
  }
  BERTH_RETURN_IF_ERROR(print(text));
  return Exit::kDone;
}

// A name such as x.onnx would promise another format. Pipes and devices have no endings.
Status check_ending(const std::string& path) {
  std::error_code ignored;
  if (path.ends_with(".json") || path.ends_with(".json.gz") || std::filesystem::is_other(path, ignored)) return {};
  return bad_input("{}: a graph is written as .json or .json.gz; give the file such an ending", path);
}

Result<Exit> run_convert(const GraphFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output, files_of(flags.problem)));
  BERTH_RETURN_IF_ERROR(check_ending(flags.output));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  BERTH_TRY(const LoadedGraph loaded, load_graph(request.graph, request.import));
  for (const std::string& warning : warnings_about(flags.problem.graph, loaded.report)) print_note(warning);
  if (loaded.problem != nullptr) {
    return bad_input(
        "{}: its times and memory would be lost, since a graph file cannot hold them; berth graph problem"
        " writes them down",
        flags.problem.graph);
  }
  BERTH_RETURN_IF_ERROR(save_graph_file(flags.output, *loaded.graph));
  return written(flags, *loaded.graph);
}

Result<Exit> run_problem(const GraphFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output, files_of(flags.problem)));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const LoadedProblem loaded, load_problem(request, caller));
  const Problem& problem = loaded.problem;
  if (flags.output.empty()) {
    BERTH_RETURN_IF_ERROR(print(write_problem_json(problem)));
    return Exit::kDone;
  }
  BERTH_RETURN_IF_ERROR(save_problem_file(flags.output, problem));
  return written(flags, problem.graph());
}

}  // namespace

void add_graph_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<GraphFlags>();
  CLI::App* graph = app.add_subcommand("graph", "look at a graph, convert it, or write down the whole problem");
  graph->require_subcommand(1);
  graph->footer("Example:\n  berth graph info zoo:resnet-50");

  CLI::App* info = graph->add_subcommand(
      "info", "ops, flops, memory, parallelism, time on every built-in device, and what is not known");
  add_graph_argument(*info, flags->problem.graph);
  add_model_flags(*info, flags->problem);
  add_json_flag(*info, flags->json);
  info->footer(
      "Example:\n  berth graph info zoo:resnet-50,batch=64\n  berth graph info bert.onnx --dim batch=8,seq=128");
  info->callback([flags, &exit] { exit = finish(run_info(*flags)); });

  CLI::App* convert = graph->add_subcommand("convert", "write a graph in the native format");
  add_graph_argument(*convert, flags->problem.graph);
  add_model_flags(*convert, flags->problem);
  add_output_flag(*convert, flags->output, "file to write, .json or .json.gz", true);
  add_json_flag(*convert, flags->json);
  convert->footer("Example:\n  berth graph convert zoo:rnnlm -o rnnlm.json.gz");
  convert->callback([flags, &exit] { exit = finish(run_convert(*flags)); });

  CLI::App* problem = graph->add_subcommand("problem", "everything the simulator knows, in plain numbers, as JSON");
  add_problem_flags(*problem, flags->problem);
  add_output_flag(*problem, flags->output, "file to write (default: stdout)");
  add_json_flag(*problem, flags->json);
  problem->footer("Example:\n  berth graph problem zoo:rnnlm --machine k40x2 -o problem.json");
  problem->callback([flags, &exit] { exit = finish(run_problem(*flags)); });
}

}  // namespace berth::app
