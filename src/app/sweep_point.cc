// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_point.h"

#include <charconv>

#include "base/text.h"

namespace berth::app {
namespace {

constexpr std::size_t kMostValues = 100;

Result<int> whole_number(const std::string& name, const std::string& value) {
  int number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stop != end || number < 1) {
    return bad_input("--over {}: '{}' is not a whole number above 0", name, value);
  }
  return number;
}

// "zoo:nmt-4,batch=128,unroll=40" with another batch.
std::string with_parameter(const std::string& graph, const std::string& name, const std::string& value) {
  std::string result;
  for (const std::string_view part : split(graph, ',')) {
    if (part.starts_with(name + "=")) continue;
    result += fmt::format("{}{}", result.empty() ? "" : ",", part);
  }
  return fmt::format("{},{}={}", result, name, value);
}

}  // namespace

double Sweep::weight(const std::string& value) const {
  if (name != "batch") return 1.0;
  double number = 1.0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

Result<Sweep> parse_sweep(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return bad_input("--over '{}': write NAME=A,B,C, for example devices=1,2,4", text);
  }
  Sweep sweep{std::string(trim(text.substr(0, equals))), {}};
  for (const std::string_view value : split(std::string_view(text).substr(equals + 1), ',')) {
    if (trim(value).empty()) return bad_input("--over '{}': a value is empty", text);
    sweep.values.emplace_back(trim(value));
  }
  if (sweep.values.size() > kMostValues)
    return bad_input("--over has {} values; {} are the most", sweep.values.size(), kMostValues);
  return sweep;
}

Result<ProblemFlags> problem_at(const ProblemFlags& flags, const Sweep& sweep, const std::string& value) {
  ProblemFlags point = flags;
  if (sweep.name == "devices") {
    BERTH_TRY(point.changes.accelerators, whole_number(sweep.name, value));
  } else if (sweep.name.find('.') != std::string::npos) {
    point.changes.settings.push_back(fmt::format("{}={}", sweep.name, value));
  } else if (flags.graph.starts_with("zoo:")) {
    point.graph = with_parameter(flags.graph, sweep.name, value);
  } else {
    point.dims.push_back(fmt::format("{}={}", sweep.name, value));
  }
  return point;
}

}  // namespace berth::app
