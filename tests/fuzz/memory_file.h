// SPDX-License-Identifier: Apache-2.0
// MemoryFile: bytes that have a path but never touch a disk, for readers that ask for a file.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
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

// The same under a name of its own, for readers that look at its ending.
class NamedMemoryFile {
 public:
  NamedMemoryFile(std::string_view bytes, std::string_view name)
      : file_(bytes), path_(fmt::format("{}/{}", folder().path, name)) {
    BERTH_CHECK(::symlink(file_.path().c_str(), path_.c_str()) == 0);
  }
  ~NamedMemoryFile() { ::unlink(path_.c_str()); }
  NamedMemoryFile(const NamedMemoryFile&) = delete;
  NamedMemoryFile& operator=(const NamedMemoryFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Folder {  // of this process
    Folder() { BERTH_CHECK(::mkdtemp(path.data()) != nullptr); }
    ~Folder() { ::rmdir(path.c_str()); }
    std::string path = (std::filesystem::temp_directory_path() / "berth_fuzz_XXXXXX").string();
  };
  static const Folder& folder() {
    static const Folder the_folder;
    return the_folder;
  }

  MemoryFile file_;
  std::string path_;
};

}  // namespace berth
