// SPDX-License-Identifier: Apache-2.0
#include "import/problems/public_problem.h"

#include <filesystem>

#include "files/files.h"
#include "files/text_lines.h"
#include "import/file_kind.h"
#include "import/graph_document.h"
#include "import/problems/problem_readers.h"

namespace berth {
namespace {

Result<GraphOrProblem> read_json(std::string text, const std::string& path, const ProblemOverrides& request) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(std::move(text)));
  if (is_msr(document)) {
    BERTH_TRY(Problem problem, read_msr_problem(std::move(document), title_from(path), request));
    return GraphOrProblem(std::make_shared<const Problem>(std::move(problem)));
  }
  if (!document.has("format")) return bad_input("it has no \"format\"; {}", kReadableFiles);
  BERTH_TRY(const std::string format, document.string("format"));
  if (format == kProblemFormat) {
    BERTH_TRY(Problem problem, read_berth_problem(std::move(document), title_from(path), request));
    return GraphOrProblem(std::make_shared<const Problem>(std::move(problem)));
  }
  BERTH_TRY(Graph graph, read_graph_document(std::move(document), path));
  return GraphOrProblem(std::make_shared<const Graph>(std::move(graph)));
}

// Profiles are all called graph.txt: their folder says what they are.
std::string title_of_profile(const std::string& path) {
  const std::string title = title_from(path), folder = std::filesystem::path(path).parent_path().filename().string();
  return title == "graph" && !folder.empty() ? folder : title;
}

Result<Problem> read_lines(const std::string& text, const std::string& path, const ProblemOverrides& request) {
  const std::string_view first = TextLines(text, '#').next().value_or("");
  if (looks_like_stg(first)) return read_stg_problem(text, title_from(path), request);
  if (looks_like_pipedream(first)) return read_pipedream_problem(text, title_of_profile(path), request);
  return bad_input("it is of no known format; {}", kReadableFiles);
}

Result<GraphOrProblem> read_text(std::string text, const std::string& path, const ProblemOverrides& request) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string::npos) return bad_input("it is empty; {}", kReadableFiles);
  if (text[first] == '{') return read_json(std::move(text), path, request);
  BERTH_TRY(Problem problem, read_lines(text, path, request));
  return GraphOrProblem(std::make_shared<const Problem>(std::move(problem)));
}

// Of read_text(), with the file's name.
Result<GraphOrProblem> parse(std::string text, const std::string& path, const ProblemOverrides& request) {
  auto result = read_text(std::move(text), path, request);
  if (!result) return in_file(path, result.error());
  return result;
}

Result<Problem> problem_of(const GraphOrProblem& loaded, const std::string& path) {
  if (const auto* problem = std::get_if<std::shared_ptr<const Problem>>(&loaded)) return **problem;
  return in_file(path, bad_input("it is a graph; a public problem is expected"));
}

}  // namespace

Result<GraphOrProblem> load_graph_or_problem(const std::string& path, const ProblemOverrides& request) {
  BERTH_TRY(std::string text, read_file(path));
  if (!looks_like_heft(TextLines(text).next().value_or(""))) return parse(std::move(text), path, request);
  BERTH_TRY(Problem problem, load_heft_problem(path, request));
  return GraphOrProblem(std::make_shared<const Problem>(std::move(problem)));
}

Result<Problem> load_public_problem(const std::string& path, const ProblemOverrides& request) {
  BERTH_TRY(const GraphOrProblem loaded, load_graph_or_problem(path, request));
  return problem_of(loaded, path);
}

Result<Problem> parse_public_problem(std::string text, const std::string& file_name, const ProblemOverrides& request) {
  BERTH_TRY(const GraphOrProblem loaded, parse(std::move(text), file_name, request));
  return problem_of(loaded, file_name);
}

Status check_objective(const ProblemOverrides& request, Objective own, std::string_view why) {
  if (request.objective.value_or(own) == own) return {};
  return bad_input("the objective '{}' does not suit it: {}; leave --objective out or say {}",
                   objective_name(*request.objective), why, objective_name(own));
}

Status check_no_machine(const ProblemOverrides& request, std::string_view why) {
  if (request.machine == nullptr) return {};
  return bad_input("the machine '{}' does not suit it: {}; leave --machine out", request.machine->name(), why);
}

TensorSpec tensor_of_bytes(Bytes bytes) { return {DType::kU8, {bytes}}; }

}  // namespace berth
