// SPDX-License-Identifier: Apache-2.0
#include "files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "files/files.h"

namespace berth {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

Error cannot_map(const std::string& path) { return in_file(path, bad_input("{}", std::strerror(errno))); }

constexpr int kBadInputExit = 2;

// Only what may be called in a signal handler: no formatting, no destructors.
void report_and_exit(int) {
  constexpr std::string_view kLine =
      "berth: the file that is being read became shorter; run it again when nobody writes the file\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  ::_exit(kBadInputExit);
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  const OpenFile file(path);
  struct stat status {};
  if (file.descriptor() < 0 || ::fstat(file.descriptor(), &status) != 0) return cannot_map(path);
  if (!S_ISREG(status.st_mode)) return in_file(path, bad_input("it is no regular file"));
  if (status.st_size == 0) return MappedFile(std::string_view());
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (address == MAP_FAILED) return cannot_map(path);
  ::madvise(address, size, MADV_RANDOM);  // no reading ahead into the weights
  return MappedFile(std::string_view(static_cast<const char*>(address), size));
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void exit_if_mapped_files_shrink() {
  struct sigaction action {};
  action.sa_handler = report_and_exit;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace berth
