// SPDX-License-Identifier: Apache-2.0
// Quantities with units, as people write and read them: "12 GiB", "288 GB/s", "15 us", "4.29 TFLOP/s".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth {

using Bytes = std::int64_t;        // never negative in a valid graph, machine or result
using Picoseconds = std::int64_t;  // the simulator's clock

inline constexpr double kMicrosecond = 1e-6;  // in seconds
inline constexpr double kPicosecondsPerSecond = 1e12;
inline constexpr double kMostPicoseconds = 9e18;  // that a number of any size is cut to before it becomes a time

// Seconds to the simulator's clock: times 1e12, plus one half, cut off. `seconds` must be between 0 and kLongestTime.
inline constexpr double kLongestTime = 1e6;
inline Picoseconds to_picoseconds(double seconds) {
  return static_cast<Picoseconds>(seconds * kPicosecondsPerSecond + 0.5);
}
inline double to_seconds(Picoseconds time) { return static_cast<double>(time) / kPicosecondsPerSecond; }

// Parsers. Units are case-sensitive SI or binary prefixes; a plain number is in the base unit.
Result<Bytes> parse_bytes(std::string_view text);              // B kB MB GB TB KiB MiB GiB TiB
Result<double> parse_bytes_per_second(std::string_view text);  // B/s .. TB/s, GiB/s, Gbit/s
Result<double> parse_seconds(std::string_view text);           // s ms us ns ps, min, h
Result<double> parse_flops_per_second(std::string_view text);  // FLOP/s, GFLOP/s, TFLOP/s, PFLOP/s
Result<double> parse_watts(std::string_view text);             // W, kW

// Printers for people: three significant digits and a fitting unit.
std::string format_bytes(Bytes bytes);       // "11.2 GiB"
std::string format_seconds(double seconds);  // "1.57 s", "23.4 ms", "850 us"
inline std::string format_time(Picoseconds time) { return format_seconds(to_seconds(time)); }
std::string format_rate(double bytes_per_second);        // "288 GB/s"
std::string format_count(double count);                  // "46.6 k", "4.10 G"
std::string format_flops_rate(double flops_per_second);  // "4.29 TFLOP/s"
std::string group_digits(std::uint64_t number);          // "46,600"
// Shortest whole number of a unit; parse_bytes reads back the same value: "12 GiB".
std::string format_exact_bytes(Bytes bytes);

}  // namespace berth
