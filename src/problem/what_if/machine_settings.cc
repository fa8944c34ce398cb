// SPDX-License-Identifier: Apache-2.0
#include "problem/what_if/machine_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "problem/demands/device_words.h"
#include "problem/demands/op_index.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 6> kDeviceFields{"memory", "bandwidth", "flops", "launch", "lanes", "watts"};
constexpr std::array<std::string_view, 2> kLinkFields{"bandwidth", "latency"};

struct Setting {
  std::string_view whole, what, field, value;
};

Result<Setting> parse_setting(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::size_t dot = text.substr(0, equals).rfind('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot == 0) {
    return bad_input("--set '{}': write WHAT.FIELD=VALUE, for example gpu0.memory=24GiB or link.*.bandwidth=2x", text);
  }
  return Setting{text, trim(text.substr(0, dot)), trim(text.substr(dot + 1, equals - dot - 1)),
                 trim(text.substr(equals + 1))};
}

// "2x", "0.5x": so many times what it was.
std::optional<double> factor_of(std::string_view value) {
  if (!value.ends_with('x')) return std::nullopt;
  value.remove_suffix(1);
  double factor = 0.0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), factor);
  if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(factor) || factor < 0.0)
    return std::nullopt;
  return factor;
}

template <typename T>
Status set_to(T& target, const Setting& setting, const Result<T>& parsed) {
  if (const auto factor = factor_of(setting.value)) {
    target = static_cast<T>(static_cast<double>(target) * *factor);
    return {};
  }
  if (!parsed) return within(fmt::format("--set {}", setting.whole), parsed.error());
  target = *parsed;
  return {};
}

Status set_flops(Device& device, const Setting& setting) {
  double peak = device.peak_flops(DType::kF32);
  const double before = peak;
  BERTH_RETURN_IF_ERROR(set_to(peak, setting, parse_flops_per_second(setting.value)));
  for (auto& [dtype, value] : device.flops_per_s) value *= peak / before;  // the others in proportion
  return {};
}

Status set_lanes(Device& device, const Setting& setting) {
  int lanes = 0;
  const auto [end, error] = std::from_chars(setting.value.data(), setting.value.data() + setting.value.size(), lanes);
  if (error != std::errc() || end != setting.value.data() + setting.value.size()) {
    return bad_input("--set {}: '{}' is no whole number of lanes", setting.whole, setting.value);
  }
  device.lanes = lanes;
  return {};
}

Status set_field(MachineDraft& draft, Device& device, const Setting& setting) {
  if (setting.field == "memory") {
    const auto pool = std::ranges::find(draft.pools, device.pool, &MemoryPool::name);
    Bytes& memory = pool != draft.pools.end() ? pool->memory : device.memory;
    return set_to(memory, setting, parse_bytes(setting.value));
  }
  if (setting.field == "bandwidth") return set_to(device.bytes_per_s, setting, parse_bytes_per_second(setting.value));
  if (setting.field == "flops") return set_flops(device, setting);
  if (setting.field == "launch") return set_to(device.launch_s, setting, parse_seconds(setting.value));
  if (setting.field == "watts") return set_to(device.watts, setting, parse_watts(setting.value));
  BERTH_CHECK(setting.field == "lanes");
  return set_lanes(device, setting);
}

Error no_such_field(const Setting& setting, std::span<const std::string_view> fields) {
  std::string known;
  for (const std::string_view field : fields) known += (known.empty() ? "" : ", ") + std::string(field);
  return bad_input("--set {}: there is no '{}' to set; there are {}{}", setting.whole, setting.field, known,
                   did_you_mean(setting.field, fields));
}

Status set_devices(MachineDraft& draft, const Setting& setting) {
  if (std::ranges::find(kDeviceFields, setting.field) == kDeviceFields.end())
    return no_such_field(setting, kDeviceFields);
  BERTH_TRY(const Machine machine, draft.make());
  const DeviceSet meant = devices_of_word(machine, setting.what).devices;
  if (meant == 0) {
    return bad_input("--set {}: machine '{}' has no device '{}' (it has {}, and link.* for its links)", setting.whole,
                     machine.name(), setting.what, known_device_words(machine));
  }
  std::vector<std::string> done;  // a pool is set once, however many devices draw on it
  for (const DeviceId id : machine.device_ids()) {
    if ((meant & device_bit(id)) == 0) continue;
    Device& device = draft.devices[index(id)];
    const bool of_pool = setting.field == "memory" && !device.pool.empty();
    if (of_pool && std::ranges::find(done, device.pool) != done.end()) continue;
    if (of_pool) done.push_back(device.pool);
    BERTH_RETURN_IF_ERROR(set_field(draft, device, setting));
  }
  return {};
}

bool link_is_meant(const Machine& machine, const Link& link, std::string_view word) {
  if (matches(word, link.bus) || matches(word, fmt::format("{}-{}", link.from, link.to)) ||
      matches(word, fmt::format("{}-{}", link.to, link.from))) {
    return true;
  }
  const DeviceSet devices = devices_of_word(machine, word).devices;
  for (const DeviceId id : machine.device_ids()) {
    const std::string& name = machine.device(id).name;
    if ((devices & device_bit(id)) != 0 && (link.from == name || link.to == name)) return true;
  }
  return false;
}

Status set_links(MachineDraft& draft, const Setting& setting) {
  if (std::ranges::find(kLinkFields, setting.field) == kLinkFields.end()) return no_such_field(setting, kLinkFields);
  BERTH_TRY(const Machine machine, draft.make());
  constexpr std::string_view kLinks = "link.";
  const std::string_view word = setting.what.size() > kLinks.size() ? setting.what.substr(kLinks.size()) : "*";
  bool any = false;
  for (Link& link : draft.links) {
    if (!link_is_meant(machine, link, word)) continue;
    any = true;
    if (setting.field == "bandwidth") {
      BERTH_RETURN_IF_ERROR(set_to(link.bytes_per_s, setting, parse_bytes_per_second(setting.value)));
    } else {
      BERTH_RETURN_IF_ERROR(set_to(link.latency_s, setting, parse_seconds(setting.value)));
    }
  }
  if (any) return {};
  const Link* first = draft.links.empty() ? nullptr : &draft.links.front();
  return bad_input("--set {}: machine '{}' has no link '{}'; say link.* for all{}", setting.whole, machine.name(), word,
                   first == nullptr ? ""
                                    : fmt::format(", or link.{} for one",
                                                  first->bus.empty() ? first->from + "-" + first->to : first->bus));
}

// A slip of the finger away; in long words two.
bool is_meant_by(std::string_view field, std::string_view word) {
  return edit_distance(word, field) <= std::max(1, static_cast<int>(field.size() / 4));
}

}  // namespace

std::string setting_meant_by(std::string_view word) {
  const auto meant = [&](std::string_view field) { return is_meant_by(field, word); };
  if (const auto field = std::ranges::find_if(kLinkFields, meant); field != kLinkFields.end()) {
    return fmt::format("link.*.{}", *field);
  }
  const auto field = std::ranges::find_if(kDeviceFields, meant);
  return field != kDeviceFields.end() ? fmt::format("gpu.{}", *field) : std::string();
}

Status apply_setting(MachineDraft& draft, std::string_view text) {
  BERTH_TRY(const Setting setting, parse_setting(text));
  const bool is_link = setting.what == "link" || setting.what.starts_with("link.");
  return is_link ? set_links(draft, setting) : set_devices(draft, setting);
}

}  // namespace berth
