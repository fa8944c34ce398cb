// SPDX-License-Identifier: Apache-2.0
// The same answer for programs.
#include "app/llm/llm_request.h"
#include "app/output/input_output.h"
#include "files/json/json_writer.h"
#include "serving/files/llama_flags.h"
#include "serving/kv_cache.h"

namespace berth::app {
namespace {

void write_verdict(JsonWriter& json, const LlmAnswer& answer, const llm::Verdict& verdict) {
  json.key("fits").value(verdict.fits).key("over_bytes").value(verdict.over);
  json.key("decode_tokens_per_s").value(answer.decode_tokens(verdict));
  json.key("prefill_tokens_per_s").value(answer.prefill_tokens(verdict));
  json.key("decode_step_s").value(verdict.decode_s).key("prefill_step_s").value(verdict.prefill_s);
  json.key("decode_copies_s").value(verdict.decode_copies_s);
  json.key("prefill_copies_s").value(verdict.prefill_copies_s);
  json.key("objective_value_s").value(verdict.request_s);
}

void write_llm_model(JsonWriter& json, const LlmAnswer& answer) {
  const llm::Model& model = *answer.model;
  json.key("model").begin_object(JsonLayout::kLines).key("title").value(model.title);
  json.key("architecture").value(model.config.architecture).key("layers").value(model.config.layers);
  json.key("parameters").value(model.parameters()).key("weight_bytes").value(model.weight_bytes());
  json.key("tensors").value(model.tensors.size()).end_object();
}

void write_llm_devices(JsonWriter& json, const LlmAnswer& answer) {
  const llm::Serving& serving = *answer.serving;
  const auto loads = serving.loads(answer.search.best.placement);
  json.key("devices").begin_array(JsonLayout::kLines);
  for (const DeviceId id : answer.machine->device_ids()) {
    const llm::Serving::Load& load = loads[index(id)];
    json.begin_object().key("name").value(answer.machine->device(id).name);
    json.key("weight_bytes").value(load.weights).key("cache_bytes").value(load.cache);
    json.key("runtime_bytes")
        .value(serving.reserved(id) + load.copies)
        .key("capacity_bytes")
        .value(answer.machine->capacity(id));
    const Score& score = answer.search.best.verdict.decode;
    json.key("decode_busy_s").value(to_seconds(score.devices[index(id)].busy)).end_object();
  }
  json.end_array();
}

void write_layers(JsonWriter& json, const LlmAnswer& answer) {
  const llm::Placement& placement = answer.search.best.placement;
  const auto name = [&](DeviceId id) { return answer.machine->device(id).name; };
  json.key("input").value(name(placement.input)).key("output").value(name(placement.output));
  json.key("layers").begin_array(JsonLayout::kLines);
  for (std::size_t i = 0; i < placement.home.size(); ++i) {
    json.begin_object().key("home").value(name(placement.home[i])).key("gate").value(name(placement.moved[i][0]));
    json.key("up").value(name(placement.moved[i][1])).key("down").value(name(placement.moved[i][2])).end_object();
  }
  json.end_array();
}

void write_llm_notes(JsonWriter& json, const LlmAnswer& answer) {
  json.key("notes").begin_array(JsonLayout::kLines);
  for (const std::string& note : answer.notes) json.value(note);
  if (answer.given) {
    for (const std::string& note : answer.given->notes) json.value(note);
  }
  json.end_array();
}

void write_export(JsonWriter& json, const LlmAnswer& answer) {
  const auto text = exported(answer, "");
  json.key("export").value(text ? *text : "");
  if (answer.options.runtime != llm::Runtime::kLlamaCpp) return;
  const RuntimeDevices devices(*answer.machine, answer.names);
  const LlamaFlags flags = llama_flags(*answer.model, devices, answer.search.best.placement, answer.options.cache);
  json.key("patterns").begin_array(JsonLayout::kLines);
  for (const TensorPattern& pattern : flags.patterns) {
    json.begin_object().key("regex").value(pattern.regex).key("buffer").value(devices.buffer_of(pattern.device));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string llm_json(const LlmAnswer& answer) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  write_llm_model(json, answer);
  json.key("machine").value(answer.machine->name()).key("runtime").value(name_of(answer.options.runtime));
  json.key("context").value(answer.options.cache.context).key("sequences").value(answer.options.cache.sequences);
  json.key("cache_bytes").value(llm::cache_bytes(answer.model->config, answer.options.cache));
  write_verdict(json, answer, answer.search.best.verdict);
  json.key("decode_band").begin_array().value(kDecodeBand.low).value(kDecodeBand.high).end_array();
  json.key("prefill_band").begin_array().value(kPrefillBand.low).value(kPrefillBand.high).end_array();
  json.key("search_s").value(answer.search_s).key("simulations").value(answer.search.simulations);
  json.key("largest_context_on_gpus").value(answer.context_on_gpus);
  json.key("largest_context").value(answer.context_at_all);
  write_llm_devices(json, answer);
  write_layers(json, answer);
  json.key("rivals").begin_array(JsonLayout::kLines);
  for (const llm::JudgedRival& rival : answer.search.rivals) {
    json.begin_object().key("name").value(rival.name).key("note").value(rival.note);
    write_verdict(json, answer, rival.verdict);
    json.end_object();
  }
  json.end_array();
  if (answer.given) {
    json.key("given").begin_object().key("source").value(answer.given->source);
    write_verdict(json, answer, answer.given->verdict);
    json.end_object();
  }
  json.key("what_if").begin_array(JsonLayout::kLines);
  for (const WhatIf& what : answer.what_ifs) {
    json.begin_object().key("change").value(what.change).key("fits").value(what.fits);
    json.key("decode_step_s").value(what.decode_s).key("prefill_step_s").value(what.prefill_s);
    json.key("objective_value_s").value(what.request_s).end_object();
  }
  json.end_array();
  write_llm_notes(json, answer);
  write_export(json, answer);
  json.end_object();
  return std::move(json).take();
}

}  // namespace berth::app
