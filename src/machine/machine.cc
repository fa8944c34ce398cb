// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"

#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "machine/routes.h"
#include "machine/validate.h"

namespace berth {
namespace {

// Links as people describe them become channels (one direction each) and the queues they wait in.
struct Expansion {
  std::vector<Channel> channels;         // in the order of the links, forward direction first
  std::vector<std::string> queue_names;  // in the order of first use
};

constexpr std::size_t kMaxChannels = std::numeric_limits<std::uint16_t>::max();

// Gives out every name once: "x", "x#2", "x#3", ...
class UniqueNames {
 public:
  std::string take(std::string name) {
    if (taken_.insert(name).second) return name;
    int& number = last_number_.try_emplace(name, 1).first->second;
    std::string numbered;
    do {
      numbered = fmt::format("{}#{}", name, ++number);
    } while (!taken_.insert(numbered).second);
    return numbered;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> last_number_;  // so that thousands of parallel links take no quadratic time
};

class Expander {
 public:
  Expander(std::span<const Device> devices, std::span<const std::string> switches, std::span<const Link> links)
      : num_devices_(devices.size()) {
    for (const Device& device : devices) names_.push_back(device.name);
    names_.insert(names_.end(), switches.begin(), switches.end());
    for (std::size_t i = 0; i < names_.size(); ++i) ids_.emplace(names_[i], static_cast<std::uint16_t>(i));
    // Buses keep the names people gave them; whatever else is called so gets the number.
    for (const Link& link : links) {
      if (!link.bus.empty() && !bus_names_.contains(link.bus))
        bus_names_.emplace(link.bus, queue_names_.take(link.bus));
    }
  }

  void add(const Link& link) {
    const std::uint16_t from = ids_.at(link.from);
    if (link.to == kEveryDevice) {
      for (std::uint16_t to = 0; to < num_devices_; ++to) {
        if (to != from) add_one_way(link, from, to);
      }
      return;
    }
    const std::uint16_t to = ids_.at(link.to);
    if (link.duplex == Duplex::kHalf && link.contended && link.bus.empty()) {
      const int queue = new_queue(queue_names_.take(names_[from] + "-" + names_[to]));
      add_channel(link, from, to, queue);
      add_channel(link, to, from, queue);
      return;
    }
    add_one_way(link, from, to);
    if (link.duplex != Duplex::kOneWay) add_one_way(link, to, from);
  }

  [[nodiscard]] const Expansion& result() const { return result_; }

 private:
  void add_one_way(const Link& link, std::uint16_t from, std::uint16_t to) {
    if (!link.contended) return add_channel(link, from, to, -1);
    if (!link.bus.empty()) return add_channel(link, from, to, bus_queue(link.bus));
    add_channel(link, from, to, new_queue(queue_names_.take(names_[from] + ">" + names_[to])));
  }

  void add_channel(const Link& link, std::uint16_t from, std::uint16_t to, int queue) {
    result_.channels.push_back({.name = channel_names_.take(names_[from] + ">" + names_[to]),
                                .from = from,
                                .to = to,
                                .bytes_per_s = link.bytes_per_s,
                                .latency_s = link.latency_s,
                                .queue = queue});
  }

  int new_queue(std::string name) {
    result_.queue_names.push_back(std::move(name));
    return static_cast<int>(result_.queue_names.size()) - 1;
  }

  int bus_queue(const std::string& bus) {
    const auto found = bus_queues_.find(bus);
    if (found != bus_queues_.end()) return found->second;
    return bus_queues_[bus] = new_queue(bus_names_.at(bus));
  }

  std::size_t num_devices_;
  std::vector<std::string> names_;  // devices, then switches
  std::unordered_map<std::string, std::uint16_t> ids_;
  std::unordered_map<std::string, std::string> bus_names_;
  std::unordered_map<std::string, int> bus_queues_;
  UniqueNames channel_names_, queue_names_;
  Expansion result_;
};

// Channel "a>b" for each direction. Queue: one per direction of a full-duplex or one-way link, named like the channel;
// one for both directions of a half-duplex link, "a-b"; one for all links of a bus, named like it; none when
// uncontended. Names are made unique by "#2", "#3". The description must have passed find_mistake(); the only
// failure left is a machine with more channels than ids.
Result<Expansion> expand_links(std::span<const Device> devices, std::span<const std::string> switches,
                               std::span<const Link> links) {
  Expander expander(devices, switches, links);
  for (const Link& link : links) {
    expander.add(link);
    if (expander.result().channels.size() > kMaxChannels) {
      return bad_input("the links have more than {} directions in all", kMaxChannels);
    }
  }
  return expander.result();
}

}  // namespace

double Device::peak_flops(DType dtype) const {
  auto found = flops_per_s.find(dtype);
  // Matrix units multiply unsigned and 4-bit numbers as they do those of 8 bits.
  if (found == flops_per_s.end() && (dtype == DType::kU8 || dtype == DType::kI4)) found = flops_per_s.find(DType::kI8);
  return found != flops_per_s.end() ? found->second : flops_per_s.at(DType::kF32);
}

Result<Machine> Machine::make(std::string name, std::string description, std::vector<Device> devices,
                              std::vector<MemoryPool> pools, std::vector<std::string> switches, std::vector<Link> links,
                              Execution execution) {
  BERTH_RETURN_IF_ERROR(check_execution(execution));
  if (const auto mistake = find_mistake(devices, pools, switches, links)) return mistake->error;
  BERTH_TRY(Expansion expansion, expand_links(devices, switches, links));
  BERTH_TRY(Routes routes, find_routes(devices, switches.size(), expansion.channels));
  Machine machine;
  machine.name_ = std::move(name);
  machine.description_ = std::move(description);
  machine.execution_ = execution;
  for (const Device& device : devices) {
    int pool = -1;
    for (std::size_t i = 0; i < pools.size(); ++i) {
      if (!device.pool.empty() && pools[i].name == device.pool) pool = static_cast<int>(i);
    }
    machine.pool_of_.push_back(pool);
  }
  machine.devices_ = std::move(devices);
  machine.pools_ = std::move(pools);
  machine.switches_ = std::move(switches);
  machine.links_ = std::move(links);
  machine.channels_ = std::move(expansion.channels);
  machine.queue_names_ = std::move(expansion.queue_names);
  machine.route_begin_ = std::move(routes.begin);
  machine.route_channels_ = std::move(routes.channels);
  return machine;
}

Bytes Machine::capacity(DeviceId id) const {
  const int pool = pool_of(id);
  return pool < 0 ? device(id).memory : pools_[static_cast<std::size_t>(pool)].memory;
}

std::optional<DeviceId> Machine::find_device(std::string_view name) const {
  for (const DeviceId id : device_ids()) {
    if (device(id).name == name) return id;
  }
  return std::nullopt;
}

std::optional<DeviceId> Machine::first_of(DeviceKind kind) const {
  for (const DeviceId id : device_ids()) {
    if (device(id).kind == kind) return id;
  }
  return std::nullopt;
}

std::vector<DeviceId> Machine::accelerators() const {
  std::vector<DeviceId> found;
  for (const DeviceId id : device_ids()) {
    if (device(id).kind != DeviceKind::kCpu) found.push_back(id);
  }
  return found;
}

}  // namespace berth
