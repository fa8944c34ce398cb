// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "support/random_parts.h"

namespace berth::random_parts {
namespace {

constexpr double kPicosecond = 1e-12;

class MachineDrafter {
 public:
  MachineDrafter(Rng& rng, const Scale& scale, Bytes memory, Execution execution)
      : rng_(rng), scale_(scale), memory_(memory), execution_(execution) {}

  std::shared_ptr<const Machine> make() {
    add_devices();
    switch (rng_.below(5)) {
      case 0:
        mesh();
        break;
      case 1:
        star(devices_[0].name, 1);
        break;
      case 2:
        switches_.push_back("sw");
        star("sw", 0);
        break;
      case 3:
        two_hosts();
        break;
      default:
        ports();
        break;
    }
    add_shortcuts();
    return std::make_shared<const Machine>(
        value_of(Machine::make("random", "", devices_, pools_, switches_, links_, execution_)));
  }

 private:
  void add_devices() {
    const std::int64_t count = rng_.between(1, 5);
    const bool pooled = rng_.chance(0.3);
    if (pooled) pools_.push_back({"pool", memory_});
    cpus_ = count >= 3 && rng_.chance(0.4) ? 2 : 1;
    for (int i = 0; i < static_cast<int>(count); ++i) {
      Device device;
      device.kind = i < cpus_ ? DeviceKind::kCpu : DeviceKind::kGpu;
      device.name = fmt::format("{}{}", i < cpus_ ? "cpu" : "gpu", i);
      device.model = device.name;
      device.memory = 1 + static_cast<Bytes>(static_cast<double>(memory_) * (0.1 + rng_.uniform()));
      if (pooled && rng_.chance(0.6)) device.pool = "pool";
      device.flops_per_s[DType::kF32] = 1e12;
      device.bytes_per_s = 1e12 * static_cast<double>(rng_.between(1, 8));
      device.launch_s = static_cast<double>(rng_.below(3)) * kPicosecond;
      device.async = rng_.chance(0.5);
      device.lanes = rng_.chance(0.3) ? static_cast<int>(rng_.between(2, 3)) : 1;
      devices_.push_back(device);
    }
  }

  // Latencies of a few picoseconds, bandwidths from half a byte per picosecond to endless: some hops take no time at
  // all.
  Link random_link(const std::string& from, const std::string& to) {
    static constexpr double kRates[] = {0.5e12, 1e12, 2e12, 3e12, 1e30};
    Link link;
    link.from = from;
    link.to = to;
    link.bytes_per_s = kRates[rng_.below(5)] / static_cast<double>(scale_.longest > 100 ? scale_.longest / 10 : 1);
    link.latency_s = static_cast<double>(rng_.below(static_cast<std::uint64_t>(scale_.longest))) * kPicosecond;
    switch (rng_.below(8)) {
      case 0:
      case 1:
        link.duplex = Duplex::kHalf;
        break;
      case 2:
      case 3:
        link.bus = rng_.chance(0.7) ? "bus0" : "bus1";
        break;
      case 4:
        link.contended = false;
        break;
      default:
        break;
    }
    return link;
  }

  void mesh() {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) links_.push_back(random_link(devices_[j].name, devices_[i].name));
    }
  }

  void star(const std::string& centre, std::size_t first) {
    for (std::size_t i = first; i < devices_.size(); ++i) links_.push_back(random_link(centre, devices_[i].name));
  }

  // GPUs hang on one of two hosts, whose link all traffic between them must take.
  void two_hosts() {
    if (cpus_ < 2) return star(devices_[0].name, 1);
    links_.push_back(random_link(devices_[0].name, devices_[1].name));
    for (std::size_t i = 2; i < devices_.size(); ++i) {
      links_.push_back(random_link(devices_[i % 2].name, devices_[i].name));
    }
  }

  // Every device sends through a port of its own.
  void ports() {
    for (const Device& device : devices_) {
      if (devices_.size() < 2) return;
      Link link = random_link(device.name, "*");
      link.duplex = Duplex::kOneWay;
      if (link.contended && rng_.chance(0.7)) link.bus = "port of " + device.name;
      links_.push_back(link);
    }
  }

  // A few direct links beside, one-way ones among them. Between two devices there may be one already: not the same
  // twice.
  void add_shortcuts() {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      for (std::size_t j = 0; j < devices_.size(); ++j) {
        if (i == j || linked(devices_[i].name, devices_[j].name) || !rng_.chance(0.1)) continue;
        Link link = random_link(devices_[i].name, devices_[j].name);
        if (link.duplex == Duplex::kFull && rng_.chance(0.5)) link.duplex = Duplex::kOneWay;
        links_.push_back(link);
      }
    }
  }

  [[nodiscard]] bool linked(const std::string& a, const std::string& b) const {
    for (const Link& link : links_) {
      if (link.to == "*" || (link.from == a && link.to == b) || (link.from == b && link.to == a)) return true;
    }
    return false;
  }

  Rng& rng_;
  Scale scale_;
  Bytes memory_;
  Execution execution_;
  int cpus_ = 1;
  std::vector<Device> devices_;
  std::vector<MemoryPool> pools_;
  std::vector<std::string> switches_;
  std::vector<Link> links_;
};

}  // namespace

std::shared_ptr<const Machine> random_machine(Rng& rng, const Scale& scale, Bytes memory, Execution execution) {
  return MachineDrafter(rng, scale, memory, execution).make();
}

}  // namespace berth::random_parts
