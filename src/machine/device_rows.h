// SPDX-License-Identifier: Apache-2.0
// The device models, rows in the order in which they are listed. Figures are peaks as the vendor states them; what is
// achieved of them is the cost model's business. Where a comment says "assumed", nobody measured it for us. Idle watts
// are assumed unless said otherwise.
#pragma once

#include <span>

#include "machine/devices.h"

namespace berth::device_rows {

// These round like the unit parser's, so that "15 us" in a file is the same number as 15 * us here.
inline constexpr double T = 1e12, G = 1e9;  // NOLINT(readability-identifier-naming): FLOP/s and bytes/s
struct Microsecond {};
inline constexpr Microsecond us;  // NOLINT(readability-identifier-naming)
constexpr double operator*(double count, Microsecond) { return count / 1e6; }
inline constexpr Bytes MiB = Bytes{1} << 20;  // NOLINT(readability-identifier-naming)
inline constexpr Bytes GiB = Bytes{1} << 30;  // NOLINT(readability-identifier-naming)

inline constexpr auto kCpu = DeviceKind::kCpu;
inline constexpr auto kGpu = DeviceKind::kGpu;

// Eager launch from Python, launches queued back to back, measured on the H200's host. The host bounds it, so it is
// assumed for every other card from Pascal on.
inline constexpr double kEagerLaunch = 7.39 * us;
// Time a K80 stays busy after an op of non-zero cost in the published Placeto simulator, which was fitted to AWS p2
// machines; assumed for the K40.
inline constexpr double kKeplerLaunch = 5.7 * us;
// The fastest op of the captured graphs on the 16-core Xeon (3.48 us); assumed for every CPU.
inline constexpr double kCpuLaunch = 3.5 * us;

std::span<const DeviceModel> nvidia();
std::span<const DeviceModel> other_accelerators();  // of AMD, Intel, Apple and Google
std::span<const DeviceModel> processors();

}  // namespace berth::device_rows
