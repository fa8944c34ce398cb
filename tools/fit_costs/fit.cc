// SPDX-License-Identifier: Apache-2.0
#include "fit_costs/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "fit_costs/errors.h"
#include "problem/cost/cost_model.h"

namespace berth::fit {
namespace {

constexpr double kPriorWeight = 0.05;  // of one number's log distance from its start, against one op's log error
constexpr double kFirstStep = 1.0, kLastStep = 0.01;
constexpr double kMaxFixed_s = 1e-4;  // what takes longer is work, not a ramp
constexpr double kMaxTraffic = 2.0;   // caches give at most this much over the memory's bandwidth

using Number = double Efficiency::*;
constexpr std::array<Number, 7> kNumbers{&Efficiency::arithmetic, &Efficiency::traffic,           &Efficiency::fixed_s,
                                         &Efficiency::narrow,     &Efficiency::slice_bytes_per_s, &Efficiency::spill,
                                         &Efficiency::row_s};

// Where every search starts, and what stays where there is nothing to fit.
Efficiency starting_row(CostClass cost_class, Units units) {
  return {.cost_class = cost_class,
          .units = units,
          .origin = Origin::kAssumed,
          .arithmetic = 0.6,
          .traffic = 0.6,
          .fixed_s = 3e-6,
          .narrow = 32.0,
          .slice_bytes_per_s = 1e10,
          .spill = 1.0,
          .row_s = 1e-9};
}

// Classes that the graphs do not hold take the row of a class that works alike.
struct AssumedLike {
  CostClass cost_class, like;
};
constexpr std::array kAssumedLike{
    AssumedLike{CostClass::kAttention, CostClass::kMatmul},
    AssumedLike{CostClass::kRandom, CostClass::kElementwise},
    AssumedLike{CostClass::kUpdate, CostClass::kElementwise},
    AssumedLike{CostClass::kLayerNorm, CostClass::kSoftmax},
    AssumedLike{CostClass::kLayerNormGrad, CostClass::kSoftmaxGrad},
};

// Numbers that none of the samples depends on are switched off.
void drop_unused(Efficiency& row, std::span<const Sample* const> samples) {
  const auto any = [&](double OpFeatures::*feature) {
    return std::any_of(samples.begin(), samples.end(), [&](const Sample* s) { return s->features.*feature > 0.0; });
  };
  if (!any(&OpFeatures::flops)) row.arithmetic = 0.0;
  if (!any(&OpFeatures::channels)) row.narrow = 0.0;
  if (!any(&OpFeatures::slices)) row.slice_bytes_per_s = 0.0;
  if (!any(&OpFeatures::rows)) row.row_s = 0.0;
}

double predict_row(const Efficiency& row, const Sample& sample, const Device& device) {
  const OpCost cost = estimate_with(sample.features, device, product_rate(sample.features, device), row);
  return device.async ? cost.work_s : device.launch_s + cost.work_s;
}

class RowSearch {
 public:
  RowSearch(std::span<const Sample* const> samples, const Device& device, std::span<const double> factors)
      : samples_(samples), device_(device), factors_(factors) {}

  Efficiency run(const Efficiency& start) {
    start_ = best_ = start;
    best_loss_ = loss(best_);
    for (double step = kFirstStep; step > kLastStep;) {
      if (!improve(step)) step /= 2.0;
    }
    best_.origin = Origin::kFitted;
    return best_;
  }

 private:
  // Tries a step up or down in every number and in every pair of numbers; pairs walk along valleys that single steps
  // cross.
  bool improve(double step) {
    bool improved = false;
    for (std::size_t i = 0; i < kNumbers.size(); ++i) {
      for (std::size_t j = i; j < kNumbers.size(); ++j) {
        for (const double up : {step, -step}) {
          improved |= attempt(i, up, j, i == j ? 0.0 : step);
          if (i != j) improved |= attempt(i, up, j, -step);
        }
      }
    }
    return improved;
  }

  bool attempt(std::size_t i, double step_i, std::size_t j, double step_j) {
    Efficiency row = best_;
    row.*kNumbers[i] *= std::exp(step_i);
    row.*kNumbers[j] *= std::exp(step_j);
    if (row.arithmetic > 1.0 || row.traffic > kMaxTraffic || row.fixed_s > kMaxFixed_s) return false;
    const double row_loss = loss(row);
    if (!(row_loss < best_loss_ - 1e-9)) return false;
    best_ = row;
    best_loss_ = row_loss;
    return true;
  }

