// SPDX-License-Identifier: Apache-2.0
// Measured costs: times of ops that somebody measured, for the ops and devices they name. They replace the cost model's
// times there; all other ops keep their estimate.
//
// A time is used like one that the graph itself carries: on an asynchronous device the op takes the larger of it and
// the launch, on a synchronous one just it, since it contains the launch. What fusion cannot save is the arithmetic of
// the cost model, at most the measured time.
//
// Whose time it is:
// - the op of that name, else the one compute op of that label;
// - else, for names of PyTorch's calls ("aten::mm", which traces use), all ops of that type ("aten.mm.default") in the
//   order of the graph, if the times are as many as the ops or a multiple: several runs, one after the other.
// Ops that take no time anyway (views, parameters, constants, inputs) stay so.
//
// On which devices: those that the time's word means, the name, the model or the kind of a device, or "*" for all.
// Where several words cover one device, the narrowest wins: name, model, kind, all; then the later file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "graph/graph.h"
#include "machine/machine.h"
#include "problem/constraints.h"
#include "problem/objective.h"
#include "problem/problem.h"

namespace berth {

struct Measurement {
  std::vector<std::string> ops;  // by name; several share the time in proportion to what the cost model says of them
  std::string device = {};       // word for the devices it holds on; empty: the source does not say
  double seconds = 0.0;          // finite, not negative
  bool operator==(const Measurement&) const = default;
};

// What several times of one op on the same devices mean.
enum class Repeats : std::uint8_t {
  kMedian,  // several runs
  kSum,     // parts of one run
};

struct CostsFile {
  std::string path = {};  // names it in messages
  std::string device =
      {};  // the user's word for where it was measured: stands where a time has none, and narrows a kind
  Repeats repeats = Repeats::kMedian;
  std::vector<Measurement> times = {};
};

// What became of the names of one file.
struct CostsReport {
  std::string path = {};
  std::size_t names = 0, matched = 0;       // distinct ones, and those that are in the graph
  std::size_t timeless = 0;                 // of the matched: ops that take no time
  std::vector<std::string> unmatched = {};  // the first few of the others, as they stand in the file
  std::size_t other_devices = 0;            // times for devices that the machine does not have
};

// The times by op and device.
class MeasuredCosts {
 public:
  // `columns` hold seconds by OpId; `column_of` says for every device which is its own, -1: none.
  MeasuredCosts(std::vector<int> column_of, std::vector<std::vector<double>> columns)
      : column_of_(std::move(column_of)), columns_(std::move(columns)) {}

  // Seconds; negative: nobody measured it.
  [[nodiscard]] double seconds(OpId op, DeviceId device) const {
    const int column = column_of_[index(device)];
    return column < 0 ? -1.0 : columns_[static_cast<std::size_t>(column)][index(op)];
  }
  // Whether two devices have the same times for every op: columns are distinct.
  [[nodiscard]] bool are_equal(DeviceId a, DeviceId b) const { return column_of_[index(a)] == column_of_[index(b)]; }
  [[nodiscard]] std::size_t num_ops() const;  // ops with a time on some device

 private:
  std::vector<int> column_of_;
  std::vector<std::vector<double>> columns_;
};

struct MatchedCosts {
  MeasuredCosts costs;
  std::vector<CostsReport> reports;  // one per file
};

// Finds the ops and devices of all times. An error if a file has a time that does not say where it was measured and the
// user did not either, if its word means no device of the machine, or if nothing in a file fits graph and machine.
Result<MatchedCosts> match_costs(const Graph& graph, const Machine& machine, std::span<const CostsFile> files);

// As make_problem() with the cost model, but with measured times where there are some. They must have been matched with
// this graph and machine.
Result<Problem> make_problem(std::shared_ptr<const Graph> graph, std::shared_ptr<const Machine> machine,
                             const MeasuredCosts& measured, Constraints constraints = {},
                             Objective objective = Objective::kStep);

}  // namespace berth
