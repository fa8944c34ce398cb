// SPDX-License-Identifier: Apache-2.0
#include "services/serving/llm.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/text.h"
#include "base/units.h"
#include "files/files.h"
#include "services/plan/run_planner.h"
#include "services/problem/language_model.h"
#include "services/problem/problem_request.h"
#include "services/serving/llm_options.h"
#include "serving/files/device_map.h"
#include "serving/files/llama_flags_reader.h"

namespace berth {
namespace {

constexpr std::array kPhases{llm::Phase::kDecode, llm::Phase::kPrefill};
constexpr std::int64_t kLongestAsked = 1 << 20;  // of models that do not say what they were trained for

// GPUs that the plan uses and that another host is nearer to than this one, unless their servers are known.
void note_other_hosts(LlmAnswer& answer) {
  if (answer.options.runtime != llm::Runtime::kLlamaCpp) return;
  const Machine& machine = *answer.machine;
  const llm::Placement& placement = answer.search.best.placement;
  std::vector<std::string> remote;
  for (const DeviceId gpu : answer.serving->accelerators()) {
    const bool used = std::ranges::find(placement.home, gpu) != placement.home.end();
    const std::size_t hops = machine.route(answer.serving->cpu(), gpu).size();
    bool elsewhere = false;
    for (const DeviceId other : machine.device_ids()) {
      elsewhere |= machine.device(other).kind == DeviceKind::kCpu && machine.route(other, gpu).size() < hops;
    }
    if (used && elsewhere && answer.names.servers[index(gpu)].empty()) remote.push_back(machine.device(gpu).name);
  }
  if (remote.empty()) return;
  answer.notes.push_back(fmt::format(
      "on another host: {0}; start ggml-rpc-server there and say where it listens, for example --rpc {1}=HOST:PORT",
      join(remote, ", "), remote.front()));
}

Status check_pins(const LlmAnswer& answer) {
  const std::int64_t off = answer.search.best.verdict.unpinned;
  if (off == 0) return {};
  return bad_input(
      "--pin: {} layers cannot be where they are pinned; layers on the CPU come first, then one block per GPU", off);
}

bool spills(const LlmAnswer& answer) {
  const llm::Judged& best = answer.search.best;
  return !best.verdict.fits || best.shape.cpu_layers > 0 ||
         std::ranges::any_of(best.shape.blocks, [](const llm::Block& block) { return block.moved > 0; });
}

constexpr double kBatchGain = 0.03;  // of a request, for which a larger batch of the prompt is worth a flag

// The search at the prompt batch of the options, unless what is there already is as good.
Status search_at(std::int64_t prompt_batch, LlmAnswer& answer) {
  llm::ServingOptions options = answer.options;
  options.cache.prompt_batch = prompt_batch;
  BERTH_TRY(llm::Serving made, llm::Serving::make(answer.model, answer.machine, options));
  auto serving = std::make_shared<llm::Serving>(std::move(made));
  llm::PlacementSearch search = llm::find_placement(*serving);
  const llm::Verdict& found = search.best.verdict;
  if (answer.serving != nullptr) {
    const llm::Verdict& known = answer.verdict();
    const bool is_tie = found.fits == known.fits && found.unpinned == known.unpinned &&
                        found.request_s * (1.0 + kBatchGain) > known.request_s;
    if (is_tie || llm::better(known, found)) return {};
  }
  return adopt(std::move(serving), std::move(search), answer);
}

// llama.cpp takes prompts in batches of any size (-ub): larger ones copy weights of the CPU less often, and need room.
Status search_placement(LlmAnswer& answer, bool is_batch_free) {
  answer.serving = nullptr;
  const std::int64_t usual = answer.options.cache.prompt_batch;
  BERTH_RETURN_IF_ERROR(search_at(usual, answer));
  if (!is_batch_free || !answer.is_request()) return {};
  for (const std::int64_t larger : {2 * usual, 4 * usual}) {
    if (static_cast<double>(larger) > 1.1 * answer.options.mix.prompt || larger > answer.options.cache.context) break;
    BERTH_RETURN_IF_ERROR(search_at(larger, answer));
  }
  return {};
}

Result<GivenPlan> read_given(const LlmRequest& request, const LlamaFlags* line, const LlmAnswer& answer,
                             const RuntimeDevices& devices) {
  GivenPlan given;
  if (line != nullptr) {
    given.source = "your flags";
    given.notes = line->notes;
    if (line->leaves_it_open()) {
      given.placement = placement_of(llm::fitted(*answer.serving), *answer.serving);
      given.notes.emplace_back("your flags leave layers open, so llama.cpp fits them (--fit)");
    } else {
      BERTH_TRY(ReadPlacement read, placement_of_flags(*line, *answer.model, *answer.machine, devices));
      given.placement = std::move(read.placement);
      given.notes.insert(given.notes.end(), read.notes.begin(), read.notes.end());
    }
    if (request.context > 0 && line->context) {
      given.notes.push_back(fmt::format("your flags say -c {}; all is judged with --ctx {}", *line->context,
                                        answer.options.cache.context));
    }
  } else if (!request.device_map.empty()) {
    BERTH_TRY(std::string text, read_file(request.device_map));
    auto read = read_device_map(std::move(text), *answer.model, devices);
    if (!read) return within(request.device_map, read.error());
    given.source = "your device map";
    given.placement = std::move(read).value();
  } else {
    auto read = read_partition(request.partition, *answer.model, devices);
    if (!read) return within("--partition", read.error());
    given.source = "your partition";
    given.placement = std::move(read).value();
  }
  for (const llm::Phase phase : kPhases) {
    const auto broken = verify(answer.brim->problem(phase), answer.brim->plan_of(given.placement, phase));
    if (broken) return within(given.source, *broken);
  }
  given.verdict = answer.brim->judge(given.placement);
  if (given.verdict.fits && answer.serving->overflow(given.placement) > 0) {
    given.notes.push_back(fmt::format("{} leave less than the margin free on {} (--margin)", given.source,
                                      answer.machine->device(answer.serving->fullest(given.placement)).name));
  }
  const llm::Runtime theirs = line != nullptr               ? llm::Runtime::kLlamaCpp
                              : !request.device_map.empty() ? llm::Runtime::kAccelerate
                                                            : llm::Runtime::kVllm;
  if (theirs != answer.options.runtime) {
    given.notes.push_back(fmt::format("{} is judged as {} would run it; --runtime {} judges it as its own runtime does",
                                      given.source, name_of(answer.options.runtime), name_of(theirs)));
  }
  return given;
}

Status ask_contexts(LlmAnswer& answer) {
  const std::int64_t trained = answer.model->config.context;
  const std::int64_t most = std::max(answer.options.cache.context, trained > 0 ? trained : kLongestAsked);
  BERTH_TRY(answer.context_on_gpus, llm::largest_context(answer.model, answer.machine, answer.options, true, most));
  BERTH_TRY(answer.context_at_all, llm::largest_context(answer.model, answer.machine, answer.options, false, most));
  return {};
}

// Transformers keeps keys and values of every head where llama.cpp and vLLM keep one narrow vector (DeepSeek).
void expand_cache(LlmAnswer& answer) {
  if (answer.options.runtime != llm::Runtime::kAccelerate || !answer.model->config.is_latent()) return;
  auto model = std::make_shared<llm::Model>(*answer.model);
  model->config.kv_rank = 0;
  model->notes.emplace_back("transformers keeps keys and values of every head of this model, not their latent vectors");
  answer.model = std::move(model);
}

// llama.cpp has towers in a file of their own, which is loaded only if it is given.
void leave_towers_out(LlmAnswer& answer) {
  const Bytes bytes = answer.model->tower_bytes();
  if (bytes == 0) return;
  auto model = std::make_shared<llm::Model>(*answer.model);
  std::erase_if(model->tensors, [](const llm::Tensor& tensor) { return tensor.part == llm::Part::kTower; });
  model->notes.push_back(
      fmt::format("{} of towers for pictures or sound are left out; --mmproj FILE counts them as llama.cpp loads them",
                  format_bytes(bytes)));
  answer.model = std::move(model);
}

// With the GPUs that are a last choice only if they are needed.
Status search_all(LlmAnswer& answer, DeviceSet last, bool is_batch_free) {
  const auto start = std::chrono::steady_clock::now();
  const DeviceSet excluded = answer.options.excluded;
  answer.options.excluded |= last;
  Status searched = search_placement(answer, is_batch_free);
  if (last != 0 && (!searched || spills(answer))) {
    answer.options.excluded = excluded;
    searched = search_placement(answer, is_batch_free);
  }
  answer.search_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  BERTH_RETURN_IF_ERROR(searched);
  return check_pins(answer);
}

Status place_experts(const std::string& routing, LlmAnswer& answer) {
  if (routing.empty()) return {};
  const llm::Config& config = answer.model->config;
  llm::Routing picks = llm::uniform_routing(config);
  if (routing != "uniform") {
    BERTH_TRY(std::string text, read_file(routing));
    auto read = llm::read_routing(std::move(text), config);
    if (!read) return within(routing, read.error());
    picks = std::move(read).value();
  }
  auto plan = llm::plan_experts(*answer.serving, picks);
  if (!plan) return within("--routing", plan.error());
  answer.experts = std::move(plan).value();
  return {};
}

// The placement as the plans of both workloads.
void check_placed(const llm::Serving& serving, std::string_view who, const llm::Placement& placement) {
  for (const llm::Phase phase : kPhases) {
    check_verified(serving.problem(phase), who, serving.plan_of(placement, phase));
  }
}

Result<std::optional<LlamaFlags>> read_line(const std::string& text, const RuntimeDevices& devices) {
  if (text.empty()) return std::optional<LlamaFlags>();
  auto parsed = parse_llama_flags(text, devices);
  if (!parsed) return within("--flags", parsed.error());
  return std::optional(std::move(parsed).value());
}

}  // namespace

Result<LlmAnswer> answer_llm(const LlmRequest& request) {
  LlmAnswer answer;
  BERTH_TRY(answer.machine, load_machine(request.machine));
  const bool is_llama_cpp = request.runtime == llm::Runtime::kLlamaCpp;
  BERTH_TRY(answer.model, load_language_model({request.model, request.weights, is_llama_cpp, request.projector}));
  answer.options.runtime = request.runtime;
  answer.projector = request.projector;
  expand_cache(answer);
  if (is_llama_cpp && request.projector.empty()) leave_towers_out(answer);
  BERTH_TRY(answer.names, llama_names(request, *answer.machine));
  answer.notes = answer.model->notes;
  const RuntimeDevices devices(*answer.machine, answer.names);
  BERTH_TRY(const std::optional<LlamaFlags> line, read_line(request.given_flags, devices));
  const LlamaFlags* given = line ? &*line : nullptr;
  BERTH_TRY(answer.options, serving_options(request, given, *answer.model, *answer.machine));
  BERTH_TRY(const DeviceSet last, last_devices(request, *answer.machine));
  answer.is_batch_free = is_llama_cpp && request.prompt_batch == 0 && !request.has_given();
  BERTH_RETURN_IF_ERROR(search_all(answer, last, answer.is_batch_free));
  note_other_hosts(answer);
  if (request.has_given()) {
    BERTH_TRY(answer.given, read_given(request, given, answer, devices));
    answer.notes.insert(answer.notes.end(), answer.given->notes.begin(), answer.given->notes.end());
  }
  BERTH_RETURN_IF_ERROR(place_experts(request.routing, answer));
  BERTH_RETURN_IF_ERROR(ask_contexts(answer));
  if (request.what_if)
    answer.what_ifs = llm::ask_what_ifs(answer.model, answer.machine, answer.options, answer.placement());
  check_verified(answer);
  return answer;
}

Status adopt(std::shared_ptr<llm::Serving> serving, llm::PlacementSearch search, LlmAnswer& answer) {
  llm::ServingOptions brim = serving->options();
  brim.margin.clear();
  BERTH_TRY(llm::Serving full, llm::Serving::make(answer.model, answer.machine, brim));
  answer.brim = std::make_shared<llm::Serving>(std::move(full));
  for (llm::JudgedRival& rival : search.rivals) rival.verdict = answer.brim->judge(rival.placement);
  answer.options = serving->options();
  answer.serving = std::move(serving);
  answer.search = std::move(search);
  return {};
}

void check_verified(const LlmAnswer& answer) {
  check_placed(*answer.serving, "llm", answer.placement());
  for (const llm::JudgedRival& rival : answer.search.rivals) check_placed(*answer.brim, rival.name, rival.placement);
  for (const llm::WhatIf& what_if : answer.what_ifs) check_placed(*what_if.serving, what_if.change, what_if.placement);
}

Outcome decode_outcome(const LlmAnswer& answer, const llm::Placement& placement, std::string planner) {
  return score_plan(answer.serving->problem(llm::Phase::kDecode), std::move(planner),
                    answer.serving->plan_of(placement, llm::Phase::kDecode));
}

}  // namespace berth
