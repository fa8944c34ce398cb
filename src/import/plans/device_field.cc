// SPDX-License-Identifier: Apache-2.0
#include "import/plans/device_field.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "files/json/json_reader.h"

namespace berth {
namespace {

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

Result<DeviceField> parse_device_field(std::string_view text) {
  DeviceField field;
  if (const Status read = read_field(text, field); !read) {
    return bad_input("device field {}: {}", in_quotes(text), read.error().message);
  }
  return field;
}

}  // namespace berth
