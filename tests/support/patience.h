// SPDX-License-Identifier: Apache-2.0
// How long tests wait for what takes a fraction of a second: long enough for a computer that is slow and busy, short
// enough that what ignores its budget is seen. How close to its budget a search really ends is a matter of bench/.
#pragma once

namespace berth {

inline constexpr double kPatience = 30.0;  // seconds

}  // namespace berth