  [[nodiscard]] double loss(const Efficiency& row) const {
    double sum = 0.0;
    for (const Sample* sample : samples_) {
      const double measured = sample->seconds / factors_[sample->graph];
      sum += std::abs(std::log(predict_row(row, *sample, device_) / measured));
    }
    for (const Number number : kNumbers) {
      if (row.*number > 0.0) sum += kPriorWeight * std::abs(std::log(row.*number / (start_.*number)));
    }
    return sum;
  }

  std::span<const Sample* const> samples_;
  const Device& device_;
  std::span<const double> factors_;
  Efficiency start_, best_;
  double best_loss_ = 0.0;
};

// Ops that a graph repeats were measured once: keep one of each. Graphs with factors of their own keep theirs.
std::vector<const Sample*> distinct(std::span<const Sample> samples, CostClass cost_class, bool per_graph) {
  std::unordered_set<std::string> seen;
  std::vector<const Sample*> kept;
  for (const Sample& sample : samples) {
    if (sample.features.cost_class != cost_class) continue;
    const std::string key = per_graph ? fmt::format("{} @{}", sample.twin, sample.graph)
                                      : fmt::format("{} {}", sample.twin, sample.seconds);
    if (seen.insert(key).second) kept.push_back(&sample);
  }
  return kept;
}

std::vector<Efficiency> fit_rows(std::span<const Sample> samples, const Device& device, std::span<const double> factors,
                                 bool per_graph) {
  std::vector<Efficiency> rows;
  for (int i = 0; i < kCostClasses; ++i) {
    const auto cost_class = static_cast<CostClass>(i);
    const std::vector<const Sample*> kept = distinct(samples, cost_class, per_graph);
    const OpFeatures typical = kept.empty() ? OpFeatures{.cost_class = cost_class} : kept.front()->features;
    Efficiency start = starting_row(cost_class, product_rate(typical, device).units);
    drop_unused(start, kept);
    if (device.kind != DeviceKind::kCpu) start.spill = 0.0;
    rows.push_back(kept.empty() ? start : RowSearch(kept, device, factors).run(start));
  }
  for (const auto& [cost_class, like] : kAssumedLike) {
    Efficiency& row = rows[static_cast<std::size_t>(cost_class)];
    if (row.origin == Origin::kFitted) continue;
    row = rows[static_cast<std::size_t>(like)];
    row.cost_class = cost_class;
    row.origin = Origin::kAssumed;
  }
  rows[static_cast<std::size_t>(CostClass::kNothing)] = {};
  return rows;
}

}  // namespace

std::vector<double> graph_factors(std::span<const Sample> samples, std::size_t num_graphs, const FittedTable& table,
                                  const Device& device) {
  std::vector<std::vector<double>> ratios(num_graphs);
  for (const Sample& sample : samples) {
    ratios[sample.graph].push_back(sample.seconds / predict(table, sample, device));
  }
  std::vector<double> factors, present;
  for (const auto& graph_ratios : ratios) {
    factors.push_back(graph_ratios.empty() ? 1.0 : median_of(graph_ratios));
    if (!graph_ratios.empty()) present.push_back(factors.back());
  }
  const double middle = present.empty() ? 1.0 : median_of(present);
  for (double& factor : factors) factor /= middle;
  return factors;
}

double predict(const FittedTable& table, const Sample& sample, const Device& device) {
  return predict_row(table.rows[static_cast<std::size_t>(sample.features.cost_class)], sample, device);
}

FittedTable fit_table(std::span<const Sample> samples, std::size_t num_graphs, const Device& device,
                      FitOptions options) {
  constexpr int kFactorRounds = 4;  // factors and rows in turn; the factors move by less than 1 % in the last round
  FittedTable table{.rows = {}, .factors = std::vector<double>(num_graphs, 1.0)};
  table.rows = fit_rows(samples, device, table.factors, options.factor_per_graph);
  for (int round = 0; options.factor_per_graph && round < kFactorRounds; ++round) {
    table.factors = graph_factors(samples, num_graphs, table, device);
    table.rows = fit_rows(samples, device, table.factors, options.factor_per_graph);
  }
  return table;
}

}  // namespace berth::fit
