// SPDX-License-Identifier: Apache-2.0
#include "serving/spec.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "serving/architecture.h"
#include "serving/presets.h"
#include "serving/workload.h"
#include "zoo/zoo.h"

namespace berth {
namespace {

constexpr std::string_view kCacheTypes = "f32|f16|bf16|q8_0|q5_1|q5_0|q4_1|q4_0|iq4_nl";
constexpr std::string_view kWeightTypes =
    "f32|f16|bf16|q8_0|q6_k|q5_k_m|q5_k_s|q5_k|q5_1|q5_0|q4_k_m|q4_k_s|q4_k|q4_1|q4_0|iq4_nl|iq4_xs|mxfp4|q3_k_l|"
    "q3_k_m|q3_k_s|q3_k|iq3_m|iq3_s|iq3_xs|iq3_xxs|q2_k|q2_k_s|iq2_m|iq2_s|iq2_xs|iq2_xxs|iq1_m|iq1_s|fp8|awq|gptq";

constexpr std::array kParameters{
    choice("mode", "decode", "decode|prefill", "one new token per sequence, or a batch of a prompt"),
    whole_number("ctx", 4096, 256, 16'777'216, "tokens that the cache of a sequence holds"),
    whole_number("depth", 0, 0, 16'777'216, "tokens in each cache; 0: when decoding it is full"),
    whole_number("batch", 1, 1, 4096, "sequences that are served at once"),
    whole_number("prompt", 512, 1, 65'536, "tokens of a prompt that are computed at once"),
    choice("weights", "q4_k_m", kWeightTypes, "type of the weights"),
    choice("kv", "f16", kCacheTypes, "type of the cache"),
};

Result<Graph> built(const llm::Model& model, const Settings& settings) {
  llm::Workload workload;
  workload.phase = settings.is("mode", "decode") ? llm::Phase::kDecode : llm::Phase::kPrefill;
  workload.cache.context = settings.number("ctx");
  workload.cache.sequences = settings.number("batch");
  workload.cache.prompt_batch = settings.number("prompt");
  if (settings.number("depth") > 0) workload.depth = settings.number("depth");
  workload.cache.key_type = workload.cache.value_type = llm::find_ggml_type(settings.word("kv"));
  BERTH_TRY(llm::ServingGraph result, llm::build_serving_graph(model, workload));
  return std::move(result.graph);
}

}  // namespace

std::span<const ParameterInfo> serving_parameters() { return kParameters; }

bool is_serving_spec(std::string_view spec) {
  const std::vector<std::string_view> parts = split(spec, ',');
  const bool named = std::ranges::any_of(
      parts, [](std::string_view part) { return trim(part) == "mode=decode" || trim(part) == "mode=prefill"; });
  if (named) return true;
  const std::string_view name = trim(parts[0]);
  const bool in_zoo = std::ranges::any_of(zoo_models(), [&](const ModelInfo& model) { return model.name == name; });
  return !in_zoo && llm::find_preset(name) != nullptr;
}

Result<Graph> build_serving_model(std::string_view spec) {
  const std::vector<std::string_view> parts = split(spec, ',');
  const std::string_view name = trim(parts[0]);
  const llm::Preset* preset = llm::find_preset(name);
  if (preset == nullptr) {
    std::vector<std::string_view> names;
    for (const llm::Preset& known : llm::presets()) names.push_back(known.name);
    return bad_input("no language model named '{}' to serve{} (berth models lists all)", name,
                     did_you_mean(name, std::span<const std::string_view>(names)));
  }
  Settings settings(kParameters);
  for (std::size_t i = 1; i < parts.size(); ++i) BERTH_RETURN_IF_ERROR(settings.set(name, parts[i]));
  const llm::Model model = llm::build_model(std::string(name), preset->config, settings.word("weights"));
  return built(model, settings);
}

Result<Graph> build_serving_model(const llm::Model& model, std::string_view assignments) {
  Settings settings(kParameters);
  for (const std::string_view part : split(assignments, ',')) {
    if (trim(part).empty()) continue;
    if (trim(part).starts_with("weights")) return bad_input("the file has its own weights; leave '{}' out", part);
    BERTH_RETURN_IF_ERROR(settings.set("FILE", part));
  }
  return built(model, settings);
}

Result<Graph> build_named_model(std::string_view spec) {
  return is_serving_spec(spec) ? build_serving_model(spec) : build_zoo_model(spec);
}

}  // namespace berth
