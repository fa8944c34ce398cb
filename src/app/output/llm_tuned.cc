// SPDX-License-Identifier: Apache-2.0
#include "app/output/llm_tuned.h"

#include <utility>

#include "app/output/output.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "services/serving/llm_tune.h"

namespace berth::app {
namespace {

std::string rate_text(double per_second) {
  return per_second >= 100 ? group_digits(static_cast<std::uint64_t>(per_second + 0.5))
                           : fmt::format("{:.3g}", per_second);
}

void add_plan(Table& table, const LlmAnswer& answer, const TunedPlan& plan, bool is_kept) {
  const std::string name = (is_kept ? "> " : "  ") + clean(plan.flags);
  if (!plan.ran()) {
    table.add({name, "failed", "", "", "", "", clean(plan.failure)});
    return;
  }
  const llm::Verdict& verdict = plan.judged.verdict;
  const auto batch = static_cast<double>(plan.serving->options().cache.prompt_batch);
  table.add({name, rate_text(1.0 / plan.decode_s), rate_text(1.0 / verdict.decode_s), rate_text(batch / plan.prompt_s),
             rate_text(batch / verdict.prompt_s), format_seconds(plan.request_s(answer.options.mix)),
             fmt::format("{} predicted", format_seconds(verdict.request_s))});
}

// "gpu0: arithmetic 0.92, memory 1.1 of what was expected"
std::string learned_text(const Machine& machine, const TunedLlm& tuned) {
  std::string text;
  for (const DeviceId id : machine.device_ids()) {
    const ServedShares& shares = tuned.learned[index(id)];
    std::vector<std::string> words;
    for (const auto& [name, share] : {std::pair("arithmetic", shares.arithmetic), std::pair("memory", shares.memory),
                                      std::pair("copies", shares.copies)}) {
      if (share != 1.0) words.push_back(fmt::format("{} {:.3g}", name, share));
    }
    if (words.empty()) continue;
    text += fmt::format("  {}: {} times what was expected\n", machine.device(id).name, join(words, ", "));
  }
  return text;
}

}  // namespace

std::string tuned_text(const LlmAnswer& answer) {
  if (!answer.tuned) return "";
  const TunedLlm& tuned = *answer.tuned;
  Table table =
      Table::headed({"  plans that were run", ">decode", ">predicted", ">prefill", ">predicted", ">a request", ""});
  for (std::size_t i = 0; i < tuned.plans.size(); ++i) add_plan(table, answer, tuned.plans[i], i == tuned.kept);
  return "\n" + table.text("  ") + learned_text(*answer.machine, tuned);
}

}  // namespace berth::app
