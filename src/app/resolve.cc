// SPDX-License-Identifier: Apache-2.0
#include "app/resolve.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "io/files.h"
#include "io/graph_file.h"
#include "io/machine_toml.h"
#include "machine/library.h"
#include "zoo/zoo.h"

namespace berth::app {
namespace {

constexpr std::string_view kZoo = "zoo:";

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool looks_like_path(const std::string& text) {
  return text.ends_with(".toml") || text.find('/') != std::string::npos || exists(text);
}

// "nmt-4" for "zoo:nmt-4" is the slip everybody makes.
Result<std::shared_ptr<const Graph>> no_such_graph(const std::string& text) {
  const std::string_view name = std::string_view(text).substr(0, text.find(','));
  const bool is_model = std::ranges::any_of(zoo_models(), [&](const ModelInfo& model) { return model.name == name; });
  if (is_model) return bad_input("no file '{}'; did you mean 'zoo:{}'?", text, text);
  return bad_input("no file '{}'; give a graph file or a model of the zoo (berth models lists them)", text);
}

}  // namespace

Result<std::shared_ptr<const Graph>> resolve_graph(const std::string& text) {
  if (text.starts_with(kZoo)) {
    BERTH_TRY(Graph graph, build_zoo_model(std::string_view(text).substr(kZoo.size())));
    return std::make_shared<const Graph>(std::move(graph));
  }
  if (!exists(text)) return no_such_graph(text);
  BERTH_TRY(Graph graph, load_graph_file(text));
  return std::make_shared<const Graph>(std::move(graph));
}

Result<std::shared_ptr<const Machine>> resolve_machine(const std::string& text) {
  if (!looks_like_path(text)) {
    BERTH_TRY(Machine machine, builtin_machine(text));
    return std::make_shared<const Machine>(std::move(machine));
  }
  BERTH_TRY(const std::string contents, read_file(text));
  BERTH_TRY(Machine machine, read_machine_toml(contents, text));
  return std::make_shared<const Machine>(std::move(machine));
}

Result<Problem> resolve_problem(const std::string& graph, const std::string& machine) {
  // The machine first: its errors are quick to find.
  BERTH_TRY(std::shared_ptr<const Machine> resolved_machine, resolve_machine(machine));
  BERTH_TRY(std::shared_ptr<const Graph> resolved_graph, resolve_graph(graph));
  return make_problem(std::move(resolved_graph), std::move(resolved_machine));
}

}  // namespace berth::app
