// SPDX-License-Identifier: Apache-2.0
#include "fit_costs/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "fit_costs/errors.h"

namespace berth::fit {
namespace {

bool contains(std::span<const std::size_t> graphs, std::size_t graph) {
  return std::find(graphs.begin(), graphs.end(), graph) != graphs.end();
}

template <typename Filter>
Errors errors_where(const FittedTable& table, const SampleSet& set, const Device& device, Filter filter) {
  Errors errors;
  for (const Sample& sample : set.samples) {
    if (filter(sample)) errors.add(sample.seconds, predict(table, sample, device) * table.factors[sample.graph]);
  }
  return errors;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }
std::string signed_percent(double share) { return fmt::format("{:+.0f} %", 100.0 * share); }

// "kConvPointwise" from "conv pointwise".
std::string enumerator(std::string_view class_name) {
  std::string name = "k";
  bool start = true;
  for (const char c : class_name) {
    if (c != ' ') name += start ? static_cast<char>(c - 'a' + 'A') : c;
    start = c == ' ';
  }
  return name;
}

struct GraphUnderPairs {
  std::vector<double> medians, sums;
  [[nodiscard]] std::size_t misses() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      count += static_cast<std::size_t>(medians[i] >= kMaxOpError || std::abs(sums[i]) >= kMaxSumError);
    }
    return count;
  }
};

}  // namespace

std::string rows_text(const FittedTable& table) {
  std::string text;
  for (const Efficiency& row : table.rows) {
    fmt::format_to(std::back_inserter(text), "    Efficiency{{CostClass::{:<22} {:<16} {:<17}",
                   enumerator(name_of(row.cost_class)) + ",",
                   row.units == Units::kTensor ? "Units::kTensor," : "Units::kPlain,",
                   row.origin == Origin::kFitted ? "Origin::kFitted," : "Origin::kAssumed,");
    fmt::format_to(std::back_inserter(text), " {:.3g}, {:.3g}, {:.3g}, {:.3g}, {:.3g}, {:.3g}, {:.3g}}},\n",
                   row.arithmetic, row.traffic, row.fixed_s, row.narrow, row.slice_bytes_per_s, row.spill, row.row_s);
  }
  return text;
}

std::string classes_text(const FittedTable& table, const SampleSet& set, const Device& device,
                         std::span<const std::size_t> held_out) {
  std::string text =
      "| class | ops in fit | share of time | median error | bias | held-out ops | share of time | median error | bias "
      "|\n"
      "| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n";
  const auto side = [&](bool held, auto&& filter) {
    return errors_where(table, set, device,
                        [&](const Sample& s) { return contains(held_out, s.graph) == held && filter(s); });
  };
  const auto all = [](const Sample&) { return true; };
  const double fit_s = side(false, all).measured_s(), held_s = side(true, all).measured_s();
  const auto columns = [](const Errors& errors, double total_s) {
    if (errors.ops() == 0) return std::string(" - | - | - | - |");
    return fmt::format(" {} | {:.1f} % | {} | {} |", errors.ops(), 100.0 * errors.measured_s() / total_s,
                       percent(errors.median()), signed_percent(errors.sum_error()));
  };
  for (const Efficiency& row : table.rows) {
    const auto in_class = [&](const Sample& s) { return s.features.cost_class == row.cost_class; };
    const Errors fit = side(false, in_class), held = side(true, in_class);
    if (fit.ops() + held.ops() == 0) continue;
    text += fmt::format("| {} |{}{}\n", name_of(row.cost_class), columns(fit, fit_s), columns(held, held_s));
  }
  return text;
}

std::string graphs_text(const FittedTable& table, const SampleSet& set, const Device& device,
                        std::span<const std::size_t> held_out) {
  std::string text =
      "| graph | | measured | predicted | error of the sum | ops > 20 us | their median error | median error of all "
      "ops |\n"
      "| --- | --- | --: | --: | --: | --: | --: | --: |\n";
  for (std::size_t graph = 0; graph < set.graphs.size(); ++graph) {
    const Errors errors = errors_where(table, set, device, [&](const Sample& s) { return s.graph == graph; });
    text += fmt::format("| {} | {} | {:.1f} ms | {:.1f} ms | {} | {} | {} | {} |\n", set.graphs[graph],
                        contains(held_out, graph) ? "**held out**" : "fit", errors.measured_s() * 1e3,
                        errors.predicted_s() * 1e3, signed_percent(errors.sum_error()), errors.big_ops(),
                        percent(errors.big_median()), percent(errors.median()));
  }
  return text;
}

std::string pairs_text(const SampleSet& set, const Device& device, Twins twins) {
  const std::size_t n = set.graphs.size();
  std::vector<GraphUnderPairs> results(n);
  std::size_t pairs = 0, good_pairs = 0;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const FittedTable table = fit_table(training_samples(set, std::array{a, b}, twins), n, device, {});
      bool good = true;
      for (const std::size_t graph : {a, b}) {
        const Errors errors = errors_where(table, set, device, [&](const Sample& s) { return s.graph == graph; });
        results[graph].medians.push_back(errors.big_median());
        results[graph].sums.push_back(errors.sum_error());
        good &= errors.big_median() < kMaxOpError && std::abs(errors.sum_error()) < kMaxSumError;
      }
      ++pairs;
      good_pairs += static_cast<std::size_t>(good);
    }
  }
  std::string text =
      "| graph held out with each other one | median error of ops > 20 us: middle, worst | error of the sum: least, "
      "most | "
      "bars missed |\n| --- | --: | --: | --: |\n";
  for (std::size_t graph = 0; graph < n; ++graph) {
    const GraphUnderPairs& result = results[graph];
    const auto [low, high] = std::minmax_element(result.sums.begin(), result.sums.end());
    text += fmt::format("| {} | {}, {} | {}, {} | {} of {} |\n", set.graphs[graph], percent(median_of(result.medians)),
                        percent(*std::max_element(result.medians.begin(), result.medians.end())), signed_percent(*low),
                        signed_percent(*high), result.misses(), result.sums.size());
  }
  return text + fmt::format("\nBoth graphs of the pair within both bars: {} of {} pairs.\n", good_pairs, pairs);
}

}  // namespace berth::fit
