// SPDX-License-Identifier: Apache-2.0
// How long tests wait for what takes a fraction of a second: long enough for a computer that is ten times slower and
// busy with ten others, short enough that what ignores its budget, and takes hours, is seen. How close to its budget a
// search really ends is a matter of bench/.
#pragma once

namespace berth {

inline constexpr double kPatience = 600.0;  // seconds

}  // namespace berth
