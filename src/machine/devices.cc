// SPDX-License-Identifier: Apache-2.0
#include "machine/devices.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "base/text.h"
#include "machine/device_rows.h"

namespace berth {

std::span<const DeviceModel> device_models() {
  static const std::vector<DeviceModel> all = [] {
    std::vector<DeviceModel> models;
    for (const auto& rows : {device_rows::nvidia(), device_rows::other_accelerators(), device_rows::processors()}) {
      models.insert(models.end(), rows.begin(), rows.end());
    }
    return models;
  }();
  return all;
}

const DeviceModel* find_device_model(std::string_view name) {
  for (const DeviceModel& model : device_models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

DeviceFamily family_of(std::string_view model) {
  const DeviceModel* known = find_device_model(model);
  return known == nullptr ? DeviceFamily::kUnknown : known->family;
}

namespace {

// "NVIDIA GeForce RTX 3090 Ti" is no RTX 3090.
bool means(std::string_view lower, std::string_view word) {
  const std::size_t at = lower.find(word);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = lower.substr(at + word.size());
  return std::ranges::none_of(std::array{" ti", " super", " laptop", " max-q", " d "},
                              [&](std::string_view other) { return rest.starts_with(other); });
}

}  // namespace

const DeviceModel* device_model_seen_as(std::string_view driver_name) {
  std::string lower(driver_name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const DeviceModel* best = nullptr;
  std::size_t longest = 0;
  for (const DeviceModel& model : device_models()) {
    const std::string_view word = model.seen_as.empty() ? model.name : model.seen_as;
    if (model.kind != DeviceKind::kGpu || word.size() <= longest || !means(lower, word)) continue;
    best = &model;
    longest = word.size();
  }
  return best;
}

std::string suggest_device_model(std::string_view name) {
  std::vector<std::string_view> names;
  for (const DeviceModel& model : device_models()) names.push_back(model.name);
  return did_you_mean(name, names);
}

Device make_device(const DeviceModel& model, std::string name) {
  Device device;
  device.name = std::move(name);
  device.model = model.name;
  device.kind = model.kind;
  device.memory = model.memory;
  const std::array<std::pair<DType, double>, 7> peaks{{{DType::kF32, model.peak.f32},
                                                       {DType::kF64, model.peak.f64},
                                                       {DType::kTF32, model.peak.tf32},
                                                       {DType::kF16, model.peak.f16},
                                                       {DType::kBF16, model.peak.bf16},
                                                       {DType::kF8, model.peak.f8},
                                                       {DType::kI8, model.peak.i8}}};
  for (const auto& [dtype, peak] : peaks) {
    if (peak > 0) device.flops_per_s[dtype] = peak;
  }
  device.bytes_per_s = model.bytes_per_s;
  device.launch_s = model.launch_s;
  device.async = model.kind != DeviceKind::kCpu;
  device.watts = model.watts;
  device.idle_watts = model.idle_watts;
  return device;
}

Device plain_device(std::string name, DeviceKind kind) {
  Device device;
  device.name = std::move(name);
  device.model = "plain";
  device.kind = kind;
  device.memory = kUnlimitedMemory;
  device.flops_per_s = {{DType::kF32, 1e12}};
  device.bytes_per_s = 1e12;
  return device;
}

}  // namespace berth
