// SPDX-License-Identifier: Apache-2.0
#include "services/words.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.h"
#include "base/units.h"

namespace berth {
namespace {

constexpr std::string_view kMoreRoom = "smaller sizes, a larger machine or another planner (berth compare) may fit";

// What stays for the whole step on the device, or in the pool, that overflows.
Bytes resident_where(const Problem& problem, const Plan& plan, const Overflow& overflow) {
  Bytes sum = 0;
  for (const OpId op : problem.graph().ops()) {
    const DeviceId device = plan.device(op);
    const bool here =
        overflow.pool >= 0 ? problem.machine().pool_of(device) == overflow.pool : device == overflow.device;
    if (here) sum += problem.resident_bytes(op);
  }
  return sum;
}

}  // namespace

std::string some_of(const std::vector<std::string>& words, std::size_t most) {
  const auto shown = std::span(words).first(std::min(words.size(), most));
  const std::size_t more = words.size() - shown.size();
  return join(shown, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string percent(double share) {
  const double value = share * 100.0;
  if (!std::isfinite(value)) return "-";
  return value != 0.0 && std::abs(value) < 1.0 ? fmt::format("{:.1f} %", value) : fmt::format("{:.0f} %", value);
}

std::optional<double> relative_change(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || *before <= 0.0) return std::nullopt;
  return *after / *before - 1.0;
}

std::string change_words(double share) {
  if (share == 0.0) return "no change";
  return fmt::format("{} {}", percent(std::abs(share)), share < 0.0 ? "less" : "more");
}

std::string gap_text(Picoseconds value, Picoseconds lower_bound) {
  if (value <= lower_bound) return "none";
  return lower_bound > 0 ? percent(to_seconds(value) / to_seconds(lower_bound) - 1.0) : "unknown";
}

std::string overflow_words(const Problem& problem, const Outcome& outcome) {
  const Machine& machine = problem.machine();
  const Overflow& overflow = *outcome.score.overflow;
  const bool in_pool = overflow.pool >= 0;
  const std::string& place =
      in_pool ? machine.pools()[static_cast<std::size_t>(overflow.pool)].name : machine.device(overflow.device).name;
  const Bytes capacity = in_pool ? problem.pool_capacity(overflow.pool) : problem.capacity(overflow.device);
  const std::string_view pool = in_pool ? "pool " : "";
  if (const Bytes resident = resident_where(problem, outcome.plan, overflow); resident > capacity) {
    const std::string_view what =
        problem.objective() == Objective::kPipeline ? "what the ops hold is" : "the parameters alone are";
    return fmt::format("out of memory: {} {} over on {}{}, which has {}", what, format_bytes(resident - capacity), pool,
                       place, format_bytes(capacity));
  }
  const std::string op = overflow.op == kNoOp ? "" : fmt::format(", at op '{}'", problem.graph().name(overflow.op));
  return fmt::format("out of memory: {}{} is {} over its {}; its peak comes after {}{}", pool, place,
                     format_bytes(overflow.over), format_bytes(capacity), format_time(overflow.time), op);
}

std::string overflow_text(const Problem& problem, const Outcome& outcome) {
  return fmt::format("{}; {}", overflow_words(problem, outcome), kMoreRoom);
}

}  // namespace berth
