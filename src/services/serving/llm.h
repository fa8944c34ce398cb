// SPDX-License-Identifier: Apache-2.0
// A language model on a machine, as somebody asks: where its layers go under a runtime's rules, how fast that is, and
// what others would make of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/plan/outcome.h"
#include "serving/files/runtime_devices.h"
#include "serving/plan/experts.h"
#include "serving/plan/search.h"
#include "serving/plan/what_if.h"

namespace berth {

// What is asked for unless said otherwise: a prompt of a few pages, an answer of one.
inline constexpr llm::Mix kUsualRequest{2000.0, 300.0};

struct LlmRequest {
  std::string model, machine;  // load_language_model() and load_machine() say what may stand there
  llm::Runtime runtime = llm::Runtime::kLlamaCpp;
  llm::Mix mix = kUsualRequest;
  std::string weights = {}, cache_type = {}, backend = {};         // empty: by default
  std::string projector = {};                                      // an mmproj file beside the model; empty: none
  std::uint64_t context = 0, sequences = 0, prompt_batch = 0;      // 0: as the given flags say, or by default
  std::int64_t depth = -1;                                         // tokens in the cache; -1: as the request has
  Bytes context_bytes = Bytes{512} << 20;                          // what a driver's context takes on each GPU
  Bytes host_bytes = Bytes{2} << 30;                               // of the system and the program on the CPU
  std::vector<std::string> reserves = {}, pins = {};               // gpu0=1.5GiB; 0-3=gpu0
  std::vector<std::string> margins = {};                           // 512MiB, gpu0=2GiB; 1 GiB a card unless said
  std::vector<std::string> without = {}, last = {}, servers = {};  // devices; gpu2=HOST:PORT
  // A plan of their own, at most one of these: flags of llama.cpp, the file of a device_map, layers per stage.
  std::string given_flags = {}, device_map = {}, partition = {};
  std::string learned = {};  // a file with what runs have shown of the machine (berth-served/1); empty: none
  std::string routing = {};  // a file that says how often experts are picked, or "uniform"; empty: nobody asks
  bool what_if = true;

  [[nodiscard]] bool has_given() const { return !given_flags.empty() || !device_map.empty() || !partition.empty(); }
};

// A plan that somebody brought.
struct GivenPlan {
  std::string source;
  llm::Placement placement;
  llm::Verdict verdict;
  std::vector<std::string> notes;
};

struct TunedLlm;  // services/serving/llm_tune.h

struct LlmAnswer {
  std::shared_ptr<const llm::Model> model;
  std::shared_ptr<const Machine> machine;
  llm::ServingOptions options;
  LlamaNames names;                             // of devices, for llama.cpp
  std::string projector;                        // an mmproj file; empty: none
  std::shared_ptr<llm::Serving> serving, brim;  // with the margins kept free, and without: for plans that are not ours
  llm::PlacementSearch search;
  double search_s = 0.0;
  std::optional<GivenPlan> given;
  std::vector<llm::WhatIf> what_ifs;
  std::optional<llm::ExpertPlan> experts;                // if asked for
  std::int64_t context_on_gpus = 0, context_at_all = 0;  // the largest ones; 0: none
  std::vector<std::string> notes;                        // with those about the given plan
  bool is_batch_free = false;                            // whether the batch of a prompt is ours to choose
  std::shared_ptr<const TunedLlm> tuned;                 // what runs of plans gave, once there were any

  [[nodiscard]] const llm::Placement& placement() const { return search.best.placement; }
  [[nodiscard]] const llm::Verdict& verdict() const { return search.best.verdict; }
  // Seconds until the first word of an answer, and whether a prompt is asked for at all.
  [[nodiscard]] double first_token_s(const llm::Verdict& verdict) const {
    return options.mix.prompt * verdict.prompt_s / static_cast<double>(options.cache.prompt_batch) + verdict.decode_s;
  }
  [[nodiscard]] bool is_request() const { return options.mix.prompt > 0.0 && options.mix.generated > 0.0; }
  [[nodiscard]] double decode_tokens(double step_s) const {
    return static_cast<double>(options.cache.sequences) / step_s;
  }
  [[nodiscard]] double prefill_tokens(double step_s) const {
    return static_cast<double>(options.cache.prompt_batch) / step_s;
  }
};
Result<LlmAnswer> answer_llm(const LlmRequest& request);

// Makes a search's best plan that of the answer.
Status adopt(std::shared_ptr<llm::Serving> serving, llm::PlacementSearch search, LlmAnswer& answer);

// That a plan of the answer breaks a rule is a bug, which ends the program (services/plan/run_planner.h). answer_llm()
// has asked it.
void check_verified(const LlmAnswer& answer);

// A placement as the outcome of its decode step, for plan files.
Outcome decode_outcome(const LlmAnswer& answer, const llm::Placement& placement, std::string planner);

// How far the truth may be from a prediction, as factors of speed: nine of ten public measurements of GPUs are within
// that the constants were not fitted on, and fewer of CPUs (bench/llm_speeds.py).
struct Band {
  double low, high;
};
inline constexpr Band kDecodeBand{0.7, 1.5};
inline constexpr Band kPrefillBand{0.6, 1.7};

}  // namespace berth
