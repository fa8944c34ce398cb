// SPDX-License-Identifier: Apache-2.0
#include "manual/documentation.h"

#include <algorithm>
#include <filesystem>

namespace berth::manual {
namespace {

namespace fs = std::filesystem;

// Seen from the folder of the program when installed; in a build, the project's own.
fs::path documentation_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {program / BERTH_INSTALLED_DOCS, fs::path(BERTH_SOURCE_DOCS)}) {
    if (fs::exists(place / "cli.md", error)) return place.lexically_normal();
  }
  return {};
}

}  // namespace

std::vector<std::string> documentation_pages() {
  std::vector<std::string> pages;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(documentation_folder(), error)) {
    const std::string page = entry.path().stem().string();
    const bool is_page = page.front() >= 'a' && page.front() <= 'z';  // an installation has CHANGELOG.md there too
    if (entry.path().extension() == ".md" && is_page) pages.push_back(page);
  }
  std::ranges::sort(pages);
  return pages;
}

std::string documentation_file(std::string_view page) {
  const std::vector<std::string> pages = documentation_pages();
  if (std::ranges::find(pages, page) == pages.end()) return "";
  return (documentation_folder() / std::string(page)).string() + ".md";
}

}  // namespace berth::manual
