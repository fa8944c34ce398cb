// SPDX-License-Identifier: Apache-2.0
// The reader of machine files; machine_toml_writer.cc holds the writer.
#include "format/machine_toml.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "files/files.h"
#include "files/toml_fields.h"
#include "machine/devices.h"
#include "machine/validate.h"

namespace berth {
namespace {

using Kind = TomlValue::Kind;

constexpr std::size_t kMaxLinks = 65'536;  // so many have more directions than a machine may

class MachineReader {
 public:
  MachineReader(const TomlValue& root, std::string_view where) : root_(root), where_(where) {}

  Result<Machine> read() {
    const TomlFields fields(root_, where_, "");
    constexpr std::array<std::string_view, 10> kKeys{"format",   "name",     "description", "overlap", "region_cost",
                                                     "accuracy", "switches", "pools",       "devices", "links"};
    BERTH_RETURN_IF_ERROR(fields.only(kKeys));
    BERTH_RETURN_IF_ERROR(fields.check_format(kMachineFormat));
    std::string name, description;
    BERTH_RETURN_IF_ERROR(fields.string("name", name));
    if (name.empty()) return fields.missing("name", "; a machine needs one");
    BERTH_RETURN_IF_ERROR(fields.string("description", description));
    Execution execution;
    BERTH_RETURN_IF_ERROR(fields.boolean("overlap", execution.overlap));
    BERTH_RETURN_IF_ERROR(fields.quantity("region_cost", parse_seconds, execution.region_cost_s));
    BERTH_RETURN_IF_ERROR(read_accuracy(fields, execution));
    BERTH_RETURN_IF_ERROR(fields.strings("switches", switches_));
    BERTH_RETURN_IF_ERROR(each("pools", &MachineReader::read_pool));
    BERTH_RETURN_IF_ERROR(each("devices", &MachineReader::read_device));
    BERTH_RETURN_IF_ERROR(each("links", &MachineReader::read_link));
    if (const auto mistake = find_mistake(devices_, pools_, switches_, links_)) return located(*mistake);
    auto machine = Machine::make(name, description, devices_, pools_, switches_, links_, execution);
    if (!machine.ok()) return in_file(where_, machine.error());
    return machine;
  }

 private:
  Status each(std::string_view section, Status (MachineReader::*read_item)(const TomlValue&, const TomlFields&)) {
    const TomlValue* value = root_.find(section);
    if (value == nullptr) return {};
    const std::string wanted = fmt::format("tables that begin with [[{}]]", section);
    if (value->kind != Kind::kArray) return TomlFields(root_, where_, "").wrong_kind(*value, section, wanted);
    for (const TomlValue& item : value->items) {
      if (item.kind != Kind::kTable) return TomlFields(root_, where_, "").wrong_kind(item, section, wanted);
      BERTH_RETURN_IF_ERROR((this->*read_item)(item, TomlFields(item, where_, section)));
    }
    return {};
  }

  static Status read_accuracy(const TomlFields& fields, Execution& execution) {
    const TomlValue* value = fields.find("accuracy");
    if (value == nullptr) return {};
    const auto is_number = [](const TomlValue& item) {
      return item.kind == Kind::kInteger || item.kind == Kind::kFloat;
    };
    if (value->kind != Kind::kArray || value->items.size() != 2 || !std::ranges::all_of(value->items, is_number)) {
      return fields.wrong_kind(*value, "accuracy", "two numbers such as [0.8, 1.4]");
    }
    execution.accuracy = {value->items[0].number, value->items[1].number};
    return {};
  }

  Status read_pool(const TomlValue& item, const TomlFields& fields) {
    constexpr std::array<std::string_view, 2> kKeys{"name", "memory"};
    BERTH_RETURN_IF_ERROR(fields.only(kKeys));
    MemoryPool pool;
    BERTH_RETURN_IF_ERROR(fields.string("name", pool.name));
    if (!fields.has("memory")) return fields.missing("memory");
    BERTH_RETURN_IF_ERROR(fields.quantity("memory", parse_bytes, pool.memory));
    pools_.push_back(std::move(pool));
    pool_lines_.push_back(item.line);
    return {};
  }

