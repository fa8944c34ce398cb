// SPDX-License-Identifier: Apache-2.0
#include "export/device_names.h"

#include "files/json/json_reader.h"
#include "machine/device_set.h"
#include "problem/demands/device_words.h"

namespace berth {
namespace {

std::string in_upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

std::string torch_name(DeviceKind kind, std::size_t number) {
  if (kind == DeviceKind::kCpu) return "cpu";  // it has one
  if (kind == DeviceKind::kTpu) return fmt::format("xla:{}", number);
  return fmt::format("{}:{}", kind == DeviceKind::kGpu ? "cuda" : name_of(kind), number);
}

std::string onnxruntime_name(DeviceKind kind, std::size_t number) {
  if (kind == DeviceKind::kGpu) return fmt::format("gpu:{}", number);
  return std::string(kind == DeviceKind::kTpu ? "accelerator" : name_of(kind));
}

}  // namespace

std::size_t number_of_kind(const Machine& machine, DeviceId device) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < index(device); ++i) {
    if (machine.device(DeviceId(i)).kind == machine.device(device).kind) ++number;
  }
  return number;
}

std::string runtime_name(Runtime runtime, const ExportRequest& request, DeviceId device) {
  return runtime_name(runtime, request.problem.machine(), request.names, device);
}

std::string runtime_name(Runtime runtime, const Machine& machine, const DeviceNames& names, DeviceId device) {
  const auto given = names.find(machine.device(device).name);
  if (given != names.end()) return given->second;
  const DeviceKind kind = machine.device(device).kind;
  const std::size_t number = number_of_kind(machine, device);
  switch (runtime) {
    case Runtime::kTorch:
      return torch_name(kind, number);
    case Runtime::kOnnxRuntime:
      return onnxruntime_name(kind, number);
    case Runtime::kOpenVino:
      if (kind != DeviceKind::kGpu && number == 0) return in_upper_case(name_of(kind));
      return fmt::format("{}.{}", in_upper_case(name_of(kind)), number);
    case Runtime::kTensorFlow:
      break;
  }
  return fmt::format("/device:{}:{}", in_upper_case(name_of(kind)), number);
}

std::vector<DeviceId> devices_in_use(const Machine& machine, const Plan& plan) {
  DeviceSet used = 0;
  for (const DeviceId device : plan.device_of) used |= device_bit(device);
  std::vector<DeviceId> devices;
  for (const DeviceId device : machine.device_ids()) {
    if ((used & device_bit(device)) != 0) devices.push_back(device);
  }
  return devices;
}

Status check_names(const Machine& machine, const DeviceNames& names) {
  for (const auto& [device, name] : names) {
    if (!machine.find_device(device)) {
      return bad_input("machine '{}' has no device {}; it has {}", machine.name(), in_quotes(device),
                       known_device_words(machine));
    }
  }
  return {};
}

}  // namespace berth
