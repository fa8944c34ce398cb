// SPDX-License-Identifier: Apache-2.0
// One member of a zip file, by libzip; a build without it (BERTH_ZIP=OFF) says so in its errors. The other members are
// not read, so a file of many gigabytes costs its list of names.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/result.h"

namespace berth {

// Picks the member to read out of the names of all, or says why none will do. The result is an index into the names.
using ChooseZipMember = std::function<Result<std::size_t>(std::span<const std::string> names)>;

// The chosen member's contents, decompressed and checked against its checksum. It may hold 1 GiB, but not much more
// than a hundred times what the file takes on disk, which keeps bombs small. Errors do not name the file.
Result<std::string> read_zip_member(const std::string& path, const ChooseZipMember& choose);

}  // namespace berth