  Status read_device(const TomlValue& item, const TomlFields& fields) {
    constexpr std::array<std::string_view, 13> kKeys{"name",  "model",     "kind",   "memory", "pool",  "pool_limit",
                                                     "flops", "bandwidth", "launch", "async",  "lanes", "watts",
                                                     "idle_watts"};
    BERTH_RETURN_IF_ERROR(fields.only(kKeys));
    std::string name, model;
    BERTH_RETURN_IF_ERROR(fields.string("name", name));
    BERTH_RETURN_IF_ERROR(fields.string("model", model));
    Device device;
    const DeviceModel* known = find_device_model(model);
    if (known != nullptr) {
      device = make_device(*known, name);
    } else {
      BERTH_RETURN_IF_ERROR(check_complete(fields, model));
      device.name = name;
      device.model = model;
    }
    BERTH_RETURN_IF_ERROR(read_kind(fields, device));
    BERTH_RETURN_IF_ERROR(read_memory(fields, device));
    BERTH_RETURN_IF_ERROR(read_flops(fields, device));
    BERTH_RETURN_IF_ERROR(fields.quantity("bandwidth", parse_bytes_per_second, device.bytes_per_s));
    BERTH_RETURN_IF_ERROR(fields.quantity("launch", parse_seconds, device.launch_s));
    BERTH_RETURN_IF_ERROR(fields.boolean("async", device.async));
    BERTH_RETURN_IF_ERROR(fields.integer("lanes", device.lanes));
    BERTH_RETURN_IF_ERROR(fields.quantity("watts", parse_watts, device.watts));
    BERTH_RETURN_IF_ERROR(fields.quantity("idle_watts", parse_watts, device.idle_watts));
    devices_.push_back(std::move(device));
    device_lines_.push_back(item.line);
    return {};
  }

  // A device that inherits nothing must say what it is.
  static Status check_complete(const TomlFields& fields, const std::string& model) {
    std::string hint;
    if (!model.empty()) {
      hint = fmt::format("; the library has no model '{}' to take it from{}", model, suggest_device_model(model));
    }
    for (const std::string_view key : {"kind", "flops", "bandwidth"}) {
      if (!fields.has(key)) return fields.missing(key, hint);
    }
    if (!fields.has("memory") && !fields.has("pool")) return fields.missing("memory", hint);
    return {};
  }

  static Status read_kind(const TomlFields& fields, Device& device) {
    std::string kind;
    BERTH_RETURN_IF_ERROR(fields.string("kind", kind));
    if (!fields.has("kind")) return {};
    const auto known = device_kind_from_name(kind);
    if (!known) {
      return fields.error(fields.find("kind")->line, "kind",
                          fmt::format("no kind '{}'; one of cpu, gpu, tpu, npu, fpga", kind));
    }
    device.kind = *known;
    device.async = *known != DeviceKind::kCpu;
    return {};
  }

  static Status read_memory(const TomlFields& fields, Device& device) {
    BERTH_RETURN_IF_ERROR(fields.quantity("memory", parse_bytes, device.memory));
    BERTH_RETURN_IF_ERROR(fields.string("pool", device.pool));
    BERTH_RETURN_IF_ERROR(fields.quantity("pool_limit", parse_bytes, device.pool_limit));
    if (device.pool.empty()) return {};
    if (fields.has("memory")) {
      return fields.error(fields.find("memory")->line, "memory",
                          "the device uses a pool, whose memory counts; leave one out, or say pool_limit");
    }
    device.memory = 0;
    return {};
  }

