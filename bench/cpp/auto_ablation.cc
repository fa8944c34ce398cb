// SPDX-License-Identifier: Apache-2.0
// What the parts of `auto` are worth: each is switched off in turn on the seven rows of bench/planners_suite.toml that
// say `ablation = true`. Prints a Markdown table of step times over those of the whole `auto`, geometric means over
// seeds; above 1 means that the part helps.
//
//   auto_ablation [seconds per run, 10] [seeds, 2]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "files/files.h"
#include "files/toml.h"
#include "plan/auto.h"
#include "workloads.h"

namespace berth::bench {
namespace {

struct Row {
  std::string name;
  Problem problem;
};

struct Variant {
  std::string name;
  AutoOptions options;
};

std::string text_of(const TomlValue& row, std::string_view key) {
  const TomlValue* value = row.find(key);
  return value != nullptr ? value->text : std::string();
}

Row load_row(const TomlValue& row) {
  const std::string graph = text_of(row, "graph"), machine = text_of(row, "machine");
  if (row.find("memory") != nullptr) {
    std::fprintf(stderr, "%s: rows with a memory factor cannot be in the ablation\n", graph.c_str());
    std::exit(2);
  }
  constexpr std::string_view kCaptured = "captured:", kZoo = "zoo:";
  const bool captured = graph.starts_with(kCaptured);
  const std::string bare = graph.substr(captured ? kCaptured.size() : kZoo.size());
  return {fmt::format("{}{} on {}", captured ? "captured " : "", bare, machine),
          problem(captured ? fmt::format("captured/{}.json.gz", bare) : graph, machine)};
}

std::vector<Row> load_rows() {
  const std::string text = value_or_exit(read_file(BERTH_SOURCE_DIR "/bench/planners_suite.toml"));
  const TomlValue suite = value_or_exit(parse_toml(text, "planners_suite.toml"));
  std::vector<Row> rows;
  for (const TomlValue& row : suite.find("rows")->items) {
    const TomlValue* chosen = row.find("ablation");
    if (chosen != nullptr && chosen->boolean) rows.push_back(load_row(row));
  }
  return rows;
}

// The whole comes first. `single` stays a member in all: it is what makes `auto` never worse than one device.
std::vector<Variant> variants() {
  const AutoOptions whole;
  std::vector<Variant> all{{"whole", whole}};
  const auto add = [&](std::string name, auto change) {
    AutoOptions options = whole;
    change(options);
    all.push_back({std::move(name), std::move(options)});
  };
  add("without refinement", [](AutoOptions& options) { options.refine = false; });
  add("without search by lists", [](AutoOptions& options) { options.list_search = false; });
  add("without condensed problems", [](AutoOptions& options) { options.condense = false; });
  add("without levels of layers", [](AutoOptions& options) { options.refinement.layers = false; });
  add("without levels of groups", [](AutoOptions& options) { options.refinement.groups = false; });
  add("without the level of single units", [](AutoOptions& options) { options.refinement.units = false; });
  add("without priorities", [](AutoOptions& options) { options.refinement.priorities = false; });
  add("without moves at the critical path",
      [](AutoOptions& options) { options.refinement.moves.critical_path = false; });
  add("without moves of the order", [](AutoOptions& options) { options.refinement.moves.order = false; });
  add("without relief of full memory", [](AutoOptions& options) { options.refinement.moves.relief = false; });
  add("without balance of work", [](AutoOptions& options) { options.refinement.moves.balance = false; });
  add("without streamed weights", [](AutoOptions& options) { options.streamed_start = false; });
  for (const Member& member : whole.members) {
    if (member.is_fallback || member.without_overlap) continue;  // all rows overlap
    const auto is_it = [&](const Member& other) { return other.planner == member.planner; };
    add(fmt::format("without start `{}`", member.planner),
        [&](AutoOptions& options) { std::erase_if(options.members, is_it); });
  }
  add("start `single` alone", [](AutoOptions& options) {
    std::erase_if(options.members, [](const Member& member) { return !member.is_fallback; });
  });
  add("with a level of repeated layers", [](AutoOptions& options) { options.refinement.repeats = true; });
  return all;
}

// Geometric mean over the seeds; infinity if one of them has no plan that fits.
double step_time(const Row& row, const Variant& variant, double seconds, int seeds) {
  double logarithms = 0.0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Search search(row.problem, {.time_s = seconds, .seed = static_cast<std::uint64_t>(seed)});
    static_cast<void>(value_or_exit(AutoPlanner(variant.options).plan(search)));
    if (!search.best_score().feasible) return INFINITY;
    logarithms += std::log(to_seconds(search.best_score().step_time));
  }
  return std::exp(logarithms / seeds);
}

std::string cell(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.3f}", ratio) : "OOM"; }

void print_head(const std::vector<Row>& rows) {
  std::string names = "| `auto` |", rule = "| --- |";
  for (const Row& row : rows) {
    names += fmt::format(" {} |", row.name);
    rule += " ---: |";
  }
  std::printf("%s mean |\n%s ---: |\n", names.c_str(), rule.c_str());
}

// Ratios to the whole, one column per row of the suite, then their geometric mean.
void print_line(const Variant& variant, const std::vector<double>& times, const std::vector<double>& whole) {
  std::string line = fmt::format("| {} |", variant.name);
  double logarithms = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    line += fmt::format(" {} |", cell(times[i] / whole[i]));
    logarithms += std::log(times[i] / whole[i]);
  }
  std::printf("%s %s |\n", line.c_str(), cell(std::exp(logarithms / static_cast<double>(times.size()))).c_str());
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10.0;
  const int seeds = argc > 2 ? std::atoi(argv[2]) : 2;
  if (seconds <= 0 || seeds < 1) {
    std::fprintf(stderr, "usage: auto_ablation [seconds per run] [seeds]\n");
    return 2;
  }
  const std::vector<Row> rows = load_rows();
  const std::vector<Variant> all = variants();
  std::fprintf(stderr, "%zu variants, %zu rows, %d seeds: about %.0f min\n", all.size(), rows.size(), seeds,
               static_cast<double>(all.size() * rows.size()) * seeds * seconds / 60);
  std::printf(
      "`build/release/bench/auto_ablation %g %d`: step time over that of the whole `auto` (mean of the seeds), "
      "so above 1 a part that was left out helps, and below 1 one that was added.\n\n",
      seconds, seeds);
  print_head(rows);
  std::vector<double> whole;
  for (const Variant& variant : all) {
    std::vector<double> times;
    for (const Row& row : rows) {
      times.push_back(step_time(row, variant, seconds, seeds));
      std::fprintf(stderr, "%s, %s: %.4g s\n", variant.name.c_str(), row.name.c_str(), times.back());
    }
    if (whole.empty()) whole = times;
    print_line(variant, times, whole);
  }
  return 0;
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) { return berth::bench::run(argc, argv); }
