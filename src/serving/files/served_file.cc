// SPDX-License-Identifier: Apache-2.0
#include "serving/files/served_file.h"

#include <array>
#include <charconv>

#include "base/text.h"
#include "files/json/json_value.h"
#include "files/toml_fields.h"

namespace berth {
namespace {

Result<double> parse_share(std::string_view text) {
  double share = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && share >= kLeastServed && share <= kMostServed) return share;
  return bad_input("{} is no share between {} and {}", in_quotes(text), kLeastServed, kMostServed);
}

Status read_entry(const TomlFields& fields, const Machine& machine, std::vector<bool>& seen,
                  std::vector<ServedShares>& served) {
  constexpr std::array<std::string_view, 4> kKeys{"name", "arithmetic", "memory", "copies"};
  BERTH_RETURN_IF_ERROR(fields.only(kKeys));
  std::string name;
  BERTH_RETURN_IF_ERROR(fields.string("name", name));
  if (name.empty()) return fields.missing("name", "; a device of the machine");
  const int line = fields.find("name")->line;
  const auto device = machine.find_device(name);
  if (!device)
    return fields.error(line, "name", fmt::format("machine {} has no device {}", machine.name(), in_quotes(name)));
  if (seen[index(*device)]) return fields.error(line, "name", fmt::format("{} is named twice", in_quotes(name)));
  seen[index(*device)] = true;
  ServedShares& shares = served[index(*device)];
  BERTH_RETURN_IF_ERROR(fields.quantity("arithmetic", parse_share, shares.arithmetic));
  BERTH_RETURN_IF_ERROR(fields.quantity("memory", parse_share, shares.memory));
  return fields.quantity("copies", parse_share, shares.copies);
}

Result<std::vector<ServedShares>> read_root(const TomlValue& root, std::string_view where, const Machine& machine) {
  const TomlFields fields(root, where, "");
  constexpr std::array<std::string_view, 3> kKeys{"format", "machine", "devices"};
  BERTH_RETURN_IF_ERROR(fields.only(kKeys));
  BERTH_RETURN_IF_ERROR(fields.check_format(kServedFormat));
  std::string name;
  BERTH_RETURN_IF_ERROR(fields.string("machine", name));
  std::vector<ServedShares> served(machine.num_devices());
  std::vector<bool> seen(machine.num_devices(), false);
  const TomlValue* devices = fields.find("devices");
  if (devices == nullptr) return served;
  constexpr std::string_view kWanted = "tables that begin with [[devices]]";
  if (devices->kind != TomlValue::Kind::kArray) return fields.wrong_kind(*devices, "devices", kWanted);
  for (const TomlValue& item : devices->items) {
    if (item.kind != TomlValue::Kind::kTable) return fields.wrong_kind(item, "devices", kWanted);
    BERTH_RETURN_IF_ERROR(read_entry(TomlFields(item, where, "devices"), machine, seen, served));
  }
  return served;
}

}  // namespace

Result<std::vector<ServedShares>> read_served(std::string_view text, std::string_view where, const Machine& machine) {
  const auto root = parse_toml(text, where);
  if (!root) return shortened(root.error());
  auto served = read_root(*root, where, machine);
  if (!served) return shortened(served.error());
  return served;
}

std::string write_served(const Machine& machine, const std::vector<ServedShares>& served) {
  std::string text = fmt::format(
      "# What `berth llm --tune` learned of a machine: times of what is expected, for --learned.\nformat = {}\n"
      "machine = {}\n",
      toml_string(kServedFormat), toml_string(machine.name()));
  for (const DeviceId id : machine.device_ids()) {
    const ServedShares& shares = served[index(id)];
    if (shares == ServedShares{}) continue;
    text += fmt::format("\n[[devices]]\nname = {}\narithmetic = {}\nmemory = {}\ncopies = {}\n",
                        toml_string(machine.device(id).name), shares.arithmetic, shares.memory, shares.copies);
  }
  return text;
}

}  // namespace berth
