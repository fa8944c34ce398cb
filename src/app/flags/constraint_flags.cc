// SPDX-License-Identifier: Apache-2.0
#include "app/flags/constraint_flags.h"

#include <CLI/CLI.hpp>
#include <functional>

namespace berth::app {
namespace {

constexpr const char* kConstraintGroup = "Constraints (berth help constraints; each may be given several times)";

// A flag that takes one text each time it is given.
void add_texts(CLI::App& command, const std::string& flag, std::string form, const std::string& help,
               const std::function<void(const std::string&)>& take) {
  const auto take_all = [take](const CLI::results_t& all) {
    for (const std::string& text : all) take(text);
    return true;
  };
  command.add_option(flag, CLI::callback_t(take_all), help)
      ->type_name(std::move(form))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(kConstraintGroup);
}

void add_switch(CLI::App& command, const DemandForm& form, const std::function<void()>& take) {
  command.add_flag_callback(fmt::format("--{}", form.name), take, std::string(form.help))->group(kConstraintGroup);
}

}  // namespace

void add_constraint_flags(CLI::App& command, ConstraintTexts& texts) {
  for (const DemandForm& form : demand_forms()) {
    const auto take = [&texts, which = &form](const std::string& text) { texts.given.push_back({which, text}); };
    if (form.is_switch()) {
      add_switch(command, form, [take] { take(""); });
      continue;
    }
    add_texts(command, fmt::format("--{}", form.name), std::string(form.form),
              fmt::format("{}, for example {}", form.help, form.example), take);
  }
  add_texts(command, "--unsupported", "FILE", "table of op types that devices cannot run: lines of npu,Resize",
            [&texts](const std::string& path) { texts.tables.push_back(path); });
  add_texts(command, "--constraints", "FILE", "TOML file with all of these; flags add to it",
            [&texts](const std::string& path) { texts.files.push_back(path); });
}

}  // namespace berth::app
