// SPDX-License-Identifier: Apache-2.0
#include "problem/demands/demand.h"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "machine/machine.h"

namespace berth {
namespace {

using Kind = Demand::Kind;

constexpr std::size_t kLongestSource = 120;
constexpr std::size_t kLongestText = 1 << 16;  // thousands of names; a pattern costs its length for every op
constexpr std::string_view kModulePrefix = "module:";

constexpr std::array kForms{
    DemandForm{Kind::kPin, "pin", "OP=DEVICE", "emb=gpu0", "ops run only there; gpu stands for any of the GPUs"},
    DemandForm{Kind::kForbid, "forbid", "OP=DEVICE", "type:Conv=cpu", "ops never run there"},
    DemandForm{Kind::kColocate, "colocate", "A,B,...", "emb,softmax", "all these ops on one device"},
    DemandForm{Kind::kKeepTogether, "keep-together", "MODULE", "encoder.layer.*",
               "a module, or each module that matches, on one device"},
    DemandForm{Kind::kReserve, "reserve", "DEVICE=SIZE", "gpu0=2GiB", "memory that is not for the plan"},
    DemandForm{Kind::kDeviceLimit, "max-devices", "N", "2", "at most N devices run ops"},
    DemandForm{Kind::kCrossingLimit, "max-crossings", "N", "100", "at most N tensors sent between devices"},
    DemandForm{Kind::kResidentWeights, "resident-weights", "", "", "no weight is sent between devices in a step"},
};

struct Sides {
  std::string_view left, right;
};

// At the last '=': names of ops may hold one, names of devices hardly do.
std::optional<Sides> split_at_equals(std::string_view text) {
  const std::size_t at = text.rfind('=');
  if (at == std::string_view::npos) return std::nullopt;
  const Sides sides{trim(text.substr(0, at)), trim(text.substr(at + 1))};
  if (sides.left.empty() || sides.right.empty()) return std::nullopt;
  return sides;
}

std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t low, std::int64_t high) {
  const std::string_view digits = trim(text);
  const char* const end = digits.data() + digits.size();
  std::int64_t number = 0;
  const auto [stop, failed] = std::from_chars(digits.data(), end, number);
  if (failed != std::errc() || stop != end || number < low || number > high) return std::nullopt;
  return number;
}

// Each fills in what the text says; false if it is not of the form.
bool read_placement(std::string_view text, Demand& demand) {
  const auto sides = split_at_equals(text);
  if (!sides) return false;
  demand.ops = {std::string(sides->left)};
  demand.device = sides->right;
  return true;
}

bool read_list(std::string_view text, Demand& demand) {
  for (const std::string_view word : split(text, ',')) {
    if (trim(word).empty()) return false;
    demand.ops.emplace_back(trim(word));
  }
  return true;
}

bool read_module(std::string_view text, Demand& demand) {
  std::string_view path = trim(text);
  if (path.starts_with(kModulePrefix)) path.remove_prefix(kModulePrefix.size());
  demand.ops = {std::string(path)};
  return !path.empty();
}

Result<bool> read_reserve(std::string_view text, Demand& demand) {
  const auto sides = split_at_equals(text);
  if (!sides) return false;
  demand.device = sides->left;
  BERTH_TRY(demand.amount, parse_bytes(sides->right));
  return true;
}

bool read_number(std::string_view text, std::int64_t low, std::int64_t high, Demand& demand) {
  const auto number = whole_number(text, low, high);
  demand.amount = number.value_or(0);
  return number.has_value();
}

Result<bool> read_text(std::string_view text, Demand& demand) {
  switch (demand.kind) {
    case Kind::kPin:
    case Kind::kForbid:
      return read_placement(text, demand);
    case Kind::kColocate:
      return read_list(text, demand);
    case Kind::kKeepTogether:
      return read_module(text, demand);
    case Kind::kReserve:
      return read_reserve(text, demand);
    case Kind::kDeviceLimit:
      return read_number(text, 1, static_cast<std::int64_t>(kMaxDevices), demand);
    case Kind::kCrossingLimit:
      return read_number(text, 0, std::numeric_limits<std::int64_t>::max(), demand);
    case Kind::kResidentWeights:
      return trim(text).empty() || trim(text) == "true";
    case Kind::kUnsupported:
      break;
  }
  BERTH_CHECK(demand.kind != Kind::kUnsupported);  // those come from tables, never from such a text
  return false;
}

}  // namespace

std::span<const DemandForm> demand_forms() { return kForms; }

Result<Demand> parse_demand(const DemandForm& form, std::string_view text, std::string source) {
  if (text.size() > kLongestText) {
    return within(source, bad_input("{} bytes; at most {} are read", text.size(), kLongestText));
  }
  Demand demand{.kind = form.kind, .source = std::move(source), .ops = {}, .device = {}, .amount = 0};
  const Result<bool> has_form = read_text(text, demand);
  if (!has_form) return within(demand.source, has_form.error());
  if (*has_form) return demand;
  if (form.is_switch()) return within(demand.source, bad_input("it takes no value"));
  const std::string_view range = form.kind == Kind::kDeviceLimit ? " from 1 to 64" : "";
  return within(demand.source, bad_input("expected {}{}, for example {}", form.form, range, form.example));
}

std::string source_of_flag(const DemandForm& form, std::string_view text) {
  return short_source(text.empty() ? fmt::format("--{}", form.name) : fmt::format("--{} {}", form.name, text));
}

std::string short_source(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, kLongestSource)) shown += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  if (text.size() <= kLongestSource) return shown;
  while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0) == 0x80) shown.pop_back();
  if (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0) == 0xC0) shown.pop_back();
  return shown + "...";
}

}  // namespace berth
