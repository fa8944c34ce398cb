// SPDX-License-Identifier: Apache-2.0
// Library of device models: what a datasheet or a measurement says about one device. Sources stand beside the rows in
// device_rows_*.cc; docs/machines.md says which figures are assumed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/kinds.h"
#include "base/units.h"
#include "machine/machine.h"

namespace berth {

// Whose device it is, and what its memory is like: what runtimes call it (serving/files/runtime_devices.h) and what
// they reach of its figures (problem/cost/streaming.h) go by that.
enum class DeviceFamily : std::uint8_t {
  kUnknown,
  kNvidiaCard,     // GDDR, matrix units at half the rate for sums in f32 on GeForce
  kNvidiaServer,   // HBM
  kNvidiaUnified,  // a chip that shares its memory with a CPU
  kRadeon,
  kInstinct,
  kRadeonUnified,
  kIntel,
  kApple,
};

// Peak arithmetic by dtype in FLOP/s, dense (no sparsity); 0: no peak of its own, ops of that type run at the f32 peak.
struct Peaks {
  double f32 = 0.0, f64 = 0.0, tf32 = 0.0, f16 = 0.0, bf16 = 0.0, f8 = 0.0, i8 = 0.0;
};

struct DeviceModel {
  std::string_view name;     // "k40"
  std::string_view summary;  // one line
  DeviceKind kind = DeviceKind::kGpu;
  Bytes memory = 0;
  Peaks peak;
  double bytes_per_s = 0.0;
  double launch_s = 0.0;
  double watts = 0.0, idle_watts = 0.0;
  DeviceFamily family = DeviceFamily::kUnknown;
  std::string_view seen_as = {};  // a word of the name that drivers report; empty: the model's own name
};

std::span<const DeviceModel> device_models();                 // the only list
const DeviceModel* find_device_model(std::string_view name);  // nullptr when there is none
// Of a device of that model; kUnknown for models that the library does not have.
DeviceFamily family_of(std::string_view model);
// The model that a driver means by "NVIDIA GeForce RTX 3090"; nullptr when there is none.
const DeviceModel* device_model_seen_as(std::string_view driver_name);
std::string suggest_device_model(std::string_view name);  // "; did you mean 'k40'?", or ""

// A device with the model's figures. CPUs are synchronous (launch + work), all others asynchronous.
Device make_device(const DeviceModel& model, std::string name);

// A device of no make, for problems that state the time of every op themselves: no launch overhead, no watts, memory
// without limit, and round figures (1 TFLOP/s, 1 TB/s) for graphs that do not.
Device plain_device(std::string name, DeviceKind kind);
inline constexpr Bytes kUnlimitedMemory = Bytes{1} << 60;

}  // namespace berth
