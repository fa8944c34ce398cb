// SPDX-License-Identifier: Apache-2.0
#include "problem/what_if/machine_draft.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "machine/devices.h"
#include "machine/validate.h"

namespace berth {
namespace {

bool is_accelerator(const Device& device) { return device.kind != DeviceKind::kCpu; }

// Neither end may be a device that is no more.
void drop_device(MachineDraft& draft, const std::string& name) {
  std::erase_if(draft.devices, [&](const Device& device) { return device.name == name; });
  std::erase_if(draft.links, [&](const Link& link) { return link.from == name || link.to == name; });
}

struct Wanted {
  const DeviceModel* model = nullptr;
  int count = 1;
};

Result<Wanted> parse_wanted(std::string_view text) {
  const std::size_t star = text.find('*');
  const std::string_view name = text.substr(0, star);
  Wanted wanted{find_device_model(name)};
  if (wanted.model == nullptr) {
    return bad_input("--add-device: no device model '{}'{} (berth help machines says where they are listed)", name,
                     suggest_device_model(name));
  }
  if (star == std::string_view::npos) return wanted;
  const std::string_view digits = text.substr(star + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), wanted.count);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (!is_number || wanted.count < 1 || wanted.count > static_cast<int>(kMaxDevices)) {
    return bad_input("--add-device: '{}' is no number of devices; write for example a100*2", digits);
  }
  return wanted;
}

std::string free_name(const MachineDraft& draft, DeviceKind kind) {
  for (std::size_t i = 0;; ++i) {
    std::string name = fmt::format("{}{}", name_of(kind), i);
    if (std::ranges::find(draft.devices, name, &Device::name) == draft.devices.end()) return name;
  }
}

// The device whose links a new one copies.
const Device* model_for_links(const MachineDraft& draft, DeviceKind kind) {
  const auto alike = std::ranges::find(draft.devices, kind, &Device::kind);
  if (alike != draft.devices.end()) return &*alike;
  const auto any = std::ranges::find_if(draft.devices, is_accelerator);
  if (any != draft.devices.end()) return &*any;
  return draft.devices.empty() ? nullptr : &draft.devices.back();
}

// "gpu0.port" of gpu0 is "gpu4.port" of gpu4; a bus that several share stays.
std::string own_bus(const std::string& bus, const std::string& old_name, const std::string& name) {
  return bus.starts_with(old_name + ".") ? name + bus.substr(old_name.size()) : bus;
}

// Links like those of `pattern`, and one between the two like the first that `pattern` has to a device of its kind.
void copy_links(MachineDraft& draft, const Device& pattern, const std::string& name) {
  const auto is_peer = [&](const std::string& end) {
    const auto found = std::ranges::find(draft.devices, end, &Device::name);
    return found != draft.devices.end() && found->kind == pattern.kind;
  };
  std::vector<Link> copies;
  bool has_peer = false;
  for (const Link& link : draft.links) {
    if (link.from != pattern.name && link.to != pattern.name) continue;
    Link copy = link;
    (copy.from == pattern.name ? copy.from : copy.to) = name;
    copy.bus = own_bus(copy.bus, pattern.name, name);
    copies.push_back(copy);
    const std::string& other = link.from == pattern.name ? link.to : link.from;
    if (has_peer || other == kEveryDevice || !is_peer(other)) continue;
    has_peer = true;
    Link between = link;
    between.from = pattern.name;
    between.to = name;
    copies.push_back(between);
    if (link.duplex != Duplex::kOneWay) continue;
    std::swap(between.from, between.to);
    between.bus = own_bus(between.bus, pattern.name, name);
    copies.push_back(between);
  }
  draft.links.insert(draft.links.end(), copies.begin(), copies.end());
}

}  // namespace

MachineDraft::MachineDraft(const Machine& machine)
    : name(machine.name()),
      description(machine.description()),
      devices(machine.devices().begin(), machine.devices().end()),
      pools(machine.pools().begin(), machine.pools().end()),
      switches(machine.switches().begin(), machine.switches().end()),
      links(machine.links().begin(), machine.links().end()),
      execution(machine.execution()) {}

Result<Machine> MachineDraft::make() const {
  return Machine::make(name, description, devices, pools, switches, links, execution);
}

Status keep_accelerators(MachineDraft& draft, int count) {
  const auto there = std::ranges::count_if(draft.devices, is_accelerator);
  if (count > there) return bad_input("machine '{}' has {}, not {}", draft.name, counted(there, "accelerator"), count);
  std::vector<std::string> dropped;
  int kept = 0;
  for (const Device& device : draft.devices) {
    if (is_accelerator(device) && ++kept > count) dropped.push_back(device.name);
  }
  for (const std::string& name : dropped) drop_device(draft, name);
  return {};
}

Status add_device(MachineDraft& draft, std::string_view text) {
  BERTH_TRY(const Wanted wanted, parse_wanted(text));
  for (int i = 0; i < wanted.count; ++i) {
    const Device* found = model_for_links(draft, wanted.model->kind);
    if (found == nullptr) return bad_input("--add-device: machine '{}' has no device to be linked to", draft.name);
    const Device pattern = *found;
    const std::string name = free_name(draft, wanted.model->kind);
    copy_links(draft, pattern, name);
    draft.devices.push_back(make_device(*wanted.model, name));
  }
  return {};
}

}  // namespace berth
