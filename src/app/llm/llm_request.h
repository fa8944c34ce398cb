// SPDX-License-Identifier: Apache-2.0
// What `berth llm` is asked, and what it answers: the flags as texts, the request they stand for, the answer that pages
// and JSON show.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/llm/llm_what_if.h"
#include "serving/files/runtime_devices.h"
#include "serving/plan/search.h"

namespace CLI {
class App;
}

namespace berth::app {

struct LlmFlags {
  std::string model, machine, runtime = "llama.cpp", objective = "decode", weights, cache_type, backend;
  std::vector<std::string> reserves, pins, without, last, servers;
  std::uint64_t context = 0, sequences = 0, prompt_batch = 0;  // 0: by default
  std::int64_t depth = -1;
  std::string context_memory = "512MiB", host_memory = "2GiB";
  std::string given_flags, device_map, partition;  // a plan of the user's own
  std::string to, output, given_output;
  bool what_if = true, json = false;
};
void add_llm_flags(CLI::App& command, LlmFlags& flags);

// A plan that the user brought.
struct GivenPlan {
  std::string source;
  llm::Placement placement;
  llm::Verdict verdict;
  std::vector<std::string> notes;
};

struct LlmAnswer {
  std::shared_ptr<const llm::Model> model;
  std::shared_ptr<const Machine> machine;
  llm::ServingOptions options;
  LlamaNames names;  // of devices, for llama.cpp
  std::shared_ptr<llm::Serving> serving;
  llm::PlacementSearch search;
  double search_s = 0.0;
  std::optional<GivenPlan> given;
  std::vector<WhatIf> what_ifs;
  std::int64_t context_on_gpus = 0, context_at_all = 0;
  std::vector<std::string> notes;

  [[nodiscard]] double decode_tokens(const llm::Verdict& verdict) const {
    return static_cast<double>(options.cache.sequences) / verdict.decode_s;
  }
  [[nodiscard]] double prefill_tokens(const llm::Verdict& verdict) const {
    return static_cast<double>(options.cache.prompt_batch) / verdict.prefill_s;
  }
};
Result<LlmAnswer> answer_llm(const LlmFlags& flags);

// How far the truth may be from a prediction, as factors of speed. Decode: streaming is priced at 0.8 of the bandwidth,
// runtimes reach 0.5 (llmfit pull request 137) to 0.82 (inference-sim issue 415). Prefill: products are priced at 0.6
// of the peak, runtimes reach 0.45 (inference-sim issue 762), kernels 0.795 (the fitted row of docs/cost-model.md).
struct Band {
  double low, high;
};
inline constexpr Band kDecodeBand{0.5 / 0.8, 0.82 / 0.8};
inline constexpr Band kPrefillBand{0.45 / 0.6, 0.795 / 0.6};

// "llama.cpp", "vllm", "accelerate"
std::string_view name_of(llm::Runtime runtime);
// What to paste, in the form that --to asks for; empty: that of the runtime.
Result<std::string> exported(const LlmAnswer& answer, const std::string& form);

// "0-11, 13": runs of numbers.
std::string ranges_text(const std::vector<std::int64_t>& numbers);
std::string llm_page(const LlmAnswer& answer);
std::string llm_json(const LlmAnswer& answer);

}  // namespace berth::app
