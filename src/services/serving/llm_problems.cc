// SPDX-License-Identifier: Apache-2.0
#include "services/serving/llm_problems.h"

#include <algorithm>
#include <array>

#include "base/units.h"
#include "services/serving/llm_facts.h"
#include "services/words.h"

namespace berth {
namespace {

constexpr double kMuchOfAPrompt = 0.5;       // share of a step that copies take
constexpr double kDiskBytesPerSecond = 3e9;  // of a common NVMe drive
constexpr std::int64_t kLeastUsefulContext = 1024;

// Types of llama-quantize by bits of a weight, as published files have them.
struct SmallerType {
  const char* name;
  double bits;
};
constexpr std::array kSmallerTypes{SmallerType{"q8_0", 8.5},    SmallerType{"q6_k", 6.6},    SmallerType{"q5_k_m", 5.7},
                                   SmallerType{"q4_k_m", 4.9},  SmallerType{"iq4_xs", 4.4},  SmallerType{"q3_k_m", 4.0},
                                   SmallerType{"iq3_xxs", 3.2}, SmallerType{"iq2_xxs", 2.2}, SmallerType{"iq1_s", 1.8}};

// The largest type whose weights leave `room`, if any does.
std::string type_within(const LlmAnswer& answer, Bytes room) {
  const double bits =
      8.0 * static_cast<double>(room) / static_cast<double>(std::max<std::int64_t>(1, answer.model->parameters()));
  const auto* const found =
      std::ranges::find_if(kSmallerTypes, [&](const SmallerType& type) { return type.bits <= bits; });
  return found == kSmallerTypes.end() ? "" : found->name;
}

// With more weights than GPUs and RAM hold, the system forgets those that are needed next: all that no GPU holds are
// read anew for every token (prima.cpp's README measured 0.3 s for 45B and 8 s for 60B on one desktop).
double disk_s(const LlmAnswer& answer) {
  Bytes left = answer.model->weight_bytes();
  for (const DeviceId gpu : answer.serving->accelerators()) left -= answer.serving->capacity(gpu);
  return static_cast<double>(std::max<Bytes>(0, left)) / kDiskBytesPerSecond;
}

std::string ways_out(const LlmAnswer& answer) {
  const std::int64_t context = answer.context_at_all;
  if (context >= kLeastUsefulContext) return fmt::format("take --ctx {}", context);
  const Bytes weights = answer.model->weight_bytes(), over = answer.verdict().over;
  const std::string type = weights > over ? type_within(answer, weights - over) : "";
  const std::string smaller =
      type.empty() ? fmt::format("no type of weights is small enough; {} more memory is needed", format_bytes(over))
                   : fmt::format("take weights of type {} or smaller, or {} more memory", type, format_bytes(over));
  if (answer.options.runtime != llm::Runtime::kLlamaCpp) return smaller;
  return fmt::format("{}; from a disk of 3 GB/s (mmap) llama.cpp would need about {} for each token", smaller,
                     format_seconds(disk_s(answer)));
}

void add_lacking(const LlmAnswer& answer, std::vector<LlmProblem>& problems) {
  if (answer.verdict().fits) return;
  for (const LlmDeviceUse& use : device_uses(answer)) {
    if (use.free >= 0) continue;
    problems.push_back(
        {answer.machine->device(use.device).name, fmt::format("lacks {}", format_bytes(-use.free)), ways_out(answer)});
  }
  if (problems.empty()) {
    problems.push_back({"", fmt::format("{} do not fit", format_bytes(answer.verdict().over)), ways_out(answer)});
  }
}

void add_copies(const LlmAnswer& answer, std::vector<LlmProblem>& problems) {
  const llm::Verdict& verdict = answer.verdict();
  if (!verdict.fits || verdict.prefill_copies_s < kMuchOfAPrompt * verdict.prefill_s) return;
  const double share = verdict.prefill_copies_s / verdict.prefill_s;
  const auto& home = answer.placement().home;
  const auto gpu = std::ranges::find_if(home, [&](DeviceId id) { return id != answer.serving->cpu(); });
  problems.push_back({gpu == home.end() ? "" : answer.machine->device(*gpu).name,
                      fmt::format("gets weights of the CPU anew for every {} tokens of a prompt, {} of the time",
                                  answer.options.cache.prompt_batch, percent(share)),
                      "a larger --prompt-batch copies less often if memory allows; a faster slot shortens each"});
}

void add_unused(const LlmAnswer& answer, std::vector<LlmProblem>& problems) {
  if (!answer.verdict().fits) return;
  const auto loads = answer.serving->loads(answer.placement());
  for (const DeviceId gpu : answer.serving->accelerators()) {
    if (loads[index(gpu)].sum() > 0) continue;
    problems.push_back({answer.machine->device(gpu).name, "holds nothing",
                        "the model is faster without it; keep it for another, or for more sequences"});
  }
}

}  // namespace

std::vector<LlmProblem> problems_of(const LlmAnswer& answer) {
  std::vector<LlmProblem> problems;
  add_lacking(answer, problems);
  add_copies(answer, problems);
  add_unused(answer, problems);
  return problems;
}

std::string line_of(const LlmProblem& problem) {
  return fmt::format("{}{}{}: {}", problem.where, problem.where.empty() ? "" : " ", problem.what, problem.remedy);
}

}  // namespace berth
