// SPDX-License-Identifier: Apache-2.0
// Serving: a language model on a machine under a runtime's rules, ready to judge placements. Both workloads are graphs
// of their own (serving/workload.h), simulated like any other; what the runtime itself needs on a device is reserved
// there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problem/cost/streaming.h"
#include "problem/problem.h"
#include "serving/placement.h"
#include "serving/workload.h"
#include "sim/simulator.h"

namespace berth::llm {

enum class Runtime : std::uint8_t {
  kLlamaCpp,    // layers in order over CPU and GPUs; gate, up and down tensors anywhere; words on the CPU; prompts are
                // computed on a GPU, to which weights of the CPU are copied each time
  kVllm,        // stages of whole layers on GPUs, nothing on the CPU
  kAccelerate,  // modules on GPUs; those on the CPU are copied to the first GPU each time they run
};
std::string_view name_of(Runtime runtime);  // "llama.cpp", "vllm", "accelerate"

// Seconds of a request: so many tokens of a prompt and so many new ones. {0, 1} asks for decode speed alone.
struct Mix {
  double prompt = 0.0, generated = 1.0;
};

struct ServingOptions {
  Runtime runtime = Runtime::kLlamaCpp;
  CacheSettings cache = {};
  Mix mix = {};
  std::vector<Bytes> reserve = {};         // per device, the user's; empty: nothing
  std::vector<Bytes> margin = {};          // per device, to stay free on GPUs; empty: nothing
  Bytes context_bytes = Bytes{512} << 20;  // what a driver's context takes on each GPU
  Bytes host_bytes = Bytes{2} << 30;       // of the system and the program on the CPU
  DeviceSet excluded = 0;                  // devices not to be used
  std::vector<DeviceId> pinned = {};       // home that a layer must have, kNoDevice where it is free; empty: all free
  std::int64_t depth = -1;                 // tokens in each cache; -1: those of the request, below
  std::vector<ServedShares> served = {};   // per device, what runs have shown; empty: nothing

  // Tokens in each cache: of a request on average, while its prompt is read and while it is answered. Without a prompt
  // or an answer the cache is full when decoding (-1) and empty when a prompt begins.
  [[nodiscard]] std::int64_t decode_depth() const;
  [[nodiscard]] std::int64_t prefill_depth() const;
  // Batches of a prompt that llama.cpp has on their way at once: as many as a logical batch (-b, 2048 tokens) holds.
  [[nodiscard]] std::int64_t batches_in_a_row() const;
};

// What a runtime computes in on each GPU: logits of a prompt batch, activations and the attention mask.
Bytes compute_buffer_bytes(const Config& config, const CacheSettings& cache);
// The same where the CPU computes all: the mask is gone before logits come, so the larger of the two counts, the words
// with what they are made of, or a layer (input, residual, gate, up, their product) with the mask.
Bytes host_buffer_bytes(const Config& config, const CacheSettings& cache);

struct Verdict {
  bool fits = false;
  Bytes over = 0;                                        // what does not fit, of all devices together
  DeviceId over_on = kNoDevice;                          // where most of it is missing
  std::int64_t unpinned = 0;                             // layers that are not where they are pinned
  double decode_s = 0.0, prefill_s = 0.0;                // of one step, with copies of weights
  double decode_copies_s = 0.0, prefill_copies_s = 0.0;  // of these: weights of the CPU on their way to a GPU
  double prompt_s = 0.0;   // a batch of a prompt among others: GPUs may work on several batches at once
  bool pipelined = false;  // whether they do
  double request_s = 0.0;  // by the mix: what is minimised
  Score decode, prefill;
};
// Fewest layers off their pins first, feasible before infeasible, then by request_s; what does not fit by what is
// over.
bool better(const Verdict& a, const Verdict& b);

class Serving {
 public:
  static Result<Serving> make(std::shared_ptr<const Model> model, std::shared_ptr<const Machine> machine,
                              const ServingOptions& options);

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] std::shared_ptr<const Model> shared_model() const { return model_; }
  [[nodiscard]] const Machine& machine() const { return *machine_; }
  [[nodiscard]] const ServingOptions& options() const { return options_; }
  [[nodiscard]] DeviceId cpu() const { return cpu_; }
  [[nodiscard]] const std::vector<DeviceId>& accelerators() const { return accelerators_; }  // that the runtime uses
  [[nodiscard]] const Problem& problem(Phase phase) const { return phase == Phase::kDecode ? *decode_ : *prefill_; }
  // What the ops of a workload's graph belong to, by OpId.
  [[nodiscard]] const std::vector<Berth>& berths(Phase phase) const {
    return phase == Phase::kDecode ? decode_berths_ : prefill_berths_;
  }
  [[nodiscard]] std::int64_t layers() const { return model_->config.layers; }

