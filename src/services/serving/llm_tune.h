// SPDX-License-Identifier: Apache-2.0
// The best plans for a language model, run: llama.cpp's own bench tool says what they are worth, the best of them is
// kept, and the machine learns how far predictions were off.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "services/caller.h"
#include "services/serving/llm.h"

namespace berth {

struct TuneRequest {
  // Words as a shell's, which no shell reads. {model}, {flags}, {prompt}, {answer} and {depths} stand for what is to be
  // run; without any of them the words of llama-bench follow.
  std::string command = "llama-bench";
  std::string model;       // the file
  double limit_s = 600.0;  // for a plan, loading it included
  std::string learned;     // file to be written with what was learned of the machine; empty: none
};

// A plan that was run, or that would not run.
struct TunedPlan {
  std::string flags = {};  // to paste
  std::shared_ptr<llm::Serving> serving;
  std::shared_ptr<const llm::PlacementSearch> search;  // that it was found by
  llm::Judged judged;
  double decode_s = 0.0, prompt_s = 0.0;  // measured, of a token and of a batch of the prompt; 0: it would not run
  std::string failure = {};               // why

  [[nodiscard]] bool ran() const { return failure.empty(); }
  [[nodiscard]] double request_s(const llm::Mix& mix) const;  // measured
};

struct TunedLlm {
  std::vector<TunedPlan> plans;       // by what was predicted, the best first
  std::size_t kept = 0;               // the best by what was measured
  std::vector<ServedShares> learned;  // by device, of the machine
};

// Runs a few plans that differ, keeps the best in the answer, and writes what was learned. Plans that fail or hang are
// told to the caller; an error if none could be run.
Status tune_llm(const TuneRequest& request, LlmAnswer& answer, Caller& caller);

}  // namespace berth
