// SPDX-License-Identifier: Apache-2.0
#include "services/export/write_graph.h"

#include <filesystem>

#include "format/native_graph.h"

namespace berth {
namespace {

// A name such as x.onnx would promise another format. Pipes and devices have no endings.
Status check_ending(const std::string& path) {
  std::error_code ignored;
  if (path.ends_with(".json") || path.ends_with(".json.gz") || std::filesystem::is_other(path, ignored)) return {};
  return bad_input("{}: a graph is written as .json or .json.gz; give the file such an ending", path);
}

}  // namespace

Result<std::shared_ptr<const Graph>> convert_graph(const ProblemRequest& request, const std::string& output,
                                                   Caller& caller) {
  BERTH_RETURN_IF_ERROR(check_ending(output));
  BERTH_TRY(const LoadedGraph loaded, load_graph(request.graph, request.import));
  for (const std::string& warning : warnings_about(request.graph, loaded.report)) caller.note(warning);
  if (loaded.problem != nullptr) {
    return bad_input(
        "{}: its times and memory would be lost, since a graph file cannot hold them; berth graph problem"
        " writes them down",
        request.graph);
  }
  BERTH_RETURN_IF_ERROR(save_graph_file(output, *loaded.graph));
  return loaded.graph;
}

}  // namespace berth
