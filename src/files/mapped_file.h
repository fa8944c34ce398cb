// SPDX-License-Identifier: Apache-2.0
// MappedFile: the bytes of a file without reading it: the system brings in the pages that are looked at. For models
// whose weights are gigabytes that nobody here needs.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth {

class MappedFile {
 public:
  // Errors begin with the path. An empty file has no bytes.
  static Result<MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};

// Somebody may cut a file short while it is mapped; looking behind its new end then raises a signal (SIGBUS) that by
// default is a crash. For programs, once, at their start: from then on the process ends with one line on stderr and
// exit code 2 instead. A library must not do that on its own.
void exit_if_mapped_files_shrink();

}  // namespace berth
