// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/schedule_program.h"

#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <ClpSolve.hpp>
#include <CoinPackedMatrix.hpp>
#include <algorithm>

namespace berth {
namespace {

class StopWithSearch final : public ClpEventHandler {
 public:
  explicit StopWithSearch(const Search& search) : search_(search) {}
  int event(Event) override { return search_.should_stop() ? 0 : -1; }
  [[nodiscard]] ClpEventHandler* clone() const override { return new StopWithSearch(*this); }

 private:
  const Search& search_;
};

// Columns: start of every node, x of every edge that may be saved, the end of the step.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const ScheduleProgram& program)
      : program_(program), column_of_edge_(program.edges.size(), -1), scale_(longest(program)) {
    columns_ = static_cast<int>(program.durations.size());
    for (std::size_t e = 0; e < program.edges.size(); ++e) {
      if (program.edges[e].may_be_saved) column_of_edge_[e] = columns_++;
    }
    end_column_ = columns_++;
    add_order();
    add_degrees();
  }

  void load(ClpSimplex& model) const {
    const CoinPackedMatrix matrix(false, row_.data(), column_.data(), value_.data(), static_cast<int>(value_.size()));
    std::vector<double> low(static_cast<std::size_t>(columns_), 0.0), high(low), cost(low);
    for (int c = 0; c < columns_; ++c) {
      const bool is_edge = c >= static_cast<int>(program_.durations.size()) && c != end_column_;
      high[static_cast<std::size_t>(c)] = is_edge ? 1.0 : COIN_DBL_MAX;
    }
    cost[static_cast<std::size_t>(end_column_)] = 1.0;
    const std::vector<double> no_upper(least_.size(), COIN_DBL_MAX);
    model.loadProblem(matrix, low.data(), high.data(), cost.data(), least_.data(), no_upper.data());
  }

  [[nodiscard]] ScheduleSolution read(const ClpSimplex& model) const {
    ScheduleSolution solution;
    solution.optimal = model.isProvenOptimal();
    solution.length = model.objectiveValue() * scale_;
    const double* values = model.primalColumnSolution();
    for (const int column : column_of_edge_) solution.transferred.push_back(column < 0 ? 1.0 : values[column]);
    return solution;
  }

 private:
  // Times are scaled to about one, where the tolerances of a solver make sense.
  static double longest(const ScheduleProgram& program) {
    double longest = 1.0;
    for (const double duration : program.durations) longest = std::max(longest, duration);
    return longest;
  }

  void put(int row, int column, double value) {
    row_.push_back(row);
    column_.push_back(column);
    value_.push_back(value);
  }
  int new_row(double least) {
    least_.push_back(least);
    return static_cast<int>(least_.size()) - 1;
  }

  void add_order() {
    std::vector<char> is_sink(program_.durations.size(), 1);
    for (std::size_t e = 0; e < program_.edges.size(); ++e) {
      const ScheduleProgram::Edge& edge = program_.edges[e];
      is_sink[edge.from] = 0;
      const double always = edge.may_be_saved ? 0.0 : edge.transfer;
      const int row = new_row((program_.durations[edge.from] + always) / scale_);
      put(row, static_cast<int>(edge.to), 1.0);
      put(row, static_cast<int>(edge.from), -1.0);
      if (edge.may_be_saved && edge.transfer > 0) put(row, column_of_edge_[e], -edge.transfer / scale_);
    }
    for (std::uint32_t node = 0; node < is_sink.size(); ++node) {
      if (is_sink[node] == 0) continue;
      const int row = new_row(program_.durations[node] / scale_);
      put(row, end_column_, 1.0);
      put(row, static_cast<int>(node), -1.0);
    }
  }

  void add_degrees() {
    const std::size_t nodes = program_.durations.size();
    std::vector<std::vector<int>> out(nodes), in(nodes);
    for (std::size_t e = 0; e < program_.edges.size(); ++e) {
      if (column_of_edge_[e] < 0) continue;
      out[program_.edges[e].from].push_back(column_of_edge_[e]);
      in[program_.edges[e].to].push_back(column_of_edge_[e]);
    }
    for (const auto& side : {out, in}) {
      for (const std::vector<int>& columns : side) {
        if (columns.size() < 2) continue;
        const int row = new_row(static_cast<double>(columns.size() - 1));
        for (const int column : columns) put(row, column, 1.0);
      }
    }
  }

  const ScheduleProgram& program_;
  std::vector<int> column_of_edge_;
  double scale_;
  int columns_ = 0, end_column_ = 0;
  std::vector<int> row_, column_;
  std::vector<double> value_, least_;
};

}  // namespace

ScheduleSolution solve(const ScheduleProgram& program, const Search& search, double seconds) {
  const ProgramBuilder builder(program);
  ClpSimplex model;
  model.setLogLevel(0);
  builder.load(model);
  const StopWithSearch stop(search);
  model.passInEventHandler(&stop);
  if (seconds > 0) model.setMaximumSeconds(seconds);
  ClpSolve options;
  options.setSolveType(ClpSolve::useDual);
  options.setPresolveType(ClpSolve::presolveOn);
  model.initialSolve(options);
  return builder.read(model);
}

}  // namespace berth
