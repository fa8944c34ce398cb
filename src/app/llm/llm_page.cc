// SPDX-License-Identifier: Apache-2.0
// The one-screen answer of `berth llm`.
#include <algorithm>
#include <cmath>

#include "app/llm/llm_request.h"
#include "app/output/output.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "problem/cost/cost_model.h"
#include "services/words.h"
#include "serving/kv_cache.h"

namespace berth::app {
namespace {

using enum Table::Align;
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

// What is on a device: "layers 0-11 and head, feed-forward of 20-31".
std::string contents(const llm::Placement& placement, DeviceId device) {
  std::vector<std::int64_t> homes, moved;
  for (std::size_t i = 0; i < placement.home.size(); ++i) {
    if (placement.home[i] == device) homes.push_back(static_cast<std::int64_t>(i));
    const bool here = std::ranges::find(placement.moved[i], device) != placement.moved[i].end();
    if (here && placement.home[i] != device) moved.push_back(static_cast<std::int64_t>(i));
  }
  std::vector<std::string> words;
  if (placement.input == device) words.emplace_back("words");
  if (!homes.empty()) words.push_back(fmt::format("layers {}", ranges_text(homes)));
  if (!moved.empty()) words.push_back(fmt::format("feed-forward of {}", ranges_text(moved)));
  if (placement.output == device) words.emplace_back("head");
  return words.empty() ? "nothing" : join(words, ", ");
}

std::string tokens(double per_second) {
  return per_second >= 100 ? group_digits(static_cast<std::uint64_t>(per_second + 0.5))
                           : fmt::format("{:.3g}", per_second);
}

// What the runtime takes on a device: what is reserved there, room for copies, and activations where it computes.
Bytes runtime_bytes(const LlmAnswer& answer, const llm::Serving::Load& load, DeviceId device) {
  const bool computes = load.weights + load.cache > 0;
  return answer.serving->reserved(device) + load.copies + (computes ? answer.serving->activations() : 0);
}

// What is left of a device's memory, or of the memory that it shares.
Bytes free_bytes(const LlmAnswer& answer, const std::vector<llm::Serving::Load>& loads, DeviceId device) {
  const int pool = answer.machine->pool_of(device);
  Bytes free = answer.machine->capacity(device);
  for (const DeviceId id : answer.machine->device_ids()) {
    const bool counts = id == device || (pool >= 0 && answer.machine->pool_of(id) == pool);
    if (counts) free -= loads[index(id)].weights + loads[index(id)].cache + runtime_bytes(answer, loads[index(id)], id);
  }
  return free;
}

std::string memory_table(const LlmAnswer& answer) {
  const llm::Serving& serving = *answer.serving;
  const llm::Placement& placement = answer.search.best.placement;
  const std::vector<llm::Serving::Load> loads = serving.loads(placement);
  Table table({kLeft, kLeft, kLeft, kRight, kRight, kRight, kRight, kLeft});
  table.add({"", "", "# weights + cache - runtime", "weights", "cache", "runtime", "free", ""});
  for (const DeviceId id : answer.machine->device_ids()) {
    const bool used =
        id == serving.cpu() || std::ranges::find(serving.accelerators(), id) != serving.accelerators().end();
    if (!used) continue;
    const llm::Serving::Load& load = loads[index(id)];
    const Bytes capacity = answer.machine->capacity(id);
    const Bytes runtime = runtime_bytes(answer, load, id), free = free_bytes(answer, loads, id);
    const Device& device = answer.machine->device(id);
    table.add({device.name, device.model, memory_bar(load.weights, load.cache, runtime, capacity),
               format_bytes(load.weights), format_bytes(load.cache), format_bytes(runtime),
               free >= 0 ? format_bytes(free) : fmt::format("-{}", format_bytes(-free)),
               contents(placement, id) + (answer.machine->pool_of(id) >= 0 ? "; memory is shared" : "")});
  }
  return table.text("  ");
}

// One of the workloads, as the plan has it.
struct Step {
  llm::Phase phase;
  const Score& score;
  double seconds, copies_s;  // with and of copies of weights
};

// What most of a step's time goes to: reading memory, arithmetic, links, or weights copied to a GPU.
std::string bound_of(const LlmAnswer& answer, const Step& step) {
  const Problem& problem = answer.serving->problem(step.phase);
  const Plan plan = answer.serving->plan_of(answer.search.best.placement, step.phase);
  double memory = 0.0, arithmetic = 0.0, links = 0.0;
  for (const OpId op : problem.graph().ops()) {
    if (problem.graph().role(op) != Role::kCompute) continue;
    const Device& device = answer.machine->device(plan.device_of[index(op)]);
    const OpCost cost = price(problem.graph(), op, device);
    (2.0 * cost.compute_s >= cost.work_s ? arithmetic : memory) += op_time_s(cost, device);
  }
  for (const QueueUse& queue : step.score.queues) links += to_seconds(queue.busy);
  if (2.0 * step.copies_s >= step.seconds) return "copies of weights to a GPU";
  if (2.0 * links >= step.seconds) return "links";
  return memory >= arithmetic ? "memory" : "arithmetic";
}

// What takes a step's time: the two busiest devices, copies of weights, and the links.
std::string limits(const LlmAnswer& answer, const Step& step) {
  std::vector<std::pair<double, std::string>> shares;
  const double seconds = std::max(1e-12, step.seconds);
  double links = 0.0;
  for (const DeviceId id : answer.machine->device_ids()) {
    shares.emplace_back(to_seconds(step.score.devices[index(id)].busy) / seconds, answer.machine->device(id).name);
  }
  for (const QueueUse& queue : step.score.queues) links += to_seconds(queue.busy) / seconds;
  std::ranges::stable_sort(shares, std::ranges::greater(), [](const auto& entry) { return entry.first; });
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, shares.size()); ++i) {
    if (shares[i].first >= 0.005) words.push_back(fmt::format("{} {}", shares[i].second, percent(shares[i].first)));
  }
  if (step.copies_s > 0.0) words.push_back(fmt::format("copies {}", percent(step.copies_s / seconds)));
  words.push_back(fmt::format("links {}", percent(links)));
  return fmt::format("{}; time on {}", bound_of(answer, step), join(words, ", "));
}

