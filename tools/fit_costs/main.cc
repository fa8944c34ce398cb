// SPDX-License-Identifier: Apache-2.0
// berth-fit-costs: fits the efficiency table on graphs that carry measured times, and says how good the fit is.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "fit_costs/fit.h"
#include "fit_costs/report.h"
#include "fit_costs/samples.h"
#include "machine/devices.h"

namespace berth::fit {
namespace {

constexpr std::string_view kUsage =
    "usage: berth-fit-costs [--device MODEL] [--hold-out NAME,NAME] [--keep-twins] [--pairs] GRAPH...\n"
    "  --device MODEL     whose measured times to fit (default h200); a CPU gets one factor per graph\n"
    "  --hold-out NAMES   graphs that the fit must not know, nor ops elsewhere that equal theirs\n"
    "  --keep-twins       let the fit know ops elsewhere that equal those of held-out graphs\n"
    "  --pairs            hold out every pair of graphs in turn and report the errors, instead of a table\n";

struct Options {
  std::string device = "h200";
  std::vector<std::string> held_out, paths;
  Twins twins = Twins::kDrop;
  bool pairs = false;
};

std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

Result<Options> parse_options(std::span<char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const bool takes_value = argument == "--device" || argument == "--hold-out";
    if (takes_value && i + 1 == arguments.size()) return bad_input("{} needs a value", argument);
    if (argument == "--device") {
      options.device = arguments[++i];
    } else if (argument == "--hold-out") {
      options.held_out = split_commas(arguments[++i]);
    } else if (argument == "--keep-twins") {
      options.twins = Twins::kKeep;
    } else if (argument == "--pairs") {
      options.pairs = true;
    } else if (argument.starts_with("--")) {
      return bad_input("no option named '{}'", argument);
    } else {
      options.paths.emplace_back(argument);
    }
  }
  if (options.paths.empty()) return bad_input("no graphs given");
  return options;
}

Result<std::vector<std::size_t>> find_graphs(const SampleSet& set, const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  for (const std::string& name : names) {
    const auto graph = std::find(set.graphs.begin(), set.graphs.end(), name);
    if (graph == set.graphs.end()) return bad_input("no graph named '{}' among those given", name);
    found.push_back(static_cast<std::size_t>(graph - set.graphs.begin()));
  }
  return found;
}

Status run(const Options& options) {
  const DeviceModel* model = find_device_model(options.device);
  if (model == nullptr) {
    return bad_input("no device model named '{}'{}", options.device, suggest_device_model(options.device));
  }
  const Device device = make_device(*model, options.device);
  BERTH_TRY(const SampleSet set, load_samples(options.paths, options.device));
  BERTH_TRY(const std::vector<std::size_t> held_out, find_graphs(set, options.held_out));
  if (options.pairs) {
    fmt::print("{}", pairs_text(set, device, options.twins));
    return {};
  }
  const FitOptions fit_options{.factor_per_graph = device.kind == DeviceKind::kCpu};
  FittedTable table = fit_table(training_samples(set, held_out, options.twins), set.graphs.size(), device, fit_options);
  if (fit_options.factor_per_graph) table.factors = graph_factors(set.samples, set.graphs.size(), table, device);
  fmt::print("{}\n{}\n{}", rows_text(table), classes_text(table, set, device, held_out),
             graphs_text(table, set, device, held_out));
  if (fit_options.factor_per_graph) {
    fmt::print("\nFactor of each graph's run:");
    for (std::size_t i = 0; i < set.graphs.size(); ++i) fmt::print(" {} {:.2f}", set.graphs[i], table.factors[i]);
    fmt::print("\n");
  }
  return {};
}

int main_with(std::span<char* const> arguments) {
  auto options = parse_options(arguments);
  const Status status = options ? run(*options) : Status(options.error());
  if (status) return 0;
  fmt::print(stderr, "berth-fit-costs: {}\n", status.error().message);
  if (!options) fmt::print(stderr, "{}", kUsage);
  return 2;
}

}  // namespace
}  // namespace berth::fit

int main(int argc, char** argv) { return berth::fit::main_with({argv + 1, static_cast<std::size_t>(argc - 1)}); }
