// SPDX-License-Identifier: Apache-2.0
// Work bound: give every device class a price per unit of its time, prices adding up to one over all lanes. Whatever
// the plan, the priced work of all ops, each at its cheapest, must fit into the step (linear programming duality: any
// prices give a valid bound, the best prices give the fractional optimum). Two classes are searched by golden ratio,
// more by exchanging price between pairs, so the bound may fall short of the optimum with three or more classes but
// never exceeds it.
#include "sim/bounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace berth {
namespace {

constexpr double kNever = 1e300;

class BoundFinder {
 public:
  BoundFinder(const Problem& problem, bool fusion_allowed) : problem_(problem), classes_(problem.num_device_classes()) {
    lanes_.assign(static_cast<std::size_t>(classes_), 0.0);
    std::vector<DeviceSet> members(static_cast<std::size_t>(classes_), 0);
    std::vector<DeviceId> first(static_cast<std::size_t>(classes_), kNoDevice);
    for (const DeviceId id : problem.machine().device_ids()) {
      const auto c = static_cast<std::size_t>(problem.device_class(id));
      lanes_[c] += problem.machine().device(id).lanes;
      members[c] |= device_bit(id);
      if (first[c] == kNoDevice) first[c] = id;
    }
    const Graph& graph = problem.graph();
    times_.reserve(graph.num_ops() * static_cast<std::size_t>(classes_));
    fastest_.assign(graph.num_ops(), 0);
    for (const OpId op : graph.ops()) {
      Picoseconds fastest = -1;
      for (std::size_t c = 0; c < members.size(); ++c) {
        const bool allowed = (problem.allowed(op) & members[c]) != 0;
        const Picoseconds time = fusion_allowed ? problem.compute_part(op, first[c]) : problem.duration(op, first[c]);
        times_.push_back(allowed ? static_cast<double>(time) : kNever);
        if (allowed && (fastest < 0 || time < fastest)) fastest = time;
      }
      fastest_[index(op)] = std::max<Picoseconds>(0, fastest);
    }
  }

  LowerBound find() {
    find_ways();
    LowerBound bound;
    for (std::size_t i = 0; i < fastest_.size(); ++i)
      bound.critical_path = std::max(bound.critical_path, before_[i] + fastest_[i]);
    const std::vector<double> prices = best_prices();
    bound.work = round_down(priced_work(prices));
    bound.combined = combine(prices);
    return bound;
  }

 private:
  // Longest way into every op and out of it, every op on its fastest device.
  void find_ways() {
    const Graph& graph = problem_.graph();
    const auto order = graph.topological_order();
    before_.assign(graph.num_ops(), 0);
    after_.assign(graph.num_ops(), 0);
    for (const OpId op : order) {
      Picoseconds& way = before_[index(op)];
      const auto extend = [&](OpId from) { way = std::max(way, before_[index(from)] + fastest_[index(from)]); };
      for (const TensorId tensor : graph.distinct_inputs(op)) extend(graph.producer(tensor));
      for (const OpId from : graph.control_inputs(op)) extend(from);
    }
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      Picoseconds& way = after_[index(*it)];
      const auto extend = [&](OpId to) { way = std::max(way, after_[index(to)] + fastest_[index(to)]); };
      for (const TensorId tensor : graph.outputs(*it)) {
        for (const OpId to : graph.consumers(tensor)) extend(to);
      }
      for (const OpId to : graph.control_outputs(*it)) extend(to);
    }
  }

  [[nodiscard]] double priced(std::size_t op, const std::vector<double>& prices) const {
    double least = kNever;
    const double* times = &times_[op * static_cast<std::size_t>(classes_)];
    for (std::size_t c = 0; c < prices.size(); ++c) {
      if (times[c] < kNever) least = std::min(least, times[c] * prices[c]);
    }
    return least < kNever ? least : 0.0;
  }

  [[nodiscard]] double priced_work(const std::vector<double>& prices) const {
    double sum = 0.0;
    for (std::size_t op = 0; op < fastest_.size(); ++op) sum += priced(op, prices);
    return sum;
  }

  std::vector<double> best_prices() const {
    std::vector<double> prices(static_cast<std::size_t>(classes_));
    const double all_lanes = std::accumulate(lanes_.begin(), lanes_.end(), 0.0);
    std::fill(prices.begin(), prices.end(), 1.0 / all_lanes);
    const int rounds = classes_ <= 1 ? 0 : classes_ == 2 ? 1 : 3;
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t a = 0; a < prices.size(); ++a) {
        for (std::size_t b = a + 1; b < prices.size(); ++b) exchange(prices, a, b);
      }
    }
    return prices;
  }

  // Splits what classes a and b have together anew, where the work is largest.
  void exchange(std::vector<double>& prices, std::size_t a, std::size_t b) const {
    const double together = prices[a] * lanes_[a] + prices[b] * lanes_[b];
    const auto set = [&](double share) {
      prices[a] = together * share / lanes_[a];
      prices[b] = together * (1 - share) / lanes_[b];
    };
    const double golden = 0.6180339887498949;
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 30; ++i) {
      const double left = high - golden * (high - low), right = low + golden * (high - low);
      set(left);
      const double work_left = priced_work(prices);
      set(right);
      if (work_left < priced_work(prices)) {
        low = left;
      } else {
        high = right;
      }
    }
    set((low + high) / 2);
  }

  // All ops that start no earlier than h and have at least q behind them share what lies between. Tried for every h
  // with the least q among the ops it leaves, and the other way round.
  [[nodiscard]] Picoseconds combine(const std::vector<double>& prices) const {
    return std::max(sweep(before_, after_, prices), sweep(after_, before_, prices));
  }

  [[nodiscard]] Picoseconds sweep(const std::vector<Picoseconds>& near, const std::vector<Picoseconds>& far,
                                  const std::vector<double>& prices) const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t op = 0; op < fastest_.size(); ++op) {
      if (fastest_[op] > 0) order.push_back(op);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) { return near[x] > near[y]; });
    double work = 0.0;
    Picoseconds least_far = 0, best = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t op = order[i];
      work += priced(op, prices);
      least_far = i == 0 ? far[op] : std::min(least_far, far[op]);
      best = std::max(best, near[op] + least_far + round_down(work));
    }
    return best;
  }

  // A bound must not be above the truth by a rounding error of its sum.
  static Picoseconds round_down(double work) { return static_cast<Picoseconds>(std::floor(work * (1 - 1e-10))); }

  const Problem& problem_;
  int classes_;
  std::vector<double> lanes_, times_;
  std::vector<Picoseconds> fastest_, before_, after_;
};

}  // namespace

Picoseconds LowerBound::value() const { return std::max({critical_path, work, combined}); }

LowerBound lower_bound(const Problem& problem, bool fusion_allowed) {
  return BoundFinder(problem, fusion_allowed).find();
}

}  // namespace berth
