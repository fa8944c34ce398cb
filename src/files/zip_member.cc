// SPDX-License-Identifier: Apache-2.0
#include "files/zip_member.h"

#ifdef BERTH_ZIP
#include <zip.h>
#endif

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/units.h"
#include "files/files.h"
#include "files/gzip.h"
#include "files/mapped_file.h"

namespace berth {

#ifdef BERTH_ZIP

namespace {

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Member = std::unique_ptr<zip_file_t, CloseMember>;

// With what it reads from, if the file was compressed as a whole.
struct OpenArchive {
  std::string unpacked;
  Archive archive;
};

// Libzip's descriptions of its errors have to be freed.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t* get() { return &error_; }

 private:
  zip_error_t error_{};
};

Result<bool> is_compressed(const std::string& path) {
  BERTH_TRY(const MappedFile file, MappedFile::open(path));
  return is_gzip(file.bytes());
}

Result<OpenArchive> open_archive(const std::string& path) {
  OpenArchive opened;
  ZipError error;
  zip_source_t* source = nullptr;
  const Result<bool> compressed = is_compressed(path);
  if (compressed && *compressed) {
    BERTH_TRY(opened.unpacked, read_file(path));
    source = zip_source_buffer_create(opened.unpacked.data(), opened.unpacked.size(), 0, error.get());
  } else {
    source = zip_source_file_create(path.c_str(), 0, -1, error.get());
  }
  if (source != nullptr) opened.archive.reset(zip_open_from_source(source, ZIP_RDONLY, error.get()));
  if (opened.archive) return opened;
  if (source != nullptr) zip_source_free(source);
  return bad_input("cannot open it as a zip file ({})", zip_error_strerror(error.get()));
}

std::vector<std::string> names_of(zip_t* archive) {
  const auto count = static_cast<zip_uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(archive, 0), 0));
  std::vector<std::string> names;
  for (zip_uint64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive, i, ZIP_FL_ENC_RAW);
    names.emplace_back(name != nullptr ? name : "");
  }
  return names;
}

// Text compresses well, but not a thousandfold: whoever promises that is up to something.
std::size_t most_bytes(const std::string& path) {
  constexpr std::size_t kAlwaysAllowed = std::size_t{16} << 20;
  constexpr std::size_t kRatio = 100;
  std::error_code ignored;
  const auto on_disk = std::filesystem::file_size(path, ignored);
  if (ignored || on_disk > kMaxFileBytes / kRatio) return kMaxFileBytes;
  return std::min(kAlwaysAllowed + kRatio * static_cast<std::size_t>(on_disk), kMaxFileBytes);
}

Result<std::string> read_all(zip_t* archive, zip_uint64_t index, std::size_t max_bytes) {
  const auto too_large = [&] {
    return bad_input("it holds more than {}, the most that is read of a file of this size",
                     format_bytes(static_cast<Bytes>(max_bytes)));
  };
  zip_stat_t stat;
  if (zip_stat_index(archive, index, 0, &stat) != 0) return bad_input("{}", zip_strerror(archive));
  const std::size_t stated = (stat.valid & ZIP_STAT_SIZE) != 0 ? stat.size : 0;
  if (stated > max_bytes) return too_large();
  const Member member(zip_fopen_index(archive, index, 0));
  if (!member) return bad_input("{}", zip_strerror(archive));
  constexpr std::size_t kStep = std::size_t{1} << 20;
  std::string data;
  data.reserve(stated + 1 + kReadAhead);
  while (true) {
    const std::size_t done = data.size();
    data.resize(done + std::max<std::size_t>(std::min(kStep, data.capacity() - done), 4096));
    const zip_int64_t got = zip_fread(member.get(), data.data() + done, data.size() - done);
    data.resize(done + static_cast<std::size_t>(std::max<zip_int64_t>(got, 0)));
    if (got == 0) return data;
    if (got < 0) return bad_input("{}; is the file damaged?", zip_file_strerror(member.get()));
    if (data.size() > max_bytes) return too_large();
  }
}

}  // namespace

Result<std::string> read_zip_member(const std::string& path, const ChooseZipMember& choose) {
  BERTH_TRY(const OpenArchive opened, open_archive(path));
  const std::vector<std::string> names = names_of(opened.archive.get());
  BERTH_TRY(const std::size_t chosen, choose(names));
  BERTH_CHECK(chosen < names.size());
  auto data = read_all(opened.archive.get(), chosen, most_bytes(path));
  if (!data) return within(names[chosen], data.error());
  return data;
}

#else

Result<std::string> read_zip_member(const std::string&, const ChooseZipMember&) {
  return bad_input(
      "it is a zip file, which this build of berth cannot read (BERTH_ZIP=OFF); build it with libzip and "
      "-DBERTH_ZIP=ON");
}

#endif

}  // namespace berth