  // The placement as a plan of a workload's graph.
  [[nodiscard]] Plan plan_of(const Placement& placement, Phase phase) const;
  Verdict judge(const Placement& placement);
  [[nodiscard]] std::uint64_t simulations() const { return simulations_; }

  // Bytes that a placement puts on every device, without what the runtime reserves: weights, caches, and room for
  // weights of the CPU that are copied there.
  struct Load {
    Bytes weights = 0, cache = 0, copies = 0;
    [[nodiscard]] Bytes sum() const { return weights + cache + copies; }
  };
  [[nodiscard]] std::vector<Load> loads(const Placement& placement) const;
  [[nodiscard]] Bytes layer_bytes(std::int64_t layer) const;  // with its cache
  [[nodiscard]] Bytes part_bytes(std::int64_t layer, Part part) const;
  [[nodiscard]] Bytes output_bytes() const { return output_bytes_; }
  // Where a runtime puts towers: llama.cpp on its first GPU whatever else it is told, others beside the words.
  [[nodiscard]] DeviceId tower_device(DeviceId input) const;
  // By the user, the driver and the runtime, without the margin that stays free.
  [[nodiscard]] Bytes reserved(DeviceId device) const { return reserve_[index(device)] - margin(device); }
  [[nodiscard]] Bytes margin(DeviceId device) const;
  [[nodiscard]] ServedShares served(DeviceId device) const;
  // Room for weights and caches: memory less what is reserved, and less the activations of a prompt batch.
  [[nodiscard]] Bytes capacity(DeviceId device) const;
  [[nodiscard]] Bytes activations() const { return activations_; }
  // Bytes over the capacity of devices and pools together; 0: it fits.
  [[nodiscard]] Bytes overflow(const Placement& placement) const;
  [[nodiscard]] DeviceId fullest(const Placement& placement) const;  // the device that lacks most; kNoDevice: none

 private:
  Serving() = default;
  void add_sizes();
  // The GPU that computes with weights of the CPU, copied each time; kNoDevice: the CPU computes itself.
  [[nodiscard]] DeviceId borrower(const Placement& placement, Phase phase) const;
  [[nodiscard]] Bytes copy_room(const Placement& placement) const;
  // Moves what is computed with copies to the borrower. Returns the bytes that are copied.
  double move_copied(Plan& plan, Phase phase, DeviceId gpu) const;
  [[nodiscard]] double copied_share(const Berth& berth, Phase phase) const;
  [[nodiscard]] double copy_rate(DeviceId gpu) const;
  struct Timed {
    Score score;
    double seconds = 0.0, copies_s = 0.0;
  };
  Timed time(const Placement& placement, Phase phase);
  [[nodiscard]] bool is_pipelined(const Placement& placement) const;
  [[nodiscard]] double in_a_row_s(const Placement& placement, const Timed& prefill) const;
  // Whether the words serve as the head too, which a runtime that has both on the CPU keeps once.
  [[nodiscard]] bool shares_words(const Placement& placement) const;
  [[nodiscard]] Bytes room(Bytes memory) const { return memory > activations_ ? memory - activations_ : 0; }

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Machine> machine_;
  ServingOptions options_;
  DeviceId cpu_ = kNoDevice;
  std::vector<DeviceId> accelerators_;
  std::vector<Bytes> reserve_;
  std::vector<Berth> decode_berths_, prefill_berths_;
  std::shared_ptr<const Problem> decode_, prefill_;
  std::unique_ptr<Simulator> decode_simulator_, prefill_simulator_;
  std::uint64_t simulations_ = 0;
  std::vector<std::array<Bytes, 4>> layer_bytes_;  // rest without cache, gate, up, down
  std::vector<Bytes> cache_bytes_;
  Bytes input_bytes_ = 0, output_bytes_ = 0, tower_bytes_ = 0, activations_ = 0;
  Bytes tied_bytes_ = 0;  // of output_bytes_: the second copy of the words
};

}  // namespace berth::llm
