// SPDX-License-Identifier: Apache-2.0
#include "import/plans/given_placement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "files/json/json_reader.h"
#include "machine/device_set.h"

namespace berth {
namespace {

class Placing {
 public:
  Placing(const Problem& problem, std::span<const std::string> device_of)
      : problem_(problem), machine_(problem.machine()), device_of_(device_of) {
    for (const DeviceId id : machine_.device_ids()) {
      devices_[static_cast<std::size_t>(machine_.device(id).kind)].push_back(id);
    }
  }

  Result<GivenPlacement> run() {
    wanted_.assign(problem_.graph().num_ops(), kNoDevice);
    for (const OpId op : problem_.graph().ops()) {
      if (device_of_[index(op)].empty()) continue;
      BERTH_TRY(wanted_[index(op)], wanted_by(op));
    }
    result_.plan.device_of.assign(problem_.graph().num_ops(), kNoDevice);
    for (std::uint32_t unit = 0; unit < problem_.num_units(); ++unit) place(unit);
    return std::move(result_);
  }

 private:
  Result<DeviceId> wanted_by(OpId op) {
    const std::string& text = device_of_[index(op)];
    const auto [entry, is_new] = known_.try_emplace(text, kNoDevice);
    if (is_new) {
      auto device = find(text);
      if (!device) return within(fmt::format("op '{}'", problem_.graph().name(op)), device.error());
      entry->second = *device;
    }
    return entry->second;
  }

  // kNoDevice: the field says nothing about the kind of device.
  Result<DeviceId> find(std::string_view text) {
    if (const auto device = machine_.find_device(text)) return *device;
    BERTH_TRY(const DeviceField field, parse_device_field(text));
    if (!field.task.empty()) {
      if (task_.empty()) task_ = field.task;
      if (task_ != field.task) {
        return bad_input("the file places ops on several hosts, {} and {}; a placement on one can be read",
                         in_quotes(task_), in_quotes(field.task));
      }
    }
    if (!field.kind) return kNoDevice;
    const std::vector<DeviceId>& devices = devices_[static_cast<std::size_t>(*field.kind)];
    if (field.number < devices.size()) return devices[field.number];
    return bad_input("the file places it on {}, but machine '{}' has {} device{} of the kind {}", in_quotes(text),
                     machine_.name(), devices.size(), devices.size() == 1 ? "" : "s", name_of(*field.kind));
  }

  void place(std::uint32_t unit) {
    const DeviceSet allowed = problem_.unit_allowed(unit);
    const DeviceId device = choose(unit, allowed);
    for (const OpId op : problem_.unit_ops(unit)) {
      result_.plan.device_of[index(op)] = device;
      const DeviceId wanted = wanted_[index(op)];
      if (wanted == kNoDevice) continue;
      ++result_.stated;
      if (wanted == device) continue;
      ++((allowed & device_bit(wanted)) != 0 ? result_.moved_together : result_.not_allowed);
    }
  }

  // Most votes; of equals the one that is voted for first.
  [[nodiscard]] DeviceId choose(std::uint32_t unit, DeviceSet allowed) const {
    std::array<std::size_t, kMaxDevices> votes{};
    std::vector<DeviceId> voted;
    for (const OpId op : problem_.unit_ops(unit)) {
      const DeviceId wanted = wanted_[index(op)];
      if (wanted == kNoDevice || (allowed & device_bit(wanted)) == 0) continue;
      if (votes[index(wanted)]++ == 0) voted.push_back(wanted);
    }
    if (voted.empty()) return default_device(allowed);
    return *std::ranges::max_element(voted, {}, [&](DeviceId device) { return votes[index(device)]; });
  }

  [[nodiscard]] DeviceId default_device(DeviceSet allowed) const {
    for (const DeviceKind kind : {DeviceKind::kGpu, DeviceKind::kCpu}) {
      const auto first = machine_.first_of(kind);
      if (first && (allowed & device_bit(*first)) != 0) return *first;
    }
    return lowest_device(allowed);  // a unit may go somewhere
  }

  const Problem& problem_;
  const Machine& machine_;
  std::span<const std::string> device_of_;
  std::array<std::vector<DeviceId>, kDeviceKinds> devices_;  // of each kind, in order
  std::unordered_map<std::string_view, DeviceId> known_;     // by field
  std::string task_;                                         // the one that fields name
  std::vector<DeviceId> wanted_;                             // per op
  GivenPlacement result_;
};

std::optional<DeviceKind> kind_of(std::string_view word) {
  std::string name(word);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (name.starts_with("xla_")) name.erase(0, 4);
  return name == "cuda" ? DeviceKind::kGpu : device_kind_from_name(name);
}

// "GPU" and "1", or "*", or nothing.
Status read_device(std::string_view kind, std::string_view number, DeviceField& field) {
  field.kind = kind_of(kind);
  if (!field.kind) return bad_input("{} is no kind of device", in_quotes(kind));
  if (number.empty() || number == "*") return {};
  const char* const end = number.data() + number.size();
  const auto [stop, failed] = std::from_chars(number.data(), end, field.number);
  if (failed == std::errc() && stop == end) return {};
  return bad_input("{} is no number of a device", in_quotes(number));
}

Status read_constraint(std::string_view text, DeviceField& field) {
  const std::vector<std::string_view> words = split(text, ':');
  const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : std::string_view(); };
  if (word(0) == "job" || word(0) == "replica" || word(0) == "task") {
    field.task += fmt::format("/{}", text);
    return {};
  }
  const std::size_t first = word(0) == "device" ? 1 : 0;
  if (words.size() > first + 2) return bad_input("too many colons");
  return read_device(word(first), word(first + 1), field);
}

Status read_field(std::string_view text, DeviceField& field) {
  if (!text.starts_with('/')) {
    const std::size_t mark = std::min(text.find_first_of(".:"), text.size());
    return read_device(text.substr(0, mark), text.substr(std::min(mark + 1, text.size())), field);
  }
  for (const std::string_view constraint : split(text, '/')) {
    if (!constraint.empty()) BERTH_RETURN_IF_ERROR(read_constraint(constraint, field));
  }
  return {};
}

}  // namespace

Result<GivenPlacement> given_placement(const Problem& problem, std::span<const std::string> device_of) {
  BERTH_CHECK(device_of.size() == problem.graph().num_ops());
  return Placing(problem, device_of).run();
}

std::string words_about(const GivenPlacement& given) {
  std::string words =
      fmt::format("places {} of {}", group_digits(given.stated), counted(given.plan.device_of.size(), "op"));
  if (given.moved_together > 0)
    words += fmt::format("; {} moved to be with ops {} a device with", group_digits(given.moved_together),
                         given.moved_together == 1 ? "it shares" : "they share");
  if (given.not_allowed > 0)
    words += fmt::format("; {} moved because {} may not run there", group_digits(given.not_allowed),
                         given.not_allowed == 1 ? "it" : "they");
  return words;
}

Result<DeviceField> parse_device_field(std::string_view text) {
  DeviceField field;
  if (const Status read = read_field(text, field); !read) {
    return bad_input("device field {}: {}", in_quotes(text), read.error().message);
  }
  return field;
}

}  // namespace berth
