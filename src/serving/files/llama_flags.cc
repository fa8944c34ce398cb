// SPDX-License-Identifier: Apache-2.0
#include "serving/files/llama_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace berth {
namespace {

struct Run {
  DeviceId device;
  std::int64_t items;
};

// The blocks of layers, the head behind them counted in.
std::vector<Run> runs_of(const llm::Placement& placement) {
  std::vector<Run> runs;
  const auto add = [&](DeviceId device) {
    if (runs.empty() || runs.back().device != device) runs.push_back({device, 0});
    ++runs.back().items;
  };
  for (const DeviceId home : placement.home) add(home);
  add(placement.output);
  return runs;
}

std::vector<TensorPattern> patterns_of(const llm::Model& model, const llm::Placement& placement) {
  std::vector<DeviceId> homes, wanted;
  for (const llm::Tensor& tensor : model.tensors) {  // towers, in a file of their own, are where they are
    wanted.push_back(placement.device_of(tensor.layer, tensor.part));
    homes.push_back(tensor.layer >= 0 ? placement.home[static_cast<std::size_t>(tensor.layer)] : wanted.back());
  }
  return tensor_patterns(model.tensors, homes, wanted);
}

// How many first layers have their experts on the CPU, if that is all that is moved.
std::optional<std::int64_t> layers_with_experts_on(DeviceId cpu, const llm::Model& model,
                                                   const llm::Placement& placement) {
  std::int64_t count = 0;
  for (std::int64_t layer = 0; layer < model.config.layers; ++layer) {
    const auto i = static_cast<std::size_t>(layer);
    const DeviceId home = placement.home[i];
    const auto all_on = [&](DeviceId device) {
      return std::ranges::all_of(placement.moved[i], [&](DeviceId where) { return where == device; });
    };
    if (home == cpu ? !all_on(cpu) : !all_on(cpu) && !all_on(home)) return std::nullopt;
    if (!all_on(cpu)) continue;
    const bool is_first = count == layer, is_said = home == cpu || model.config.has_experts(layer);
    if (!is_first || !is_said) return std::nullopt;
    count = layer + 1;
  }
  return count;
}

}  // namespace

std::string for_shell(const std::string& text) {
  const bool plain = text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,=-:/") ==
                     std::string::npos;
  if (plain) return text;
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

LlamaFlags llama_flags(const llm::Model& model, const RuntimeDevices& devices, const llm::Placement& placement,
                       const llm::CacheSettings& cache) {
  LlamaFlags flags;
  flags.gpu_layers = 0;
  for (const Run& run : runs_of(placement)) {
    if (run.device == devices.cpu()) continue;
    *flags.gpu_layers += run.items;
    flags.devices.push_back(run.device);
    flags.split.push_back(static_cast<double>(run.items));
  }
  flags.patterns = patterns_of(model, placement);
  if (!flags.patterns.empty()) flags.cpu_experts = layers_with_experts_on(devices.cpu(), model, placement);
  flags.has_no_devices = flags.devices.empty();
  flags.context = cache.context * cache.sequences;
  // By default llama-server gives layers with a window room for four sequences.
  if (cache.sequences > 1 || model.config.has_windows()) flags.sequences = cache.sequences;
  if (cache.prompt_batch != llm::CacheSettings{}.prompt_batch) flags.prompt_batch = cache.prompt_batch;
  if (cache.key_type->name != "f16") flags.key_type = cache.key_type->name;
  if (cache.value_type->name != "f16") flags.value_type = cache.value_type->name;
  return flags;
}

std::string flag_line(const LlamaFlags& flags, const RuntimeDevices& devices) {
  std::vector<std::string> words;
  const auto add = [&](std::string_view flag, const std::string& value) {
    words.push_back(fmt::format("{} {}", flag, for_shell(value)));
  };
  if (!devices.servers().empty()) add("--rpc", join(devices.servers(), ","));
  if (flags.context) add("-c", fmt::format("{}", *flags.context));
  if (flags.sequences) add("-np", fmt::format("{}", *flags.sequences));
  if (flags.prompt_batch) {
    const std::int64_t at_once = *flags.prompt_batch;
    if (at_once > kUsualLogicalBatch) add("-b", fmt::format("{}", at_once));  // what is taken at once is at most this
    add("-ub", fmt::format("{}", at_once));
  }
  add("-ngl", fmt::format("{}", flags.gpu_layers.value_or(999)));
  std::vector<std::string> names, shares;
  for (const DeviceId device : flags.devices) names.push_back(devices.device_name(device));
  for (const double share : flags.split) shares.push_back(fmt::format("{:g}", share));
  if (flags.has_no_devices) add("-dev", "none");
  if (!names.empty()) add("-dev", join(names, ","));
  if (names.size() > 1) add("-ts", join(shares, ","));
  if (!flags.value_type.empty()) words.emplace_back("-fa on");  // a quantised cache of values needs it
  if (!flags.key_type.empty()) add("-ctk", flags.key_type);
  if (!flags.value_type.empty()) add("-ctv", flags.value_type);
  std::vector<std::string> patterns;
  for (const TensorPattern& pattern : flags.patterns) {
    patterns.push_back(fmt::format("{}={}", pattern.regex, devices.buffer_of(pattern.device)));
  }
  if (flags.cpu_experts) {
    add("-ncmoe", fmt::format("{}", *flags.cpu_experts));
  } else if (!patterns.empty()) {
    add("-ot", join(patterns, ","));
  }
  return join(words, " ");
}

namespace {

// Layers, the head last, as llama.cpp spreads them.
Result<std::vector<DeviceId>> spread_layers(const LlamaFlags& flags, std::int64_t layers, const Machine& machine,
                                            const RuntimeDevices& devices) {
  const std::vector<DeviceId>& order = flags.devices.empty() ? devices.gpus() : flags.devices;
  std::vector<DeviceId> homes(static_cast<std::size_t>(layers) + 1, devices.cpu());
  const std::int64_t on_gpus = std::min(flags.gpu_layers.value_or(layers + 1), layers + 1);
  if (order.empty() || on_gpus == 0 || flags.has_no_devices) return homes;
  if (flags.split.size() > order.size()) {
    return bad_input("-ts names {} shares for {} devices", flags.split.size(), order.size());
  }
  std::vector<float> ends;
  float sum = 0.0F;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double share = flags.split.empty() ? static_cast<double>(machine.capacity(order[i]))
                                             : (i < flags.split.size() ? flags.split[i] : 0.0);
    sum += static_cast<float>(share);
    ends.push_back(sum);
  }
  if (!(sum > 0.0F)) return bad_input("-ts: the shares add up to nothing");
  for (float& end : ends) end /= sum;
  const std::int64_t first = layers + 1 - on_gpus;
  for (std::int64_t item = first; item <= layers; ++item) {
    const float at = static_cast<float>(item - first) / static_cast<float>(on_gpus);
    const auto found = std::ranges::upper_bound(ends, at);
    const auto device = static_cast<std::size_t>(
        std::min<std::ptrdiff_t>(found - ends.begin(), static_cast<std::ptrdiff_t>(order.size()) - 1));
    homes[static_cast<std::size_t>(item)] = order[device];
  }
  return homes;
}

// Where most of a part's bytes are; a part that is torn is judged as a whole.
struct Majority {
  std::vector<Bytes> bytes;
  explicit Majority(std::size_t devices) : bytes(devices, 0) {}
  void add(DeviceId device, Bytes size) { bytes[index(device)] += std::max<Bytes>(1, size); }
  [[nodiscard]] bool is_torn() const {
    return std::ranges::count_if(bytes, [](Bytes b) { return b > 0; }) > 1;
  }
  [[nodiscard]] std::optional<DeviceId> device() const {
    const auto most = std::ranges::max_element(bytes);
    if (most == bytes.end() || *most == 0) return std::nullopt;
    return static_cast<DeviceId>(most - bytes.begin());
  }
};

}  // namespace

