// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "base/text.h"

namespace berth {
namespace {

// A unit is factor / divisor of the base unit; small ones divide, since 15 / 1e6 is the nearest number to 15 us and 15
// * 1e-6 is not.
struct Unit {
  std::string_view name;
  double factor;
  double divisor = 1.0;
};

constexpr std::array kByteUnits{Unit{"B", 1.0},        Unit{"kB", 1e3},       Unit{"MB", 1e6},
                                Unit{"GB", 1e9},       Unit{"TB", 1e12},      Unit{"KiB", 0x1.0p10},
                                Unit{"MiB", 0x1.0p20}, Unit{"GiB", 0x1.0p30}, Unit{"TiB", 0x1.0p40}};
constexpr std::array kByteRateUnits{Unit{"B/s", 1.0},        Unit{"kB/s", 1e3},       Unit{"MB/s", 1e6},
                                    Unit{"GB/s", 1e9},       Unit{"TB/s", 1e12},      Unit{"MiB/s", 0x1.0p20},
                                    Unit{"GiB/s", 0x1.0p30}, Unit{"Mbit/s", 1e6 / 8}, Unit{"Gbit/s", 1e9 / 8}};
constexpr std::array kTimeUnits{Unit{"s", 1.0},        Unit{"ms", 1.0, 1e3}, Unit{"us", 1.0, 1e6}, Unit{"ns", 1.0, 1e9},
                                Unit{"ps", 1.0, 1e12}, Unit{"min", 60.0},    Unit{"h", 3600.0}};
constexpr std::array kFlopUnits{Unit{"FLOP/s", 1.0}, Unit{"MFLOP/s", 1e6}, Unit{"GFLOP/s", 1e9}, Unit{"TFLOP/s", 1e12},
                                Unit{"PFLOP/s", 1e15}};
constexpr std::array kPowerUnits{Unit{"W", 1.0}, Unit{"kW", 1e3}, Unit{"mW", 1.0, 1e3}};

// Number, optional space, optional unit. `what` and `example` word the error.
Result<double> parse_quantity(std::string_view text, std::span<const Unit> units, std::string_view what,
                              std::string_view example) {
  const std::string_view trimmed = trim(text);
  double number = 0.0;
  const char* end = trimmed.data() + trimmed.size();
  const auto [stop, error] = std::from_chars(trimmed.data(), end, number);
  const auto wrong = [&] { return bad_input("'{}' is no {}; write for example \"{}\"", text, what, example); };
  if (error != std::errc() || !std::isfinite(number) || number < 0) return wrong();
  const std::string_view unit = trim(std::string_view(stop, static_cast<std::size_t>(end - stop)));
  if (unit.empty()) return number;
  for (const Unit& known : units) {
    const double value = number * known.factor / known.divisor;
    if (known.name == unit && std::isfinite(value)) return value;
  }
  return wrong();
}

// A count of bytes without a prefix, exact where a double would no longer tell neighbours apart.
std::optional<Bytes> plain_count(std::string_view text) {
  const std::string_view trimmed = trim(text);
  const char* end = trimmed.data() + trimmed.size();
  Bytes count = 0;
  const auto [stop, error] = std::from_chars(trimmed.data(), end, count);
  const std::string_view unit = trim(std::string_view(stop, static_cast<std::size_t>(end - stop)));
  if (error != std::errc() || !(unit.empty() || unit == "B")) return std::nullopt;
  return count;
}

// Three significant digits of value / factor of the largest unit that is not above it.
std::string with_unit(double value, std::span<const Unit> ascending) {
  const Unit* unit = &ascending[0];
  for (const Unit& candidate : ascending) {
    if (value >= candidate.factor * 0.9995) unit = &candidate;
  }
  const double scaled = value / unit->factor;
  const int decimals = scaled >= 99.95 || scaled == 0 ? 0 : scaled >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", scaled, decimals, unit->name);
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text) {
  BERTH_TRY(const double bytes, parse_quantity(text, kByteUnits, "size", "12 GiB"));
  if (bytes > 0x1.0p60) return bad_input("'{}' is beyond any memory", text);
  if (const auto count = plain_count(text)) return *count;
  return static_cast<Bytes>(std::llround(bytes));
}

Result<double> parse_bytes_per_second(std::string_view text) {
  return parse_quantity(text, kByteRateUnits, "bandwidth", "288 GB/s");
}
Result<double> parse_seconds(std::string_view text) { return parse_quantity(text, kTimeUnits, "time", "15 us"); }
Result<double> parse_flops_per_second(std::string_view text) {
  return parse_quantity(text, kFlopUnits, "speed", "4.29 TFLOP/s");
}
Result<double> parse_watts(std::string_view text) { return parse_quantity(text, kPowerUnits, "power", "235 W"); }

std::string format_bytes(Bytes bytes) {
  constexpr std::array kUnits{Unit{"B", 1.0},        Unit{"KiB", 0x1.0p10}, Unit{"MiB", 0x1.0p20},
                              Unit{"GiB", 0x1.0p30}, Unit{"TiB", 0x1.0p40}, Unit{"PiB", 0x1.0p50}};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  return with_unit(static_cast<double>(bytes), kUnits);
}

std::string group_digits(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string format_seconds(double seconds) {
  constexpr std::array kUnits{Unit{"ps", 1e-12}, Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3}, Unit{"s", 1.0}};
  if (seconds == 0) return "0 s";
  return with_unit(seconds, kUnits);
}

std::string format_rate(double bytes_per_second) {
  constexpr std::array kUnits{Unit{"B/s", 1.0}, Unit{"kB/s", 1e3}, Unit{"MB/s", 1e6}, Unit{"GB/s", 1e9},
                              Unit{"TB/s", 1e12}};
  return with_unit(bytes_per_second, kUnits);
}

std::string format_count(double count) {
  constexpr std::array kUnits{Unit{"", 1.0},  Unit{"k", 1e3},  Unit{"M", 1e6},
                              Unit{"G", 1e9}, Unit{"T", 1e12}, Unit{"P", 1e15}};
  if (count < 999.5) return fmt::format("{:.3g}", count);
  return with_unit(count, kUnits);
}

std::string format_flops_rate(double flops_per_second) {
  constexpr std::array kUnits{Unit{"FLOP/s", 1.0}, Unit{"MFLOP/s", 1e6}, Unit{"GFLOP/s", 1e9}, Unit{"TFLOP/s", 1e12},
                              Unit{"PFLOP/s", 1e15}};
  return with_unit(flops_per_second, kUnits);
}

std::string format_exact_bytes(Bytes bytes) {
  constexpr std::array kUnits{Unit{"TiB", 0x1.0p40}, Unit{"GiB", 0x1.0p30}, Unit{"MiB", 0x1.0p20},
                              Unit{"KiB", 0x1.0p10}, Unit{"TB", 1e12},      Unit{"GB", 1e9},
                              Unit{"MB", 1e6},       Unit{"kB", 1e3}};
  std::string shortest = fmt::format("{} B", bytes);
  for (const Unit& unit : kUnits) {
    const auto factor = static_cast<Bytes>(unit.factor);
    if (bytes < factor || bytes % factor != 0) continue;
    if (std::llround(static_cast<double>(bytes / factor) * unit.factor) != bytes) continue;  // beyond 2^53
    std::string text = fmt::format("{} {}", bytes / factor, unit.name);
    if (text.size() < shortest.size()) shortest = std::move(text);
  }
  return shortest;
}

}  // namespace berth
