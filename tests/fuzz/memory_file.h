// SPDX-License-Identifier: Apache-2.0
// MemoryFile: bytes that have a path but never touch a disk, for readers that ask for a file.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "base/check.h"

namespace berth {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("bytes", MFD_CLOEXEC)) {
    BERTH_CHECK(descriptor_ >= 0);
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      BERTH_CHECK(written > 0);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

}  // namespace berth
