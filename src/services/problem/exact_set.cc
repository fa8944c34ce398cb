// SPDX-License-Identifier: Apache-2.0
#include "services/problem/exact_set.h"

#include <algorithm>

#include "base/text.h"
#include "files/files.h"
#include "files/gzip.h"
#include "files/json/json_reader.h"

namespace berth {
namespace {

constexpr std::string_view kExact = "exact:", kEnding = ".json.gz", kOptima = "optima.json";

std::string_view embedded(std::string_view name) {
  const auto files = exact_set_files();
  const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
  return file == files.end() ? std::string_view() : file->bytes;
}

Result<std::vector<ExactProblem>> read_optima() {
  std::vector<ExactProblem> problems;
  BERTH_TRY(JsonDocument document, JsonDocument::open(std::string(embedded(kOptima))));
  BERTH_TRY(const JsonValue optima, document.member("step_time_s"));
  const auto take = [&](std::string_view name, const JsonValue& value) -> Status {
    BERTH_TRY(const double seconds, value.number());
    problems.push_back({std::string(name), to_picoseconds(seconds)});
    return {};
  };
  BERTH_RETURN_IF_ERROR(optima.for_each_member(take));
  std::ranges::sort(problems, {}, &ExactProblem::name);
  return problems;
}

}  // namespace

const std::vector<ExactProblem>& exact_problems() {
  static const std::vector<ExactProblem> kProblems = read_optima().value();
  return kProblems;
}

std::optional<std::string_view> exact_problem_name(std::string_view graph) {
  if (!graph.starts_with(kExact)) return std::nullopt;
  return graph.substr(kExact.size());
}

Result<Problem> load_exact_problem(std::string_view name, const ProblemOverrides& request) {
  const std::string file = fmt::format("{}{}", name, kEnding);
  const std::string_view packed = embedded(file);
  if (packed.empty()) {
    std::vector<std::string> names;
    for (const ExactProblem& problem : exact_problems()) names.push_back(problem.name);
    return bad_input("no problem of the exact set is named '{}'{} (berth bench --list --suite exact lists all {})",
                     name, did_you_mean(name, names), names.size());
  }
  Result<std::string> text = gunzip(packed, kMaxFileBytes);
  if (!text) return within(fmt::format("{}{}", kExact, name), text.error());
  return parse_public_problem(*std::move(text), file, request);
}

}  // namespace berth
