// SPDX-License-Identifier: Apache-2.0
#include "files/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <system_error>

#include "base/units.h"
#include "files/gzip.h"

namespace berth {
namespace {

Error system_error(std::string_view what) { return bad_input("{}: {}", what, std::generic_category().message(errno)); }

// Owns an open file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool ok() const { return fd_ >= 0; }
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

Error too_large(std::size_t max_bytes) {
  return bad_input("it is larger than {}, the most that is read", format_bytes(static_cast<Bytes>(max_bytes)));
}

// Opened so that nothing waits: from now on reading a pipe waits for the one who writes to it.
void wait_for_writer(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK); }

Result<std::string> read_raw(const std::string& path, std::size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.ok()) return system_error("cannot open it");
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return system_error("cannot read it");
  if (S_ISDIR(info.st_mode)) return bad_input("it is a folder, not a file");
  if (::isatty(file.get()) != 0) return bad_input("it is a terminal, not a regular file");
  const auto stated = static_cast<std::size_t>(std::max<off_t>(info.st_size, 0));  // 0 for pipes
  if (stated > max_bytes) return too_large(max_bytes);
  std::string data;
  data.reserve(stated + 1 + kReadAhead);
  constexpr std::size_t kStep = std::size_t{1} << 20;
  while (true) {
    const std::size_t done = data.size();
    data.resize(done + std::max<std::size_t>(std::min(kStep, data.capacity() - done), 4096));
    const ssize_t got = ::read(file.get(), data.data() + done, data.size() - done);
    data.resize(done + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0 && data.empty() && S_ISFIFO(info.st_mode)) {
      return bad_input("it is a pipe that nobody writes to, not a regular file");
    }
    if (got == 0) return data;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return system_error("cannot read it");
    if (data.size() > max_bytes) return too_large(max_bytes);
    if (!S_ISREG(info.st_mode)) wait_for_writer(file.get());
  }
}

Result<std::string> read_unpacked(const std::string& path, std::size_t max_bytes) {
  BERTH_TRY(std::string data, read_raw(path, max_bytes));
  if (!is_gzip(data)) return data;
  return gunzip(data, max_bytes);
}

Status write_all(int fd, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("cannot write it");
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

using Fill = std::function<Status(int fd)>;  // writes the contents of a file

Status write_directly(const std::string& path, const Fill& fill) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.ok()) return system_error("cannot open it for writing");
  BERTH_RETURN_IF_ERROR(fill(file.get()));
  if (!file.close()) return system_error("cannot write it");
  return {};
}

// A stretch of one file to the end of another.
Status copy_part(int from, int to, const FilePart& part, std::optional<Error>& unreadable) {
  std::string buffer(std::min(part.size, std::size_t{1} << 20), '\0');
  for (std::size_t done = 0; done < part.size;) {
    const std::size_t wanted = std::min(buffer.size(), part.size - done);
    const ssize_t got = ::pread(from, buffer.data(), wanted, static_cast<off_t>(part.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      unreadable = got < 0 ? system_error("cannot read it") : bad_input("it became shorter while it was copied");
      return *unreadable;
    }
    BERTH_RETURN_IF_ERROR(write_all(to, std::string_view(buffer).substr(0, static_cast<std::size_t>(got))));
    done += static_cast<std::size_t>(got);
  }
  return {};
}

// A new, empty file beside `path`, with the permissions that a plain open would give.
int open_temporary(const std::string& path, std::string& temporary) {
  for (int attempt = 0;; ++attempt) {
    temporary = fmt::format("{}.{}-{}.tmp", path, ::getpid(), attempt);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST || attempt == 1000) return fd;
  }
}

Status fill_and_rename(Descriptor& file, const std::string& temporary, const std::string& path, const Fill& fill,
                       std::optional<mode_t> mode) {
  BERTH_RETURN_IF_ERROR(fill(file.get()));
  if (mode && ::fchmod(file.get(), *mode) != 0) return system_error("cannot keep its permissions");
  if (::fsync(file.get()) != 0 || !file.close()) return system_error("cannot write it");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return system_error("cannot replace it");
  return {};
}

// Makes the rename itself durable. Some file systems cannot; the contents are safe either way.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.ok()) ::fsync(opened.get());
}

Status replace(const std::string& path, const Fill& fill) {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return bad_input("it is a folder, not a file");
  if (exists && !S_ISREG(info.st_mode)) return write_directly(path, fill);
  std::error_code ignored;
  const std::filesystem::path resolved = exists ? std::filesystem::canonical(path, ignored) : std::filesystem::path();
  const std::string target = resolved.empty() ? path : resolved.string();
  std::string temporary;
  Descriptor file(open_temporary(target, temporary));
  if (!file.ok()) return system_error("cannot write it");
  const std::optional<mode_t> mode = exists ? std::optional<mode_t>(info.st_mode & 07777) : std::nullopt;
  Status written = fill_and_rename(file, temporary, target, fill, mode);
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  sync_folder_of(target);
  return {};
}

}  // namespace

Error in_file(std::string_view path, Error error) {
  error = within(path, std::move(error));
  std::replace_if(
      error.message.begin(), error.message.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return error;
}

bool path_exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  auto contents = read_unpacked(path, max_bytes);
  if (!contents) return in_file(path, contents.error());
  return contents;
}

Status write_file_atomically(const std::string& path, std::string_view contents) {
  std::string packed;
  if (path.ends_with(".gz")) {
    auto result = gzip(contents);
    if (!result) return in_file(path, result.error());
    packed = std::move(*result);
    contents = packed;
  }
  const Status written = replace(path, [&](int fd) { return write_all(fd, contents); });
  if (!written) return in_file(path, written.error());
  return {};
}

Status write_parts_atomically(const std::string& path, const std::string& source, std::span<const FilePart> parts) {
  const Descriptor from(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from.ok()) return in_file(source, system_error("cannot open it"));
  std::optional<Error> unreadable;  // about the source, not about what is written
  const Status written = replace(path, [&](int fd) -> Status {
    for (const FilePart& part : parts) {
      if (!part.bytes.empty()) {
        BERTH_RETURN_IF_ERROR(write_all(fd, part.bytes));
      } else {
        BERTH_RETURN_IF_ERROR(copy_part(from.get(), fd, part, unreadable));
      }
    }
    return {};
  });
  if (unreadable) return in_file(source, *unreadable);
  if (!written) return in_file(path, written.error());
  return {};
}

}  // namespace berth
