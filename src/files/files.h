// SPDX-License-Identifier: Apache-2.0
// Files in and out, whole: reading has one cap, writing never leaves half a file behind. All errors begin with the
// path.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth {

// The one cap on what is read: bytes of a file on disk, and its bytes after decompression. Keeps hostile files small.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;

// The contents of a file, or of a pipe that somebody writes to; gzip is recognised by its first two bytes, whatever the
// file's name, and decompressed. Memory stays below `max_bytes` plus half of it while the buffer grows, even for a
// bomb.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = kMaxFileBytes);

bool path_exists(const std::string& path);  // false also where that cannot be told

// Replaces the file by `contents`, compressed if the path ends in ".gz": readers see the old file or the new one, never
// a part, and on any error (full disk, no permission) the old one stays. Same contents, same bytes on disk. Symbolic
// links are followed; pipes and devices such as /dev/stdout are written directly.
Status write_file_atomically(const std::string& path, std::string_view contents);

// A stretch of another file, or bytes of one's own.
struct FilePart {
  std::size_t offset = 0, size = 0;
  std::string bytes = {};  // if not empty, these, and no stretch
};

// The same for a file put together from parts of `source`, which may be `path` itself. Parts are copied through a small
// buffer, so that they may be of any size; nothing is compressed. Fails if `source` has become shorter.
Status write_parts_atomically(const std::string& path, const std::string& source, std::span<const FilePart> parts);

// The error with "path: " in front, on one line even if a name in it holds line breaks.
Error in_file(std::string_view path, Error error);

}  // namespace berth
