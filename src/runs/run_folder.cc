// SPDX-License-Identifier: Apache-2.0
#include "runs/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "files/files.h"
#include "files/output_path.h"

namespace berth::learn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLock = "lock", kConfig = "config.json";

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string reason() { return std::generic_category().message(errno); }

// A file that was being written when its writer was killed.
bool is_half_written(std::string_view name) {
  constexpr std::array<std::string_view, 3> kFiles{kConfig, "checkpoint", "plan.json"};
  const auto is_of = [&](std::string_view file) {
    return name.starts_with(file) && name.substr(file.size()).starts_with('.');
  };
  return name.ends_with(".tmp") && std::ranges::any_of(kFiles, is_of);
}

bool has_config(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::path(path) / kConfig, ignored);
}

}  // namespace

Status RunFolder::check_new(const std::string& given) {
  const std::string path = without_slash(given);
  std::error_code error;
  if (!fs::exists(path, error)) return check_output_path(path);
  if (!fs::is_directory(path, error)) return bad_input("{}: is a file; a run needs a folder of its own", path);
  if (has_config(path)) {
    return bad_input("{}: there is a run already; go on with it by berth train --resume {}, or give a new name", path,
                     path);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_leftover = name == kLock || is_half_written(name);
    if (!is_leftover) return bad_input("{}: the folder holds '{}' and no run; give a new name", path, name);
  }
  if (error) return bad_input("{}: cannot read it: {}", path, error.message());
  return {};
}

Result<RunFolder> RunFolder::create(const std::string& given) {
  BERTH_RETURN_IF_ERROR(check_new(given));
  const std::string path = without_slash(given);
  std::error_code error;
  fs::create_directory(path, error);
  if (error) return bad_input("{}: cannot make the folder: {}", path, error.message());
  BERTH_TRY(RunFolder folder, hold(path));
  BERTH_RETURN_IF_ERROR(check_new(path));  // somebody else may have been quicker
  return folder;
}

Result<RunFolder> RunFolder::open(const std::string& given) {
  const std::string path = without_slash(given);
  if (!has_config(path)) {
    return bad_input("{}: there is no run (no {}/{}); begin one by berth train GRAPH --machine M -o {}", path, path,
                     kConfig, path);
  }
  return hold(path);
}

void RunFolder::remove_half_written() const {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, ignored)) {
    if (is_half_written(entry.path().filename().string())) fs::remove(entry.path(), ignored);
  }
}

Result<RunFolder> RunFolder::hold(const std::string& path) {
  const std::string name = fmt::format("{}/{}", path, kLock);
  const int lock = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) return bad_input("{}: cannot open it: {}", name, reason());
  RunFolder folder(path, lock);
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0) return folder;
  if (errno == EWOULDBLOCK) return bad_input("{}: another berth is training there; wait for its end", path);
  return bad_input("{}: cannot lock it: {}", name, reason());
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

Result<RunConfig> load_config(const std::string& given) {
  const std::string path = without_slash(given);
  if (!has_config(path)) {
    return bad_input("{}: there is no run (no {}/{}; the policy default comes with berth)", path, path, kConfig);
  }
  const std::string name = fmt::format("{}/{}", path, kConfig);
  BERTH_TRY(std::string text, read_file(name));
  return read_config(std::move(text), name);
}

}  // namespace berth::learn