Result<ReadPlacement> placement_of_flags(const LlamaFlags& flags, const llm::Model& model, const Machine& machine,
                                         const RuntimeDevices& devices) {
  const std::int64_t layers = model.config.layers;
  BERTH_TRY(const std::vector<DeviceId> homes, spread_layers(flags, layers, machine, devices));
  BERTH_TRY(const std::vector<DeviceId> moved, apply_patterns(flags.patterns, model.tensors));
  ReadPlacement result{llm::Placement::all_on(devices.cpu(), layers), {}};
  llm::Placement& placement = result.placement;
  for (std::int64_t layer = 0; layer < layers; ++layer)
    placement.set_layer(layer, homes[static_cast<std::size_t>(layer)]);
  placement.output = homes.back();
  if (!devices.gpus().empty() && !flags.has_no_devices) placement.tower = devices.gpus().front();
  std::vector<Majority> parts((static_cast<std::size_t>(layers) + 1) * llm::kParts, Majority(machine.num_devices()));
  const auto slot = [&](std::int64_t layer, llm::Part part) {
    return static_cast<std::size_t>(layer + 1) * llm::kParts + static_cast<std::size_t>(part);
  };
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    const llm::Tensor& tensor = model.tensors[i];
    const DeviceId home = placement.device_of(tensor.layer, tensor.part);
    const bool is_moved = moved[i] != kNoDevice && tensor.part != llm::Part::kTower;
    parts[slot(tensor.layer, tensor.part)].add(is_moved ? moved[i] : home, tensor.bytes);
  }
  std::size_t torn = 0, homes_moved = 0;
  for (std::int64_t layer = -1; layer < layers; ++layer) {
    for (std::size_t p = 0; p < llm::kParts; ++p) {
      const auto part = static_cast<llm::Part>(p);
      const Majority& majority = parts[slot(layer, part)];
      torn += majority.is_torn() ? 1 : 0;
      const auto device = majority.device();
      if (!device) continue;
      if (part == llm::Part::kTower) {
        placement.tower = *device;
      } else if (part == llm::Part::kOutput) {
        placement.output = *device;
      } else if (layer < 0) {
        placement.input = *device;
      } else if (llm::is_movable(part)) {
        placement.moved[static_cast<std::size_t>(layer)][static_cast<std::size_t>(llm::movable_index(part))] = *device;
      } else if (placement.home[static_cast<std::size_t>(layer)] != *device) {
        placement.home[static_cast<std::size_t>(layer)] = *device;
        ++homes_moved;
      }
    }
  }
  if (torn > 0) {
    result.notes.push_back(fmt::format(
        "-ot spreads {} groups of tensors, each of one kind in one layer, over several devices; each is judged where "
        "most of its bytes are",
        torn));
  }
  if (homes_moved > 0) {
    result.notes.push_back(
        fmt::format("-ot moves the attention of {} layers; their cache is judged there too, "
                    "llama.cpp would leave it with the layer",
                    homes_moved));
  }
  return result;
}

}  // namespace berth
