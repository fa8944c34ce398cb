// SPDX-License-Identifier: Apache-2.0
// random_llm_plans COUNT SEED: random placements of three architectures with the flags we give for them, one JSON
// object a line, for tests/serving/llm_patterns_test.py, which reads the flags by rules of its own.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "base/rng.h"
#include "files/json/json_writer.h"
#include "machine/library.h"
#include "serving/architecture.h"
#include "serving/files/llama_flags.h"
#include "serving/presets.h"

namespace berth {
namespace {

constexpr DeviceId kCpu{0};

// Blocks of layers, CPU first, and feed-forward tensors of random layers elsewhere: mostly runs of layers, as planners
// make them, sometimes each layer for itself.
llm::Placement random_placement(Rng& rng, std::int64_t layers) {
  llm::Placement placement = llm::Placement::all_on(kCpu, layers);
  std::vector<DeviceId> order{DeviceId{1}, DeviceId{2}};
  if (rng.below(2) == 0) std::swap(order[0], order[1]);
  std::int64_t at = rng.below(3) == 0 ? static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(layers))) : 0;
  const std::int64_t cut = at + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(layers - at)));
  for (; at < layers; ++at) placement.set_layer(at, order[at < cut ? 0 : 1]);
  placement.output = placement.home.back();
  const bool wild = rng.below(4) == 0;
  const std::uint64_t moves = wild ? 12 : rng.below(4);
  for (std::uint64_t move = 0; move < moves; ++move) {
    const auto first = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(layers)));
    const auto length = wild ? 1 : 1 + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(layers - first)));
    const auto device = static_cast<DeviceId>(rng.below(3));
    const std::uint64_t parts = 1 + rng.below(7);
    for (std::int64_t layer = first; layer < first + length; ++layer) {
      for (std::size_t part = 0; part < llm::kMovableParts; ++part) {
        if ((parts >> part & 1U) != 0) placement.moved[static_cast<std::size_t>(layer)][part] = device;
      }
    }
  }
  return placement;
}

void print_plan(const llm::Model& model, const Machine& machine, const llm::Placement& placement) {
  const RuntimeDevices devices(machine);
  const LlamaFlags flags = llama_flags(model, devices, placement, {});
  JsonWriter json;
  json.begin_object().key("model").value(model.title).key("layers").value(model.config.layers);
  json.key("line").value(flag_line(flags, devices)).key("patterns").value(flags.patterns.size());
  json.key("tensors").begin_array();
  for (const llm::Tensor& tensor : model.tensors) {
    json.begin_array().value(tensor.name);
    json.value(devices.buffer_of(placement.device_of(tensor.layer, tensor.part))).end_array();
  }
  json.end_array().end_object();
  std::fputs(std::move(json).take().c_str(), stdout);
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
  using namespace berth;
  const long count = argc > 1 ? std::atol(argv[1]) : 200;
  Rng rng(argc > 2 ? static_cast<std::uint64_t>(std::atol(argv[2])) : 1);
  const Machine machine = builtin_machine("rtx4090-3060").value();
  std::vector<llm::Model> models;
  for (const char* name : {"llama-70b", "qwen3-30b-a3b", "deepseek-v2-lite"}) {
    models.push_back(llm::build_model(name, llm::find_preset(name)->config, "q4_k_m"));
  }
  for (long i = 0; i < count; ++i) {
    const llm::Model& model = models[static_cast<std::size_t>(i) % models.size()];
    print_plan(model, machine, random_placement(rng, model.config.layers));
  }
  return 0;
}