  // A table of peaks by dtype, or the f32 peak alone; replaces all of the model's.
  static Status read_flops(const TomlFields& fields, Device& device) {
    const TomlValue* flops = fields.find("flops");
    if (flops == nullptr) return {};
    device.flops_per_s.clear();
    if (flops->kind != Kind::kTable) {
      return fields.quantity("flops", parse_flops_per_second, device.flops_per_s[DType::kF32]);
    }
    for (const auto& [name, position] : flops->keys) {
      const std::string key = "flops." + name;
      const TomlValue& peak = flops->items[position];
      const auto dtype = dtype_from_name(name);
      if (!dtype) return fields.error(peak.line, key, "no such type; for example f32, f16, bf16, tf32, i8");
      BERTH_RETURN_IF_ERROR(fields.quantity_of(peak, key, parse_flops_per_second, device.flops_per_s[*dtype]));
    }
    return {};
  }

  Status read_link(const TomlValue& item, const TomlFields& fields) {
    constexpr std::array<std::string_view, 7> kKeys{"from", "to", "bandwidth", "latency", "duplex", "bus", "contended"};
    BERTH_RETURN_IF_ERROR(fields.only(kKeys));
    for (const std::string_view key : {"from", "to", "bandwidth"}) {
      if (!fields.has(key)) return fields.missing(key);
    }
    Link link;
    std::vector<std::string> ends;
    BERTH_RETURN_IF_ERROR(fields.string("from", link.from));
    BERTH_RETURN_IF_ERROR(fields.strings("to", ends));
    BERTH_RETURN_IF_ERROR(fields.quantity("bandwidth", parse_bytes_per_second, link.bytes_per_s));
    BERTH_RETURN_IF_ERROR(fields.quantity("latency", parse_seconds, link.latency_s));
    BERTH_RETURN_IF_ERROR(fields.string("bus", link.bus));
    BERTH_RETURN_IF_ERROR(fields.boolean("contended", link.contended));
    BERTH_RETURN_IF_ERROR(read_duplex(fields, link.duplex));
    for (std::string& end : ends) {
      link.to = std::move(end);
      links_.push_back(link);
      link_lines_.push_back(item.line);
      // Every end has a copy of the names: long ones are refused with the first, which Machine::make would do too.
      const bool is_long = link.from.size() > kMaxPartName || link.bus.size() > kMaxPartName;
      if (is_long || links_.size() > kMaxLinks) break;
    }
    return {};
  }

  static Status read_duplex(const TomlFields& fields, Duplex& duplex) {
    std::string name = "full";
    BERTH_RETURN_IF_ERROR(fields.string("duplex", name));
    if (name == "full") {
      duplex = Duplex::kFull;
    } else if (name == "half") {
      duplex = Duplex::kHalf;
    } else if (name == "one-way") {
      duplex = Duplex::kOneWay;
    } else {
      return fields.error(fields.find("duplex")->line, "duplex",
                          fmt::format("'{}' is none of \"full\", \"half\" and \"one-way\"", name));
    }
    return {};
  }

  [[nodiscard]] Error located(const Mistake& mistake) const {
    switch (mistake.part) {
      case Mistake::Part::kPool:
        return at_line(pool_lines_[mistake.position], mistake.error);
      case Mistake::Part::kDevice:
        return at_line(device_lines_[mistake.position], mistake.error);
      case Mistake::Part::kSwitch:
        return at_line(root_.find("switches")->line, mistake.error);
      case Mistake::Part::kLink:
        return at_line(link_lines_[mistake.position], mistake.error);
      case Mistake::Part::kMachine:
        break;
    }
    return in_file(where_, mistake.error);
  }
  [[nodiscard]] Error at_line(int line, const Error& error) const {
    return in_file(fmt::format("{}:{}", where_, line), error);
  }

  const TomlValue& root_;
  std::string_view where_;
  std::vector<Device> devices_;
  std::vector<MemoryPool> pools_;
  std::vector<std::string> switches_;
  std::vector<Link> links_;
  std::vector<int> pool_lines_, device_lines_, link_lines_;
};

}  // namespace

Result<Machine> read_machine_toml(std::string_view text, std::string_view where) {
  const auto root = parse_toml(text, where);
  if (!root.ok()) return shortened(root.error());
  auto machine = MachineReader(*root, where).read();
  if (!machine.ok()) return shortened(machine.error());
  return machine;
}

}  // namespace berth
