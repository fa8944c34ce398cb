// SPDX-License-Identifier: Apache-2.0
#include "app/flags/learned_flags.h"

#include <algorithm>

#include "app/flags/options.h"
#include "app/learned.h"
#include "base/text.h"
#include "runs/methods.h"

namespace berth::app {
namespace {

// "default, paper, google (hierarchical) or released (hsdag)": those that not all planners have with theirs.
std::string preset_words() {
  std::vector<std::pair<std::string_view, std::vector<std::string>>> presets;  // with the planners that have them
  for (const learn::MethodInfo& method : learn::methods()) {
    for (const learn::Preset& preset : method.presets) {
      auto row = std::ranges::find(presets, preset.name, [](const auto& one) { return one.first; });
      if (row == presets.end()) row = presets.insert(row, {preset.name, {}});
      row->second.emplace_back(method.name);
    }
  }
  std::vector<std::string> words;
  for (const auto& [name, planners] : presets) {
    const bool has_all = planners.size() == learn::methods().size();
    words.push_back(has_all ? std::string(name) : fmt::format("{} ({})", name, join(planners, ", ")));
  }
  const std::string last = words.back();
  words.pop_back();
  return fmt::format("{} or {}", join(words, ", "), last);
}

}  // namespace

Catalog planner_catalog() { return Catalog(has_learned_planners() ? choose_learned : Catalog::ChooseLearned()); }

void add_policy_flags(CLI::App& command, PolicyFlags& flags) {
  CLI::Option* policy = add_text(command, "--policy", flags.run, "RUN",
                                 "a trained policy plans: the folder of a run (berth train), or default, which comes "
                                 "with berth; with --planner auto it makes the first plan");
  command
      .add_flag("--zero-shot", flags.zero_shot,
                "with --policy: only what the policy proposes, also for a graph that it has learned from")
      ->needs(policy);
  command
      .add_flag("--plain-samples", flags.plain_samples,
                "with --policy: samples of the policy as it is; default: policies of go propose under rising noise "
                "too, and try the order of the critical path for every placement")
      ->needs(policy);
  add_number(command, "--finetune", flags.finetune, {.low = 1},
             "with --policy: go on learning for this graph and machine, that many updates within the budget")
      ->needs(policy);
}

void add_learned_flags(CLI::App& command, LearnedFlags& flags) {
  constexpr const char* kLearned = "Learned planners (berth help training)";
  add_text(command, "--preset", flags.preset, "NAME", fmt::format("the figures to learn with: {}", preset_words()))
      ->group(kLearned);
  add_texts(command, "--option", flags.options, "NAME=VALUE",
            "one of them, for example groups=32, may be repeated; berth planners --options NAME lists all")
      ->group(kLearned);
  const auto placer = [&flags](const std::string& name) { flags.options.push_back(fmt::format("placer={}", name)); };
  command
      .add_option_function<std::string>("--placer", placer,
                                        "short for --option placer=...: lstm, transformer or feed-forward")
      ->type_name("NAME")
      ->group(kLearned);
  add_text(command, "--policy-device", flags.policy_device, "NAME", "where the policy computes: cpu (default) or cuda")
      ->group(kLearned);
}

}  // namespace berth::app
