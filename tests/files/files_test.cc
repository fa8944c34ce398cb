// SPDX-License-Identifier: Apache-2.0
#include "files/files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "base/rng.h"
#include "files/gzip.h"
#include "import/parts.h"

namespace berth {
namespace {

std::string noise(std::size_t bytes) {
  Rng rng(5);
  std::string text(bytes, ' ');
  for (char& c : text) c = static_cast<char>('a' + rng.below(20));
  return text;
}

TEST(WriteFile, RoundTripsPlainAndCompressed) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const TemporaryFolder folder;
  const std::string contents = noise(300'000);
  for (const std::string name : {"a.json", "a.json.gz"}) {
    ASSERT_TRUE(write_file_atomically(folder.file(name), contents));
    const auto read = read_file(folder.file(name));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, contents);
  }
  EXPECT_EQ(read_bytes(folder.file("a.json")), contents);
  EXPECT_LT(std::filesystem::file_size(folder.file("a.json.gz")), contents.size());
  EXPECT_EQ(folder.num_files(), 2U) << "a temporary file was left behind";
}

TEST(WriteFile, SameContentsSameBytes) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const std::string first = *gzip("some text"), second = *gzip("some text");
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.substr(0, 10), std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10)) << "no time, no system";
}

TEST(WriteFile, ReplacesAndKeepsPermissionsAndLinks) {
  const TemporaryFolder folder;
  write_bytes(folder.file("old.json"), "old");
  ASSERT_EQ(::chmod(folder.file("old.json").c_str(), 0640), 0);
  std::filesystem::create_symlink("old.json", folder.file("link.json"));
  ASSERT_TRUE(write_file_atomically(folder.file("link.json"), "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.json")));
  EXPECT_EQ(read_bytes(folder.file("old.json")), "new");
  EXPECT_EQ(static_cast<int>(std::filesystem::status(folder.file("old.json")).permissions()), 0640);
}

TEST(WriteFile, SaysWhyItCannot) {
  const TemporaryFolder folder;
  const std::string missing = folder.file("no/such/folder.json");
  EXPECT_EQ(write_file_atomically(missing, "x").error().message,
            missing + ": cannot write it: No such file or directory");
  const std::string here = folder.file(".");
  EXPECT_EQ(write_file_atomically(here, "x").error().message, here + ": it is a folder, not a file");
}

TEST(WriteFile, FullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  EXPECT_EQ(write_file_atomically("/dev/full", "x").error().message,
            "/dev/full: cannot write it: No space left on device");
}

TEST(WriteFile, DevicesAreWrittenNotReplaced) {
  ASSERT_TRUE(write_file_atomically("/dev/null", "x"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(ReadFile, SaysWhyItCannot) {
  const TemporaryFolder folder;
  const std::string missing = folder.file("none.json");
  EXPECT_EQ(read_file(missing).error().message, missing + ": cannot open it: No such file or directory");
  const std::string here = folder.file(".");
  EXPECT_EQ(read_file(here).error().message, here + ": it is a folder, not a file");
}

TEST(ReadFile, StopsAtTheCap) {
  const TemporaryFolder folder;
  const std::string path = folder.file("large");
  write_bytes(path, std::string(5000, 'x'));
  EXPECT_TRUE(read_file(path, 5000));
  EXPECT_EQ(read_file(path, 4999).error().message, path + ": it is larger than 4.88 KiB, the most that is read");
  EXPECT_EQ(read_file("/dev/zero", 1 << 20).error().message,
            "/dev/zero: it is larger than 1.00 MiB, the most that is read");
}

TEST(ReadFile, APipeThatNobodyWritesToIsNoFile) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_file(pipe).error().message, pipe + ": it is a pipe that nobody writes to, not a regular file");
}

// As in a shell: berth graph info <(zcat graph.json.gz).
TEST(ReadFile, APipeIsReadToItsEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::string text(1 << 18, 'x');
  std::thread writer([&, end = ends[1]] {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t wrote = ::write(end, text.data() + done, text.size() - done);
      if (wrote <= 0) break;
      done += static_cast<std::size_t>(wrote);
    }
    ::close(end);
  });
  const auto read = read_file(fmt::format("/dev/fd/{}", ends[0]));
  writer.join();
  ::close(ends[0]);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, text);
}

TEST(Gunzip, ABombStopsAtTheCap) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const std::string bomb = *gzip(std::string(64 << 20, ' '));
  ASSERT_LT(bomb.size(), 100'000U);
  const auto text = gunzip(bomb, 1 << 20);
  EXPECT_EQ(text.error().message, "it holds more than 1.00 MiB when decompressed, which is the most that is read");
  std::string liar = bomb;
  for (std::size_t i = 1; i <= 4; ++i) liar[liar.size() - i] = '\0';  // promises an empty file
  EXPECT_EQ(gunzip(liar, 1 << 20).error().message, text.error().message);
  EXPECT_TRUE(gunzip(bomb, 64 << 20)) << "exactly the cap is fine";
}

TEST(Gunzip, ReadsSeveralMembers) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  EXPECT_EQ(*gunzip(*gzip("one ") + *gzip("") + *gzip("two"), 100), "one two");
  EXPECT_EQ(gunzip(*gzip("one") + "rest", 100).error().message, "4 stray bytes follow the gzip data");
}

TEST(Gunzip, EveryTruncationIsNoticed) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const std::string packed = *gzip(noise(500));
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(gunzip(packed.substr(0, size), 1000).error().message,
              "the gzip data ends too early; is the file truncated?");
  }
}

TEST(Gunzip, EveryFlippedBitIsNoticedOrHarmless) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const std::string text = noise(500), packed = *gzip(text);
  for (std::size_t bit = 0; bit < 8 * packed.size(); ++bit) {
    std::string damaged = packed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto read = gunzip(damaged, 100'000);
    if (read) {  // times and names in the header do not matter
      EXPECT_EQ(*read, text);
    }
  }
}

}  // namespace
}  // namespace berth
