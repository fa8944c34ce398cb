// SPDX-License-Identifier: Apache-2.0
#include "app/output/llm_output.h"

#include <algorithm>
#include <cmath>

#include "app/output/llm_tuned.h"
#include "app/output/output.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "services/serving/llm_facts.h"
#include "services/serving/llm_problems.h"
#include "services/words.h"
#include "serving/kv_cache.h"

namespace berth::app {
namespace {

constexpr int kBarWidth = 24;

// "[wwwwccr.......]": weights, cache, runtime, free.
std::string memory_bar(Bytes weights, Bytes cache, Bytes runtime, Bytes capacity) {
  if (capacity <= 0) return "[]";
  std::string bar;
  Bytes sum = 0;
  for (const auto& [bytes, letter] : {std::pair(weights, '#'), std::pair(cache, '+'), std::pair(runtime, '-')}) {
    sum += bytes;
    const double share = static_cast<double>(sum) / static_cast<double>(capacity);
    const auto until = static_cast<std::size_t>(std::min(1.0, share) * kBarWidth + 0.5);
    if (bar.size() < until) bar.append(until - bar.size(), letter);
  }
  bar.resize(kBarWidth, '.');
  return fmt::format("[{}]", bar);
}

// "0-11, 13": runs of numbers.
std::string ranges_text(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    words.push_back(last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return join(words, ", ");
}

// What is on a device: "layers 0-11 and head, feed-forward of 20-31".
std::string contents(const llm::Placement& placement, const LlmDeviceUse& use) {
  std::vector<std::string> words;
  if (placement.input == use.device) words.emplace_back("embeddings");
  if (!use.layers.empty()) words.push_back(fmt::format("layers {}", ranges_text(use.layers)));
  if (!use.feed_forwards.empty()) words.push_back(fmt::format("feed-forward of {}", ranges_text(use.feed_forwards)));
  if (placement.output == use.device) words.emplace_back("head");
  return words.empty() ? "nothing" : join(words, ", ");
}

std::string tokens(double per_second) {
  return per_second >= 100 ? group_digits(static_cast<std::uint64_t>(per_second + 0.5))
                           : fmt::format("{:.3g}", per_second);
}

std::string memory_table(const LlmAnswer& answer) {
  Table table = Table::headed({"", "", "# weights + cache - runtime", ">weights", ">cache", ">runtime", ">free", ""});
  for (const LlmDeviceUse& use : device_uses(answer)) {
    const Device& device = answer.machine->device(use.device);
    table.add({device.name, device.model, memory_bar(use.weights, use.cache, use.runtime, use.capacity),
               format_bytes(use.weights), format_bytes(use.cache), format_bytes(use.runtime),
               use.free >= 0 ? format_bytes(use.free) : fmt::format("lacks {}", format_bytes(-use.free)),
               contents(answer.placement(), use) + (device.pool.empty() ? "" : "; memory is shared")});
  }
  return table.text("  ");
}

std::string_view name_of(StepBound bound) {
  switch (bound) {
    case StepBound::kMemory:
      return "memory";
    case StepBound::kArithmetic:
      return "arithmetic";
    case StepBound::kLinks:
      return "links";
    case StepBound::kCopies:
      break;
  }
  return "copies of weights to a GPU";
}

// What takes a step's time: the two busiest devices, copies of weights, and the links.
std::string limits_text(const LlmAnswer& answer, llm::Phase phase) {
  const StepLimits limits = step_limits(answer, phase);
  std::vector<std::string> words;
  for (const auto& [device, share] : std::span(limits.devices).first(std::min<std::size_t>(2, limits.devices.size()))) {
    if (share >= 0.005) words.push_back(fmt::format("{} {}", answer.machine->device(device).name, percent(share)));
  }
  if (limits.copies > 0.0) words.push_back(fmt::format("copies {}", percent(limits.copies)));
  words.push_back(fmt::format("links {}", percent(limits.links)));
  return fmt::format("{}; time on {}", name_of(limits.bound), join(words, ", "));
}

// Of several sequences: what each of them sees of the sum.
std::string each(const LlmAnswer& answer, llm::Phase phase, double speed) {
  const std::int64_t sequences = answer.options.cache.sequences;
  if (phase == llm::Phase::kPrefill || sequences == 1) return "";
  return fmt::format(" in all, {} each", tokens(speed / static_cast<double>(sequences)));
}

std::string request_line(const LlmAnswer& answer) {
  if (!answer.is_request()) return "";
  const llm::Mix& mix = answer.options.mix;
  return fmt::format(
      "  a request of {} tokens in and {} out: first word after {}, all after {}\n",
      group_digits(static_cast<std::uint64_t>(mix.prompt)), group_digits(static_cast<std::uint64_t>(mix.generated)),
      format_seconds(answer.first_token_s(answer.verdict())), format_seconds(answer.verdict().request_s));
}

std::string speed_table(const LlmAnswer& answer) {
  Table table = Table::headed({"", ">predicted", "runtimes reach", "bound by"});
  const auto add = [&](const char* name, llm::Phase phase, double speed, const Band& band) {
    table.add({name, fmt::format("{} tok/s", tokens(speed)) + each(answer, phase, speed),
               fmt::format("{} to {}", tokens(speed * band.low), tokens(speed * band.high)),
               limits_text(answer, phase)});
  };
  add("decode", llm::Phase::kDecode, answer.decode_tokens(answer.verdict().decode_s), kDecodeBand);
  add("prefill", llm::Phase::kPrefill, answer.prefill_tokens(answer.verdict().prompt_s), kPrefillBand);
  return table.text("  ") + request_line(answer);
}

std::string missing(const LlmAnswer& answer, const llm::Verdict& verdict) {
  if (verdict.over_on == kNoDevice) return fmt::format("{} over", format_bytes(verdict.over));
  return fmt::format("{} over, on {}", format_bytes(verdict.over), answer.machine->device(verdict.over_on).name);
}

std::string gain(double ours_s, double theirs_s) {
  if (theirs_s <= 0.0 || ours_s <= 0.0) return "";
  const double ratio = theirs_s / ours_s;
  if (ratio > 0.995 && ratio < 1.005) return "as fast";
  return ratio > 1.0 ? fmt::format("ours is {:.2f}x as fast", ratio)
                     : fmt::format("{:.2f}x as fast as ours", 1.0 / ratio);
}

void add_rival(Table& table, const LlmAnswer& answer, const std::string& name, const llm::Verdict& verdict,
               const std::string& note) {
  if (!verdict.fits) {
    table.add({name, "OOM", "", missing(answer, verdict), note});
    return;
  }
  table.add({name, tokens(answer.decode_tokens(verdict.decode_s)), tokens(answer.prefill_tokens(verdict.prompt_s)),
             gain(answer.verdict().request_s, verdict.request_s), note});
}

std::string rivals_table(const LlmAnswer& answer) {
  Table table = Table::headed({"compared with", ">decode", ">prefill", "", ""});
  if (answer.given) add_rival(table, answer, answer.given->source, answer.given->verdict, "");
  for (const llm::JudgedRival& rival : answer.search.rivals) {
    const std::string off = rival.verdict.unpinned > 0 ? "; not as pinned" : "";
    add_rival(table, answer, std::string(rival.name), rival.verdict, rival.note + off);
  }
  return table.text("  ");
}

std::string what_if_table(const LlmAnswer& answer) {
  if (answer.what_ifs.empty()) return "";
  Table table = Table::headed({"what if: with", ">decode", ">prefill", ""});
  const double ours = answer.verdict().request_s;
  for (const llm::WhatIf& what : answer.what_ifs) {
    if (!what.fits) {
      table.add({what.change, "OOM", "", fmt::format("{} over", format_bytes(what.over))});
      continue;
    }
    const double change = ours / what.request_s - 1.0;
    const bool is_rescue = !answer.verdict().fits;
    const std::string word = is_rescue                  ? "fits"
                             : std::abs(change) < 0.005 ? "no change"
                                                        : fmt::format("{:+.0f} %", 100.0 * change);
    table.add({what.change, tokens(answer.decode_tokens(what.decode_s)), tokens(answer.prefill_tokens(what.prefill_s)),
               word});
  }
  return fmt::format("\n{}", table.text("  "));
}

std::string trained_words(const LlmAnswer& answer) {
  const std::int64_t trained = answer.model->config.context;
  if (trained <= 0) return "";
  if (answer.options.cache.context > trained) {
    return fmt::format(" (it was trained for {})", group_digits(static_cast<std::uint64_t>(trained)));
  }
  const std::int64_t whole = trained / llm::kCellPadding * llm::kCellPadding;
  return answer.context_at_all >= whole ? " (all it was trained for)" : "";
}

std::string context_line(const LlmAnswer& answer) {
  const auto words = [&](std::int64_t context) {
    return context == 0 ? std::string("none") : group_digits(static_cast<std::uint64_t>(context));
  };
  if (answer.context_at_all == 0) return "  no context fits on this machine\n";
  if (answer.serving->accelerators().empty()) {
    return fmt::format("  largest context that fits: {}{}\n", words(answer.context_at_all), trained_words(answer));
  }
  return fmt::format("  largest context that fits: {} with all layers on GPUs, {} at all{}\n",
                     words(answer.context_on_gpus), words(answer.context_at_all), trained_words(answer));
}

// What placing experts one by one is worth.
std::string experts_text(const LlmAnswer& answer) {
  if (!answer.experts) return "";
  const llm::ExpertPlan& plan = *answer.experts;
  const double gain = plan.by_layers_s / plan.decode_s;
  const std::string worth = plan.uniform || gain < 1.03
                                ? "which gains nothing but the memory that whole layers leave over"
                                : fmt::format("{:.2f}x as fast, if a runtime could load it", gain);
  return fmt::format(
      "\n  experts one by one: {} of picks find theirs on a GPU; decode {} tok/s against {} by -ncmoe {} in the same "
      "memory, {}{}\n",
      percent(plan.picked_on_gpus), tokens(answer.decode_tokens(plan.decode_s)),
      tokens(answer.decode_tokens(plan.by_layers_s)), plan.layers_on_cpu, worth,
      plan.uniform ? " (routing is taken as uniform: every expert as likely; a trace of yours may show otherwise)"
                   : "");
}

std::string where_missing(const LlmAnswer& answer) {
  const DeviceId device = answer.verdict().over_on;
  return device == kNoDevice ? "" : fmt::format(", most of it on {}", answer.machine->device(device).name);
}

}  // namespace

std::string llm_page(const LlmAnswer& answer) {
  const llm::Model& model = *answer.model;
  const llm::CacheSettings& cache = answer.options.cache;
  std::string page = fmt::format(
      "{} ({}, {} layers, {} parameters, {} of weights) on {} for {}\ncontext {}{}, cache {} ({})\n\n",
      clean(model.title), clean(model.config.architecture), model.config.layers,
      format_count(static_cast<double>(model.parameters())), format_bytes(model.weight_bytes()), answer.machine->name(),
      name_of(answer.options.runtime), group_digits(static_cast<std::uint64_t>(cache.context)),
      cache.sequences > 1 ? fmt::format(" x {} sequences", cache.sequences) : "",
      format_bytes(llm::cache_bytes(model.config, cache)), cache.key_type->name);
  page += memory_table(answer) + "\n";
  if (answer.verdict().fits) {
    page += speed_table(answer);
  } else {
    page +=
        fmt::format("  it does not fit: {} too much{}\n", format_bytes(answer.verdict().over), where_missing(answer));
  }
  page += context_line(answer) + tuned_text(answer) + "\n" + rivals_table(answer) + what_if_table(answer) +
          experts_text(answer);
  for (const LlmProblem& problem : problems_of(answer))
    page += fmt::format("\n{}: {}\n", answer.verdict().fits ? "hint" : "problem", clean(line_of(problem)));
  for (const std::string& note : answer.notes) page += fmt::format("\nnote: {}\n", clean(note));
  return page;
}

std::string tensor_table(const LlmAnswer& answer) {
  Table table = Table::headed({"tensor", "device", ">bytes"});
  for (const llm::Tensor& tensor : answer.model->tensors) {
    const DeviceId device = answer.placement().device_of(tensor.layer, tensor.part);
    table.add({tensor.name, answer.machine->device(device).name, fmt::format("{}", tensor.bytes)});
  }
  return table.text();
}

}  // namespace berth::app
