// SPDX-License-Identifier: Apache-2.0
#include "services/problem/constraints.h"

#include <algorithm>
#include <iterator>

#include "format/constraints_file.h"
#include "problem/demands/clash.h"
#include "problem/demands/resolve.h"

namespace berth {
namespace {

void append(std::vector<Demand>& demands, std::vector<Demand> more) {
  std::ranges::move(more, std::back_inserter(demands));
}

}  // namespace

Result<std::vector<Demand>> read_demands(const ConstraintTexts& texts) {
  std::vector<Demand> demands;
  for (const auto& [form, text] : texts.given) {
    BERTH_TRY(Demand demand, parse_demand(*form, text, source_of_flag(*form, text)));
    demands.push_back(std::move(demand));
  }
  for (const std::string& path : texts.files) {
    BERTH_TRY(std::vector<Demand> more, load_constraints(path));
    append(demands, std::move(more));
  }
  for (const std::string& path : texts.tables) {
    BERTH_TRY(std::vector<Demand> more, load_unsupported(path));
    append(demands, std::move(more));
  }
  return demands;
}

Result<Problem> constrained(Problem problem, std::span<const Demand> demands, InputNotes& notes, Caller& caller) {
  if (demands.empty()) return problem;
  BERTH_TRY(const std::vector<ResolvedDemand> resolved, resolve_demands(problem.graph(), problem.machine(), demands));
  BERTH_TRY(Problem result, constrain(problem, resolved));
  if (const auto clash = find_memory_clash(problem, resolved)) {
    notes.add({fmt::format("warning: no plan will fit in memory: {}", *clash)}, caller);
  }
  return result;
}

Status check_demands(std::span<const Demand> demands, const Problem& problem, const Plan& plan) {
  BERTH_TRY(const std::vector<ResolvedDemand> resolved, resolve_demands(problem.graph(), problem.machine(), demands));
  if (const auto broken = find_broken(problem, plan, resolved)) return bad_input("{}", *broken);
  return {};
}

}  // namespace berth
