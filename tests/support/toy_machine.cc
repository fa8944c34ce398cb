// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "support/toy.h"
#include "support/toy_text.h"

namespace berth {
namespace {

constexpr double kEndless = 1e30;  // bytes per second: whatever a toy sends rounds to 0

class MachineReader {
 public:
  std::shared_ptr<const Machine> read(std::string_view text) {
    for (const std::string& statement : toy::split(text, ";")) read_statement(statement);
    auto machine = Machine::make("toy", "", devices_, pools_, switches_, links_, execution_);
    if (!machine.ok()) toy::fail(machine.error().message, text);
    return std::make_shared<const Machine>(std::move(machine).value());
  }

 private:
  void read_statement(const std::string& statement) {
    const std::vector<std::string> words = toy::split(statement, " ");
    if (words.size() >= 2 && words[0] == "device") {
      read_device(words);
    } else if (words.size() == 3 && words[0] == "pool") {
      pools_.push_back({words[1], bytes(words[2])});
    } else if (words.size() == 2 && words[0] == "switch") {
      switches_.push_back(words[1]);
    } else if (words.size() >= 3 && words[0] == "link") {
      read_link(words);
    } else if (words.size() == 3 && words[0] == "no" && words[1] == "overlap,") {
      execution_ = {.overlap = false, .region_cost_s = toy::number(words[2])};
    } else {
      read_mesh(statement);
    }
  }

  static Device blank_device(const std::string& name, DeviceKind kind) {
    Device device;
    device.name = name;
    device.model = name;
    device.kind = kind;
    device.memory = Bytes{1} << 40;
    device.flops_per_s[DType::kF32] = 1e12;
    device.bytes_per_s = kEndless;
    return device;
  }

  static Bytes bytes(const std::string& text) {
    double value = 0.0;
    if (!toy::has_number_before(text, "B", value)) toy::fail("no size", text);
    return static_cast<Bytes>(value);
  }

  void read_device(const std::vector<std::string>& words) {
    const bool cpu = words[1].find("cpu") != std::string::npos;
    Device device = blank_device(words[1], cpu ? DeviceKind::kCpu : DeviceKind::kGpu);
    for (std::size_t i = 2; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::string value = word.substr(std::min(word.size(), word.find('=') + 1));
      if (word == "sync") {
        device.async = false;
      } else if (word.starts_with("memory=")) {
        device.memory = bytes(value);
      } else if (word.starts_with("pool=")) {
        device.pool = value;
      } else if (word.starts_with("lanes=")) {
        device.lanes = static_cast<int>(toy::number(value));
      } else if (word.starts_with("launch=")) {
        device.launch_s = toy::number(value);
      } else if (word.starts_with("rate=")) {
        device.bytes_per_s = toy::number(value);
      } else {
        toy::fail("no word for a device", word);
      }
    }
    devices_.push_back(device);
  }

  void read_link(const std::vector<std::string>& words) {
    Link link;
    link.from = words[1];
    link.to = words[2];
    link.bytes_per_s = kEndless;
    for (std::size_t i = 3; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::string value = word.substr(std::min(word.size(), word.find('=') + 1));
      if (word == "half") {
        link.duplex = Duplex::kHalf;
      } else if (word == "oneway") {
        link.duplex = Duplex::kOneWay;
      } else if (word == "free") {
        link.contended = false;
      } else if (word.starts_with("bus=")) {
        link.bus = value;
      } else if (word.starts_with("latency=")) {
        link.latency_s = toy::number(value);
      } else if (word.starts_with("rate=")) {
        link.bytes_per_s = toy::number(value);
      } else {
        toy::fail("no word for a link", word);
      }
    }
    links_.push_back(link);
  }

  // "3 devices, 1 s per edge"
  void read_mesh(const std::string& statement) {
    const std::vector<std::string> parts = toy::split(statement, ",");
    double count = 0.0, cost = 0.0;
    if (parts.empty() || parts.size() > 2 || !toy::has_number_before(parts[0], " devices", count)) {
      toy::fail("no statement about a machine", statement);
    }
    Link link;
    link.bytes_per_s = kEndless;
    if (parts.size() == 2 && toy::has_number_before(parts[1], " s per edge", cost)) {
      link.latency_s = cost;
    } else if (parts.size() == 2 && toy::has_number_before(parts[1], " s per byte", cost)) {
      link.bytes_per_s = 1 / cost;
    } else if (parts.size() == 2) {
      toy::fail("no cost of an edge", parts[1]);
    }
    for (int i = 0; i < static_cast<int>(count); ++i) {
      devices_.push_back(blank_device(fmt::format("{}", i), DeviceKind::kCpu));
      for (int j = 0; j < i; ++j) {
        link.from = fmt::format("{}", j);
        link.to = fmt::format("{}", i);
        links_.push_back(link);
      }
    }
  }

  std::vector<Device> devices_;
  std::vector<MemoryPool> pools_;
  std::vector<std::string> switches_;
  Execution execution_;
  std::vector<Link> links_;
};

}  // namespace

std::shared_ptr<const Machine> toy_machine(std::string_view text) { return MachineReader().read(text); }

}  // namespace berth