std::string speeds(const LlmAnswer& answer) {
  const llm::Verdict& verdict = answer.search.best.verdict;
  const double decode = answer.decode_tokens(verdict), prefill = answer.prefill_tokens(verdict);
  Table table({kLeft, kRight, kLeft, kLeft});
  table.add({"", "predicted", "runtimes reach", "bound by"});
  table.add({"decode", fmt::format("{} tok/s", tokens(decode)),
             fmt::format("{} to {}", tokens(decode * kDecodeBand.low), tokens(decode * kDecodeBand.high)),
             limits(answer, {llm::Phase::kDecode, verdict.decode, verdict.decode_s, verdict.decode_copies_s})});
  table.add({"prefill", fmt::format("{} tok/s", tokens(prefill)),
             fmt::format("{} to {}", tokens(prefill * kPrefillBand.low), tokens(prefill * kPrefillBand.high)),
             limits(answer, {llm::Phase::kPrefill, verdict.prefill, verdict.prefill_s, verdict.prefill_copies_s})});
  return table.text("  ");
}

std::string gain(double ours_s, double theirs_s) {
  if (theirs_s <= 0.0 || ours_s <= 0.0) return "";
  const double ratio = theirs_s / ours_s;
  if (ratio > 0.995 && ratio < 1.005) return "as fast";
  return ratio > 1.0 ? fmt::format("ours is {:.2f}x as fast", ratio)
                     : fmt::format("{:.2f}x as fast as ours", 1.0 / ratio);
}

void add_row(Table& table, const LlmAnswer& answer, const std::string& name, const llm::Verdict& verdict,
             const std::string& note) {
  if (!verdict.fits) {
    table.add({name, "OOM", "", fmt::format("{} over", format_bytes(verdict.over)), note});
    return;
  }
  table.add({name, tokens(answer.decode_tokens(verdict)), tokens(answer.prefill_tokens(verdict)),
             gain(answer.search.best.verdict.request_s, verdict.request_s), note});
}

std::string comparison(const LlmAnswer& answer) {
  Table table({kLeft, kRight, kRight, kLeft, kLeft});
  table.add({"compared with", "decode", "prefill", "", ""});
  if (answer.given) add_row(table, answer, answer.given->source, answer.given->verdict, "");
  for (const llm::JudgedRival& rival : answer.search.rivals) {
    const std::string off = rival.verdict.unpinned > 0 ? "; not as pinned" : "";
    add_row(table, answer, std::string(rival.name), rival.verdict, rival.note + off);
  }
  return table.text("  ");
}

std::string what_ifs(const LlmAnswer& answer) {
  if (answer.what_ifs.empty()) return "";
  Table table({kLeft, kRight, kRight, kLeft});
  table.add({"what if: with", "decode", "prefill", ""});
  const double ours = answer.search.best.verdict.request_s;
  for (const WhatIf& what : answer.what_ifs) {
    if (!what.fits) {
      table.add({what.change, "OOM", "", fmt::format("{} over", format_bytes(what.over))});
      continue;
    }
    const double change = ours / what.request_s - 1.0;
    const std::string word = std::abs(change) < 0.005 ? "no change" : fmt::format("{:+.0f} %", 100.0 * change);
    table.add({what.change, tokens(static_cast<double>(answer.options.cache.sequences) / what.decode_s),
               tokens(static_cast<double>(answer.options.cache.prompt_batch) / what.prefill_s), word});
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
  return fmt::format("  largest context that fits: {} with all layers on GPUs, {} at all{}\n",
                     words(answer.context_on_gpus), words(answer.context_at_all), trained_words(answer));
}

}  // namespace

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
  if (answer.search.best.verdict.fits) {
    page += speeds(answer);
  } else {
    page += fmt::format("  it does not fit: {} too much\n", format_bytes(answer.search.best.verdict.over));
  }
  page += context_line(answer) + "\n" + comparison(answer) + what_ifs(answer);
  for (const std::string& note : answer.notes) page += fmt::format("\nnote: {}\n", clean(note));
  if (answer.given) {
    for (const std::string& note : answer.given->notes) page += fmt::format("\nnote: {}\n", clean(note));
  }
  return page;
}

}  // namespace berth::app
