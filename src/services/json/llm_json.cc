// SPDX-License-Identifier: Apache-2.0
#include "services/json/llm_json.h"

#include <array>
#include <optional>

#include "files/json/json_writer.h"
#include "services/serving/llm_export.h"
#include "services/serving/llm_facts.h"
#include "services/serving/llm_problems.h"
#include "services/serving/llm_tune.h"
#include "serving/kv_cache.h"

namespace berth {
namespace {

void write_verdict(JsonWriter& json, const LlmAnswer& answer, const llm::Verdict& verdict) {
  const auto known = [&](double value) { return verdict.fits ? std::optional(value) : std::nullopt; };
  json.members("fits", verdict.fits, "over_bytes", verdict.over, "decode_tokens_per_s",
               known(answer.decode_tokens(verdict.decode_s)), "prefill_tokens_per_s",
               known(answer.prefill_tokens(verdict.prompt_s)), "decode_step_s", known(verdict.decode_s),
               "prefill_step_s", known(verdict.prefill_s), "decode_copies_s", known(verdict.decode_copies_s),
               "prefill_copies_s", known(verdict.prefill_copies_s), "objective_value_s", known(verdict.request_s));
  json.members("prompt_batch_s", known(verdict.prompt_s), "pipelined", verdict.pipelined);
  if (answer.is_request()) json.members("first_token_s", known(answer.first_token_s(verdict)));
}

void write_served_model(JsonWriter& json, const llm::Model& model) {
  const auto write = [&] {
    json.members("title", model.title, "architecture", model.config.architecture, "layers", model.config.layers,
                 "parameters", model.parameters(), "weight_bytes", model.weight_bytes(), "tensors",
                 model.tensors.size());
  };
  json.object("model", write, JsonLayout::kLines);
}

// As the page counts them: with the activations of a device that computes.
Bytes runtime_bytes(const llm::Serving& serving, const llm::Serving::Load& load, DeviceId id) {
  const bool computes = load.weights + load.cache > 0;
  return serving.reserved(id) + load.copies + (computes ? serving.activations() : 0);
}

void write_served_devices(JsonWriter& json, const LlmAnswer& answer) {
  const llm::Serving& serving = *answer.serving;
  const auto loads = serving.loads(answer.placement());
  json.objects("devices", answer.machine->device_ids(), [&](DeviceId id) {
    const llm::Serving::Load& load = loads[index(id)];
    json.members("name", answer.machine->device(id).name, "weight_bytes", load.weights, "cache_bytes", load.cache,
                 "runtime_bytes", runtime_bytes(serving, load, id), "capacity_bytes", answer.machine->capacity(id),
                 "decode_busy_s", to_seconds(answer.verdict().decode.devices[index(id)].busy));
  });
}

void write_layers(JsonWriter& json, const LlmAnswer& answer) {
  const llm::Placement& placement = answer.placement();
  const auto name = [&](DeviceId id) { return answer.machine->device(id).name; };
  json.members("input", name(placement.input), "output", name(placement.output));
  std::size_t layer = 0;
  json.objects("layers", placement.home, [&](DeviceId home) {
    const auto& moved = placement.moved[layer++];
    json.members("home", name(home), "gate", name(moved[0]), "up", name(moved[1]), "down", name(moved[2]));
  });
}

void write_others(JsonWriter& json, const LlmAnswer& answer) {
  json.objects("rivals", answer.search.rivals, [&](const llm::JudgedRival& rival) {
    json.members("name", rival.name, "note", rival.note);
    write_verdict(json, answer, rival.verdict);
  });
  if (answer.given) {
    json.object("given", [&] {
      json.members("source", answer.given->source);
      write_verdict(json, answer, answer.given->verdict);
    });
  }
  json.objects("what_if", answer.what_ifs, [&](const llm::WhatIf& what) {
    const auto known = [&](double value) { return what.fits ? std::optional(value) : std::nullopt; };
    json.members("change", what.change, "fits", what.fits, "decode_step_s", known(what.decode_s), "prefill_step_s",
                 known(what.prefill_s), "objective_value_s", known(what.request_s));
  });
}

std::string_view name_of(StreamedOp op) {
  switch (op) {
    case StreamedOp::kExperts:
      return "experts";
    case StreamedOp::kAttention:
      return "attention";
    default:
      return "product";
  }
}

void write_parts(JsonWriter& json, const LlmAnswer& answer, llm::Phase phase) {
  const char* key = phase == llm::Phase::kDecode ? "decode_parts" : "prefill_parts";
  constexpr std::array kBits{16, 8, 4};
  json.objects(key, step_parts(answer, phase), [&](const StepPart& part) {
    json.members("device", answer.machine->device(part.device).name, "table", part.table, "op", name_of(part.type.op),
                 "bits", kBits[static_cast<std::size_t>(part.type.bits)], "arithmetic_s", part.arithmetic_s,
                 "traffic_s", part.traffic_s, "ops", part.ops);
  });
}

// No runtime loads it, so it is for programs of people's own: a device for every expert of every layer.
void write_experts(JsonWriter& json, const LlmAnswer& answer) {
  if (!answer.experts) return;
  const llm::ExpertPlan& plan = *answer.experts;
  json.object("experts", [&] {
    json.members("uniform", plan.uniform, "decode_step_s", plan.decode_s, "by_layers_decode_step_s", plan.by_layers_s,
                 "layers_on_cpu", plan.layers_on_cpu, "picked_on_gpus", plan.picked_on_gpus);
    std::int64_t layer = 0;
    json.objects("layers", plan.device_of, [&](const std::vector<DeviceId>& devices) {
      std::vector<std::string> names;
      for (const DeviceId id : devices) names.push_back(answer.machine->device(id).name);
      json.members("layer", layer++);
      json.list("devices", names);
    });
  });
}

// Plans that were run, and what devices reached of what was expected of them.
void write_tuned(JsonWriter& json, const LlmAnswer& answer) {
  if (!answer.tuned) return;
  const TunedLlm& tuned = *answer.tuned;
  json.object("tuned", [&] {
    json.members("kept", tuned.kept).objects("plans", tuned.plans, [&](const TunedPlan& plan) {
      const auto batch = static_cast<double>(plan.serving->options().cache.prompt_batch);
      const auto rate = [&](double tokens, double seconds) {
        return plan.ran() ? std::optional(tokens / seconds) : std::nullopt;
      };
      const llm::Verdict& verdict = plan.judged.verdict;
      json.members("flags", plan.flags, "decode_tokens_per_s", rate(1.0, plan.decode_s), "prefill_tokens_per_s",
                   rate(batch, plan.prompt_s), "predicted_decode_tokens_per_s", 1.0 / verdict.decode_s,
                   "predicted_prefill_tokens_per_s", batch / verdict.prompt_s, "failure",
                   plan.ran() ? std::nullopt : std::optional(plan.failure));
    });
    json.objects("learned", answer.machine->device_ids(), [&](DeviceId id) {
      const ServedShares& shares = tuned.learned[index(id)];
      json.members("device", answer.machine->device(id).name, "arithmetic", shares.arithmetic, "memory", shares.memory,
                   "copies", shares.copies);
    });
  });
}

void write_served_export(JsonWriter& json, const LlmAnswer& answer) {
  const auto text = text_to_paste(answer, answer.options.runtime);
  json.members("export", text && answer.verdict().fits ? *text : "");  // what does not fit is not to be pasted
  if (answer.options.runtime != llm::Runtime::kLlamaCpp) return;
  json.objects("patterns", moved_tensors(answer),
               [&](const MovedTensors& moved) { json.members("regex", moved.regex, "buffer", moved.buffer); });
}

}  // namespace

std::string llm_json(const LlmAnswer& answer) {
  return json_document([&](JsonWriter& json) {
    const llm::CacheSettings& cache = answer.options.cache;
    write_served_model(json, *answer.model);
    json.members("machine", answer.machine->name(), "runtime", name_of(answer.options.runtime), "context",
                 cache.context, "sequences", cache.sequences, "prompt_batch", cache.prompt_batch, "cache_bytes",
                 llm::cache_bytes(answer.model->config, cache), "compute_buffer_bytes",
                 answer.serving->accelerators().empty() ? llm::host_buffer_bytes(answer.model->config, cache)
                                                        : llm::compute_buffer_bytes(answer.model->config, cache));
    write_verdict(json, answer, answer.verdict());
    json.list("decode_band", std::array{kDecodeBand.low, kDecodeBand.high});
    json.list("prefill_band", std::array{kPrefillBand.low, kPrefillBand.high});
    json.members("search_s", answer.search_s, "simulations", answer.search.simulations, "largest_context_on_gpus",
                 answer.context_on_gpus, "largest_context", answer.context_at_all);
    write_served_devices(json, answer);
    write_parts(json, answer, llm::Phase::kDecode);
    write_parts(json, answer, llm::Phase::kPrefill);
    write_layers(json, answer);
    write_others(json, answer);
    write_experts(json, answer);
    write_tuned(json, answer);
    json.objects("problems", problems_of(answer), [&](const LlmProblem& problem) {
      json.members("device", problem.where, "what", problem.what, "remedy", problem.remedy);
    });
    json.list("notes", answer.notes, JsonLayout::kLines);
    write_served_export(json, answer);
  });
}

}  // namespace berth
