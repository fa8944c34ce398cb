// SPDX-License-Identifier: Apache-2.0
#include "machine/expand.h"

#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "machine/validate.h"

namespace berth {
namespace {

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

}  // namespace

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

}  // namespace berth
