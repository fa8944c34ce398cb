// SPDX-License-Identifier: Apache-2.0
#include "files/output_path.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace berth {

Status check_output_path(const std::string& path, std::span<const std::string> sources) {
  if (path.empty()) return {};
  std::error_code ignored;
  const auto is_same = [&](const std::string& source) { return std::filesystem::equivalent(path, source, ignored); };
  if (std::filesystem::is_regular_file(path, ignored) && std::ranges::any_of(sources, is_same)) {
    return bad_input("{}: it is read here, and would be replaced; choose another name for the output", path);
  }
  if (std::filesystem::is_directory(path, ignored)) return bad_input("{}: is a folder; give the name of a file", path);
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!std::filesystem::is_directory(folder, ignored))
    return bad_input("{}: there is no folder {}", path, folder.string());
  if (access(folder.c_str(), W_OK) != 0 && access(path.c_str(), W_OK) != 0) {
    return bad_input("{}: no permission to write into {}", path, folder.string());
  }
  return {};
}

}  // namespace berth
