// SPDX-License-Identifier: Apache-2.0
// The lower bounds of the rows of bench/planners_suite.toml, kind by kind, and how much time of a processor they take.
// Memory factors make no difference to a bound and are left out.
//
//   bounds_bench [word ...]          the rows with one of the words in their name; all without
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "files/files.h"
#include "files/toml.h"
#include "sim/bounds/bounds.h"
#include "workloads.h"

namespace berth::bench {
namespace {

std::string text_of(const TomlValue& row, std::string_view key) {
  const TomlValue* value = row.find(key);
  return value != nullptr ? value->text : std::string();
}

void print_row(const std::string& graph, const std::string& machine) {
  constexpr std::string_view kCaptured = "captured:";
  const bool captured = graph.starts_with(kCaptured);
  const Problem problem =
      bench::problem(captured ? fmt::format("captured/{}.json.gz", graph.substr(kCaptured.size())) : graph, machine);
  const std::clock_t begin = std::clock();
  const LowerBound bound = lower_bound(problem);
  const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::string text = fmt::format("| {} on {} | {} |", graph, machine, group_digits(problem.graph().num_ops()));
  for (std::size_t kind = 0; kind + 2 < kBoundKinds; ++kind)
    text += fmt::format(" {} |", format_time(bound.of_kind[kind]));
  text += fmt::format(" {} | {} | {} |", format_time(bound.value()), name_of(bound.kind()), format_seconds(took));
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

int run(const std::vector<std::string>& words) {
  std::string head = "| row | ops |", rule = "| --- | ---: |";
  for (std::size_t kind = 0; kind + 2 < kBoundKinds; ++kind) {
    head += fmt::format(" {} |", name_of(static_cast<BoundKind>(kind)));
    rule += " ---: |";
  }
  std::printf("%s the bound | which is | found in |\n%s ---: | --- | ---: |\n", head.c_str(), rule.c_str());
  const TomlValue suite = value_or_exit(
      parse_toml(value_or_exit(read_file(BERTH_SOURCE_DIR "/bench/planners_suite.toml")), "planners_suite.toml"));
  for (const TomlValue& row : suite.find("rows")->items) {
    const std::string graph = text_of(row, "graph"), machine = text_of(row, "machine");
    const auto matches = [&](const std::string& word) {
      return (graph + " on " + machine).find(word) != std::string::npos;
    };
    if (words.empty() || std::ranges::any_of(words, matches)) print_row(graph, machine);
  }
  return 0;
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) { return berth::bench::run(std::vector<std::string>(argv + 1, argv + argc)); }
