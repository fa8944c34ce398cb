// SPDX-License-Identifier: Apache-2.0
// gzip in memory, by zlib; a build without it (BERTH_GZIP=OFF) says so in its errors.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth {

// Room kept behind texts: JSON parsers read a little past the end, and this spares them a copy.
inline constexpr std::size_t kReadAhead = 64;

bool is_gzip(std::string_view data);  // by the two magic bytes

// Decompresses all members of a gzip file, stopping as soon as there are more than `max_bytes`. Truncated or damaged
// data, wrong checksums and bytes behind the last member are errors.
Result<std::string> gunzip(std::string_view data, std::size_t max_bytes);

// The first `max_bytes` of what it holds, for a look; fewer where the data ends or is damaged.
std::string gunzip_start(std::string_view data, std::size_t max_bytes);

// Compresses; the header carries no time and no name, so equal text gives equal bytes.
Result<std::string> gzip(std::string_view text);

}  // namespace berth
