// SPDX-License-Identifier: Apache-2.0
#include "app/learn/policy_library.h"

#include <filesystem>

namespace berth::app {
namespace {

namespace fs = std::filesystem;

bool has_run(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "config.json", error);
}

}  // namespace

std::string policy_folder(const std::string& given) {
  if (has_run(given) || given.find('/') != std::string::npos) return given;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& library : {program / BERTH_INSTALLED_POLICIES, fs::path(BERTH_SOURCE_POLICIES)}) {
    if (has_run(library / given)) return (library / given).string();
  }
  return given;
}

}  // namespace berth::app
