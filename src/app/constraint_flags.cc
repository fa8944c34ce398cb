// SPDX-License-Identifier: Apache-2.0
#include "app/constraint_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iterator>

#include "cost/demands/clash.h"
#include "cost/demands/resolve.h"
#include "io/constraints_file.h"
#include "io/unsupported_table.h"

namespace berth::app {
namespace {

constexpr const char* kGroup = "Constraints (berth help constraints; each may be given several times)";

// A flag that takes one text each time it is given.
void add_texts(CLI::App& command, const std::string& flag, std::string form, const std::string& help,
               const std::function<void(const std::string&)>& take) {
  const auto take_all = [take](const CLI::results_t& texts) {
    for (const std::string& text : texts) take(text);
    return true;
  };
  command.add_option(flag, CLI::callback_t(take_all), help)
      ->type_name(std::move(form))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(kGroup);
}

void add_switch(CLI::App& command, const DemandForm& form, const std::function<void()>& take) {
  command.add_flag_callback(fmt::format("--{}", form.name), take, std::string(form.help))->group(kGroup);
}

void append(std::vector<Demand>& demands, std::vector<Demand> more) {
  std::ranges::move(more, std::back_inserter(demands));
}

}  // namespace

void add_constraint_flags(CLI::App& command, ConstraintFlags& flags) {
  for (const DemandForm& form : demand_forms()) {
    const auto take = [&flags, which = &form](const std::string& text) { flags.given.push_back({which, text}); };
    if (form.is_switch()) {
      add_switch(command, form, [take] { take(""); });
      continue;
    }
    add_texts(command, fmt::format("--{}", form.name), std::string(form.form),
              fmt::format("{}, for example {}", form.help, form.example), take);
  }
  add_texts(command, "--unsupported", "FILE", "table of op types that devices cannot run: lines of npu,Resize",
            [&flags](const std::string& path) { flags.tables.push_back(path); });
  add_texts(command, "--constraints", "FILE", "TOML file with all of these; flags add to it",
            [&flags](const std::string& path) { flags.files.push_back(path); });
}

Result<std::vector<Demand>> demands_of(const ConstraintFlags& flags) {
  std::vector<Demand> demands;
  for (const auto& [form, text] : flags.given) {
    BERTH_TRY(Demand demand, parse_demand(*form, text, source_of_flag(*form, text)));
    demands.push_back(std::move(demand));
  }
  for (const std::string& path : flags.files) {
    BERTH_TRY(std::vector<Demand> more, load_constraints(path));
    append(demands, std::move(more));
  }
  for (const std::string& path : flags.tables) {
    BERTH_TRY(std::vector<Demand> more, load_unsupported(path));
    append(demands, std::move(more));
  }
  return demands;
}

Result<Problem> constrained(Problem problem, const std::vector<Demand>& demands, InputNotes& notes) {
  if (demands.empty()) return problem;
  BERTH_TRY(const std::vector<ResolvedDemand> resolved, resolve_demands(problem.graph(), problem.machine(), demands));
  BERTH_TRY(Problem result, constrain(problem, resolved));
  if (const auto clash = find_memory_clash(problem, resolved)) {
    notes.add({fmt::format("warning: no plan will fit in memory: {}", *clash)});
  }
  return result;
}

Status check_demands(const ConstraintFlags& flags, const Problem& problem, const Plan& plan) {
  BERTH_TRY(const std::vector<Demand> demands, demands_of(flags));
  BERTH_TRY(const std::vector<ResolvedDemand> resolved, resolve_demands(problem.graph(), problem.machine(), demands));
  if (const auto broken = find_broken(problem, plan, resolved)) return bad_input("{}", *broken);
  return {};
}

}  // namespace berth::app
