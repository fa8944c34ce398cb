// SPDX-License-Identifier: Apache-2.0
#include "machine/validate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace berth {
namespace {

// Non-negative and finite.
bool is_amount(double value) { return std::isfinite(value) && value >= 0; }
bool is_rate(double value) { return std::isfinite(value) && value > 0; }

Status check_name(std::string_view what, std::size_t position, const std::string& name) {
  if (name.empty()) return bad_input("{} {} has no name", what, position + 1);
  if (name.size() > kMaxPartName) return bad_input("{} {}: its name is too long", what, position + 1);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    return bad_input("{} {}: its name holds a control character", what, position + 1);
  }
  if (name == kEveryDevice) return bad_input("{} {}: the name '*' stands for every device", what, position + 1);
  return {};
}

// Names of endpoints, and of pools, must be unique.
class Names {
 public:
  Status add(std::string_view what, std::size_t position, const std::string& name) {
    BERTH_RETURN_IF_ERROR(check_name(what, position, name));
    if (!names_.insert(name).second) return bad_input("{} '{}': the name is taken; names must differ", what, name);
    return {};
  }
  [[nodiscard]] bool contains(std::string_view name) const { return names_.contains(name); }
  [[nodiscard]] std::string suggestion(std::string_view word) const {
    const std::vector<std::string> all(names_.begin(), names_.end());
    return did_you_mean(word, all);
  }

 private:
  std::set<std::string, std::less<>> names_;
};

Status check_counts(std::size_t devices, std::size_t switches) {
  if (devices == 0) return bad_input("a machine needs at least one device");
  if (devices > kMaxDevices) return bad_input("{} devices; a machine has at most {}", devices, kMaxDevices);
  if (switches > kMaxSwitches) return bad_input("{} switches; a machine has at most {}", switches, kMaxSwitches);
  return {};
}

Status check_pool(const MemoryPool& pool, std::size_t position, Names& names) {
  BERTH_RETURN_IF_ERROR(names.add("pool", position, pool.name));
  if (pool.memory < 0) return bad_input("pool '{}': memory must not be negative", pool.name);
  return {};
}

Status check_flops(const Device& device) {
  if (!device.flops_per_s.contains(DType::kF32)) {
    return bad_input("device '{}': no peak for f32; every device needs one", device.name);
  }
  for (const auto& [dtype, peak] : device.flops_per_s) {
    if (!is_rate(peak)) {
      return bad_input("device '{}': flops for {} must be a positive number, not {}", device.name, name_of(dtype),
                       peak);
    }
  }
  return {};
}

Status check_device(const Device& device, const Names& pools) {
  BERTH_RETURN_IF_ERROR(check_flops(device));
  if (!is_rate(device.bytes_per_s)) {
    return bad_input("device '{}': memory bandwidth must be a positive number, not {}", device.name,
                     device.bytes_per_s);
  }
  if (!is_amount(device.launch_s) || device.launch_s > kMaxOverheadSeconds) {
    return bad_input("device '{}': launch must be between 0 and 1e6 s, not {}", device.name, device.launch_s);
  }
  if (device.lanes < 1 || device.lanes > kMaxLanes) {
    return bad_input("device '{}': lanes must be between 1 and {}, not {}", device.name, kMaxLanes, device.lanes);
  }
  if (!is_amount(device.watts) || !is_amount(device.idle_watts)) {
    return bad_input("device '{}': watts must not be negative", device.name);
  }
  if (device.pool_limit < 0) return bad_input("device '{}': pool_limit must not be negative", device.name);
  if (device.pool.empty()) {
    if (device.pool_limit > 0) return bad_input("device '{}': pool_limit without a pool", device.name);
    if (device.memory < 0) return bad_input("device '{}': memory must not be negative", device.name);
  } else if (!pools.contains(device.pool)) {
    return bad_input("device '{}': no memory pool named '{}'{}", device.name, device.pool,
                     pools.suggestion(device.pool));
  }
  return {};
}

Status check_endpoint(const Link& link, const std::string& name, const Names& endpoints) {
  if (endpoints.contains(name)) return {};
  return bad_input("{}: no device or switch named '{}'{}", describe(link), name, endpoints.suggestion(name));
}

Status check_link(const Link& link, const Names& endpoints) {
  BERTH_RETURN_IF_ERROR(check_endpoint(link, link.from, endpoints));
  if (link.to == kEveryDevice) {
    if (link.duplex != Duplex::kOneWay) return bad_input("{}: a link to \"*\" must be one-way", describe(link));
  } else {
    BERTH_RETURN_IF_ERROR(check_endpoint(link, link.to, endpoints));
    if (link.from == link.to) return bad_input("{}: leads from '{}' to itself", describe(link), link.from);
  }
  if (!is_rate(link.bytes_per_s)) {
    return bad_input("{}: bandwidth must be a positive number, not {}", describe(link), link.bytes_per_s);
  }
  if (!is_amount(link.latency_s) || link.latency_s > kMaxOverheadSeconds) {
    return bad_input("{}: latency must be between 0 and 1e6 s, not {}", describe(link), link.latency_s);
  }
  if (link.bus.size() > kMaxPartName) return bad_input("{}: the name of its bus is too long", describe(link));
  if (!link.contended && !link.bus.empty()) {
    return bad_input("{}: on bus '{}' and uncontended; a bus is a queue, so choose one", describe(link), link.bus);
  }
  return {};
}

}  // namespace

std::string describe(const Link& link) {
  return fmt::format("link {} {} {}", link.from, link.duplex == Duplex::kOneWay ? '>' : '-', link.to);
}

Status check_execution(const Execution& execution) {
  const double cost = execution.region_cost_s;
  if (!is_amount(cost) || cost > kMaxOverheadSeconds) {
    return bad_input("region_cost must be between 0 and 1e6 s, not {}", cost);
  }
  if (execution.overlap && cost > 0.0) {
    return bad_input("region_cost counts only without overlap; add overlap = false or leave it out");
  }
  const Accuracy accuracy = execution.accuracy.value_or(Accuracy());
  if (!(accuracy.low > 0.0 && accuracy.low <= accuracy.high && accuracy.high <= kMaxAccuracy)) {
    return bad_input("accuracy must be two numbers above 0, the least first, such as [0.8, 1.4]; not [{}, {}]",
                     accuracy.low, accuracy.high);
  }
  return {};
}

std::optional<Mistake> find_mistake(std::span<const Device> devices, std::span<const MemoryPool> pools,
                                    std::span<const std::string> switches, std::span<const Link> links) {
  using Part = Mistake::Part;
  if (const Status status = check_counts(devices.size(), switches.size()); !status.ok()) {
    return Mistake{Part::kMachine, 0, status.error()};
  }
  Names pool_names, endpoints;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const Status status = check_pool(pools[i], i, pool_names);
    if (!status.ok()) return Mistake{Part::kPool, i, status.error()};
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Status status = endpoints.add("device", i, devices[i].name);
    if (status.ok()) status = check_device(devices[i], pool_names);
    if (!status.ok()) return Mistake{Part::kDevice, i, status.error()};
  }
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const Status status = endpoints.add("switch", i, switches[i]);
    if (!status.ok()) return Mistake{Part::kSwitch, i, status.error()};
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Status status = check_link(links[i], endpoints);
    if (!status.ok()) return Mistake{Part::kLink, i, status.error()};
  }
  return std::nullopt;
}

}  // namespace berth
