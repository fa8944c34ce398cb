// SPDX-License-Identifier: Apache-2.0
#include "services/json/catalog_json.h"

#include <array>

#include "files/json/json_writer.h"
#include "machine/library.h"
#include "serving/presets.h"

namespace berth {
namespace {

void write_device(JsonWriter& json, const Machine& machine, DeviceId id) {
  const Device& device = machine.device(id);
  json.members("name", device.name, "model", device.model, "kind", name_of(device.kind), "memory_bytes",
               machine.capacity(id), "pool", device.pool.empty() ? std::nullopt : std::optional(device.pool));
  json.object("flops_per_s", [&] {
    for (const auto& [dtype, rate] : device.flops_per_s) json.members(name_of(dtype), rate);
  });
  json.members("bytes_per_s", device.bytes_per_s, "launch_s", device.launch_s, "lanes", device.lanes, "watts",
               device.watts);
}

void write_channel(JsonWriter& json, const Machine& machine, const Channel& channel) {
  std::optional<std::string> queue;
  if (channel.queue >= 0) queue = machine.queues()[static_cast<std::size_t>(channel.queue)];
  json.members("name", channel.name, "bytes_per_s", channel.bytes_per_s, "latency_s", channel.latency_s, "queue",
               queue);
}

void write_zoo_model(JsonWriter& json, const ModelInfo& model) {
  json.members("name", model.name, "summary", model.summary);
  json.objects("parameters", model.parameters, [&](const ParameterInfo& parameter) {
    json.members("name", parameter.name, "default", parameter.default_text(), "allowed", parameter.allowed_text(),
                 "help", parameter.help);
  });
}

}  // namespace

std::string planners_json(const Catalog& catalog) {
  return json_document([&](JsonWriter& json) {
    json.objects("planners", catalog.entries(), [&](const CatalogEntry& entry) {
      json.members("name", entry.info.name, "summary", entry.info.summary, "learned", entry.learned, "built",
                   entry.built, "uses_seed", entry.info.uses_seed, "uses_threads", entry.info.uses_threads);
    });
  });
}

std::string options_json(const learn::MethodInfo& method) {
  return json_document([&](JsonWriter& json) {
    json.members("planner", method.name).objects("options", method.fields, [&](const learn::Field& field) {
      json.members("name", field.name, "help", field.help).object("presets", [&] {
        for (const learn::Preset& preset : method.presets) json.members(preset.name, field.get(preset.options));
      });
    });
  });
}

std::string machines_json() {
  return json_document([&](JsonWriter& json) {
    json.objects("machines", builtin_machines(),
                 [&](const MachineInfo& machine) { json.members("name", machine.name, "summary", machine.summary); });
    json.objects("families", kMachineFamilies,
                 [&](const MachineFamily& family) { json.members("name", family.name, "summary", family.summary); });
  });
}

std::string machine_json(const Machine& machine) {
  return json_document([&](JsonWriter& json) {
    json.members("name", machine.name(), "description", machine.description(), "overlap", machine.overlap(),
                 "region_cost_s", machine.execution().region_cost_s);
    if (const auto& accuracy = machine.accuracy()) json.list("accuracy", std::array{accuracy->low, accuracy->high});
    json.objects("devices", machine.device_ids(), [&](DeviceId id) { write_device(json, machine, id); });
    json.objects("links", machine.channels(), [&](const Channel& channel) { write_channel(json, machine, channel); });
  });
}

std::string models_json() {
  return json_document([&](JsonWriter& json) {
    const auto write = [&](const ModelInfo& model) { write_zoo_model(json, model); };
    json.objects("models", zoo_models(), write, JsonLayout::kLines);
    json.objects("served", llm::presets(),
                 [&](const llm::Preset& preset) { json.members("name", preset.name, "summary", preset.summary); });
  });
}

std::string model_json(const ModelInfo& model) {
  return json_document([&](JsonWriter& json) { write_zoo_model(json, model); });
}

}  // namespace berth
