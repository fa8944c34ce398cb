// SPDX-License-Identifier: Apache-2.0
// Machine: devices with memory and speed, and links between them. Immutable; Machine::make() checks the description.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/kinds.h"
#include "base/result.h"
#include "base/units.h"

namespace berth {

struct Device {
  std::string name;   // "gpu0"
  std::string model;  // "k40": selects measured times and fitted efficiencies
  DeviceKind kind = DeviceKind::kGpu;
  Bytes memory = 0;                     // capacity; ignored when pool is set
  std::string pool;                     // name of a memory pool shared with other devices, "" for memory of its own
  Bytes pool_limit = 0;                 // what this device may use of the pool (Metal's working set), 0: all of it;
                                        // `berth llm` keeps it
  std::map<DType, double> flops_per_s;  // peak by dtype; f32 is required
  double bytes_per_s = 0.0;             // peak memory bandwidth
  double launch_s = 0.0;                // overhead of starting one op
  bool async = true;                    // true: an op takes max(launch, work); false: launch + work
  int lanes = 1;                        // ops that run at the same time
  double watts = 0.0;                   // drawn while busy, per device
  double idle_watts = 0.0;              // drawn while idle

  // Peak for a dtype; that of f32 where none is stated.
  [[nodiscard]] double peak_flops(DType dtype) const;
};

struct MemoryPool {
  std::string name;
  Bytes memory = 0;
};

enum class Duplex : std::uint8_t { kFull, kHalf, kOneWay };

// A link as people describe it, between two endpoints (devices or switches).
struct Link {
  std::string from = {};
  std::string to = {};  // with one-way also "*": one link to every other device
  double bytes_per_s = 0.0;
  double latency_s = 0.0;
  Duplex duplex = Duplex::kFull;
  std::string bus = {};   // all links that name one bus share one queue
  bool contended = true;  // false: no queue, any number of transfers at once
};

// Nine of ten real steps took between `low` and `high` times what was predicted (docs/reality.md).
struct Accuracy {
  double low = 1.0, high = 1.0;
  bool operator==(const Accuracy&) const = default;
};

// How a runtime uses the machine: devices at the same time, or, as OpenVINO's HETERO does, one region of ops after the
// other with nothing at the same time (docs/simulator.md).
struct Execution {
  bool overlap = true;
  double region_cost_s = 0.0;             // paid before every region; only without overlap
  std::optional<Accuracy> accuracy = {};  // of a machine that was measured
  bool operator==(const Execution&) const = default;
};

// One direction of a link, as the simulator sees it.
struct Channel {
  std::string name;                // "gpu0>gpu1"
  std::uint16_t from = 0, to = 0;  // endpoint: device id, or num_devices + switch index
  double bytes_per_s = 0.0;
  double latency_s = 0.0;
  int queue = -1;  // index into queues(); -1: uncontended
};

inline constexpr std::size_t kMaxDevices = 64;  // device sets are 64-bit masks
using DeviceSet = std::uint64_t;
constexpr DeviceSet device_bit(DeviceId device) { return DeviceSet{1} << index(device); }

class Machine {
 public:
  // Checks names, numbers and links, expands links into channels and queues, and finds the route of every device pair.
  // Fails when a device cannot be reached from another.
  static Result<Machine> make(std::string name, std::string description, std::vector<Device> devices,
                              std::vector<MemoryPool> pools, std::vector<std::string> switches, std::vector<Link> links,
                              Execution execution = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] std::size_t num_devices() const { return devices_.size(); }
  [[nodiscard]] IdRange<DeviceId> device_ids() const { return ids<DeviceId>(num_devices()); }
  [[nodiscard]] const Device& device(DeviceId id) const { return devices_[index(id)]; }
  [[nodiscard]] std::span<const Device> devices() const { return devices_; }
  [[nodiscard]] std::span<const MemoryPool> pools() const { return pools_; }
  [[nodiscard]] std::span<const std::string> switches() const { return switches_; }
  [[nodiscard]] std::span<const Link> links() const { return links_; }  // as described, before expansion
  [[nodiscard]] std::span<const Channel> channels() const { return channels_; }
  [[nodiscard]] std::span<const std::string> queues() const { return queue_names_; }
  // Channels from one device to another in order; empty when from == to. A direct link wins; else the route through
  // CPUs and switches with the least time for 1 MiB, then fewest links, then lowest link index (of the first link that
  // differs).
  [[nodiscard]] std::span<const std::uint16_t> route(DeviceId from, DeviceId to) const {
    const std::size_t pair = index(from) * num_devices() + index(to);
    return {route_channels_.data() + route_begin_[pair], route_channels_.data() + route_begin_[pair + 1]};
  }
  [[nodiscard]] bool overlap() const { return execution_.overlap; }
  [[nodiscard]] const Execution& execution() const { return execution_; }
  [[nodiscard]] const std::optional<Accuracy>& accuracy() const { return execution_.accuracy; }
  // Index into pools(), -1 if the device has memory of its own.
  [[nodiscard]] int pool_of(DeviceId id) const { return pool_of_[index(id)]; }
  [[nodiscard]] Bytes capacity(DeviceId id) const;  // own memory, or that of its pool

  [[nodiscard]] std::optional<DeviceId> find_device(std::string_view name) const;
  [[nodiscard]] std::optional<DeviceId> first_of(DeviceKind kind) const;
  [[nodiscard]] std::vector<DeviceId> accelerators() const;  // every device that is no CPU, in order

 private:
  Machine() = default;
  std::string name_, description_;
  Execution execution_;
  std::vector<Device> devices_;
  std::vector<MemoryPool> pools_;
  std::vector<std::string> switches_;
  std::vector<Link> links_;
  std::vector<Channel> channels_;
  std::vector<std::string> queue_names_;
  std::vector<int> pool_of_;
  std::vector<std::uint32_t> route_begin_;
  std::vector<std::uint16_t> route_channels_;
};

}  // namespace berth
