// SPDX-License-Identifier: Apache-2.0
// A plain plot as an SVG picture: how much is done per second at every value of something, and how much could be.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace berth::report {

struct Plot {
  struct Point {
    std::string label;            // of the value, below the axis
    std::optional<double> rate;   // none: `note` says why
    std::optional<double> bound;  // nothing can be faster
    std::string note = {};        // "OOM"; with a rate: what to know about it, "cut short"
  };
  std::string title, verdict;  // above it
  std::string x_name, y_name;
  std::vector<Point> points = {};          // at least one; at equal distances, since values often double
  std::optional<std::size_t> enough = {};  // the point beyond which little is gained
};

// Readable without colours: the two lines differ in dashes and marks, and every number is written beside its point. It
// carries its own white background, and says in words what it shows.
std::string svg_of(const Plot& plot);

// A round number at least as large as `most`, and the distance of ticks up to it: 1, 2 or 5 times a power of ten.
struct AxisTicks {
  double end = 1.0, step = 0.2;
};
AxisTicks ticks_up_to(double most);

}  // namespace berth::report
