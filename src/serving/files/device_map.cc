// SPDX-License-Identifier: Apache-2.0
#include "serving/files/device_map.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"

namespace berth {
namespace {

using DeviceOf = std::map<std::string, DeviceId, std::less<>>;

Result<DeviceId> device_of_value(const JsonValue& value, const RuntimeDevices& devices) {
  if (const auto number = value.integer()) {
    if (static_cast<std::uint64_t>(*number) < devices.gpus().size()) {
      return devices.gpus()[static_cast<std::size_t>(*number)];
    }
    return value.error(fmt::format("there is no GPU {}; the machine has {}", *number, devices.gpus().size()));
  }
  BERTH_TRY(const std::string_view text, value.string());
  if (text == "cpu") return devices.cpu();
  constexpr std::string_view kCuda = "cuda:";
  std::size_t number = 0;
  const std::string_view digits = text.starts_with(kCuda) ? text.substr(kCuda.size()) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (whole && number < devices.gpus().size()) return devices.gpus()[number];
  return value.expected("the number of a GPU of the machine, \"cpu\" or \"cuda:0\"");
}

// The device of a module: its own entry, else that of the nearest module around it.
std::optional<DeviceId> covering(const DeviceOf& map, std::string_view module) {
  for (;;) {
    if (const auto found = map.find(module); found != map.end()) return found->second;
    if (module.empty()) return std::nullopt;
    const std::size_t dot = module.rfind('.');
    module = dot == std::string_view::npos ? std::string_view() : module.substr(0, dot);
  }
}

Result<DeviceId> required(const DeviceOf& map, const std::string& module) {
  if (const auto device = covering(map, module)) return *device;
  return bad_input("module {} has no device; name it, or a module around it", in_quotes(module));
}

}  // namespace

std::string write_device_map(const llm::Model& model, const RuntimeDevices& devices, const llm::Placement& placement) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  const auto add = [&](std::string_view module, DeviceId device) {
    json.key(module);
    if (const auto number = devices.gpu_number(device)) {
      json.value(*number);
    } else {
      json.value("cpu");
    }
  };
  const llm::ModuleNames& names = model.modules;
  // A head that is the word table must be where that is.
  const DeviceId output = model.config.tied ? placement.input : placement.output;
  add(names.embedding, placement.input);
  for (const std::string& tower : names.towers) add(tower, placement.tower);
  for (const std::string& other : names.others) add(other, placement.input);
  if (names.layer == "model.layers") add("model.rotary_emb", placement.input);
  for (std::size_t layer = 0; layer < placement.home.size(); ++layer) {
    add(fmt::format("{}.{}", names.layer, layer), placement.home[layer]);
  }
  add(names.norm, placement.output);
  add(names.head, output);
  json.end_object();
  return std::move(json).take();
}

Result<llm::Placement> read_device_map(std::string text, const llm::Model& model, const RuntimeDevices& devices) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(fmt::format("{{\"device_map\":{}}}", text)));
  BERTH_TRY(const JsonValue root, document.member("device_map"));
  DeviceOf map;
  const llm::ModuleNames& names = model.modules;
  BERTH_RETURN_IF_ERROR(root.for_each_member([&](std::string_view key, const JsonValue& value) -> Status {
    BERTH_TRY(const DeviceId device, device_of_value(value, devices));
    const bool in_layers = key.starts_with(names.layer + ".");
    if (in_layers && std::ranges::count(key.substr(names.layer.size() + 1), '.') > 0) {
      return value.error("it names a part of a layer; only whole layers are judged");
    }
    map.emplace(key, device);
    return {};
  }));
  llm::Placement placement = llm::Placement::all_on(devices.cpu(), model.config.layers);
  BERTH_TRY(placement.input, required(map, names.embedding));
  placement.tower = placement.input;
  if (!names.towers.empty()) {  // judged where the first one is
    BERTH_TRY(placement.tower, required(map, names.towers.front()));
  }
  BERTH_TRY(placement.output, required(map, model.config.tied ? names.embedding : names.head));
  for (std::int64_t layer = 0; layer < model.config.layers; ++layer) {
    BERTH_TRY(const DeviceId device, required(map, fmt::format("{}.{}", names.layer, layer)));
    placement.set_layer(layer, device);
  }
  return placement;
}

StagePartition stage_partition(const RuntimeDevices& devices, const llm::Placement& placement) {
  StagePartition partition;
  DeviceId last = kNoDevice;
  for (const DeviceId home : placement.home) {
    if (home != last) {
      partition.layers.push_back(0);
      partition.gpus.push_back(devices.gpu_number(home).value_or(0));
    }
    ++partition.layers.back();
    last = home;
  }
  return partition;
}

Result<llm::Placement> read_partition(std::string_view text, const llm::Model& model, const RuntimeDevices& devices) {
  llm::Placement placement = llm::Placement::all_on(devices.cpu(), model.config.layers);
  std::int64_t first = 0;
  std::size_t stage = 0;
  for (const std::string_view part : split(text, ',')) {
    std::int64_t count = 0;
    const std::string_view word = trim(part);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error != std::errc() || end != word.data() + word.size() || count < 0) {
      return bad_input("{}: {} is no number of layers", in_quotes(text), in_quotes(word));
    }
    if (stage >= devices.gpus().size()) {
      return bad_input("{}: more stages than the {} GPUs of the machine", in_quotes(text), devices.gpus().size());
    }
    if (count > model.config.layers - first) {
      return bad_input("{}: more than the {} layers of the model", in_quotes(text), model.config.layers);
    }
    for (std::int64_t i = 0; i < count; ++i) placement.set_layer(first++, devices.gpus()[stage]);
    ++stage;
  }
  if (first != model.config.layers) {
    return bad_input("{}: {} layers, the model has {}", in_quotes(text), first, model.config.layers);
  }
  placement.input = placement.tower = placement.home.front();
  placement.output = placement.home.back();
  return placement;
}

}  // namespace berth
