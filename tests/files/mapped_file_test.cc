// SPDX-License-Identifier: Apache-2.0
#include "files/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "import/parts.h"

namespace berth {
namespace {

TEST(MappedFile, HasTheBytesOfTheFile) {
  const TemporaryFolder folder;
  write_bytes(folder.file("a"), "some bytes");
  write_bytes(folder.file("empty"), "");
  const auto file = MappedFile::open(folder.file("a")), empty = MappedFile::open(folder.file("empty"));
  ASSERT_TRUE(file.ok() && empty.ok());
  EXPECT_EQ(file->bytes(), "some bytes");
  EXPECT_EQ(empty->bytes(), "");
}

TEST(MappedFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto missing = MappedFile::open(folder.file("no")), not_a_file = MappedFile::open(folder.file("."));
  ASSERT_FALSE(missing.ok() || not_a_file.ok());
  EXPECT_EQ(missing.error().message, folder.file("no") + ": No such file or directory");
  EXPECT_EQ(not_a_file.error().message, folder.file(".") + ": it is no regular file");
}

// Reads a file that somebody has emptied meanwhile.
void read_shrunken_file(const std::string& path) {
  exit_if_mapped_files_shrink();
  const auto file = MappedFile::open(path);
  if (::truncate(path.c_str(), 0) != 0) ::_exit(0);
  const volatile char first = file->bytes().front();
  ::_exit(first == 'x' ? 0 : 1);
}

TEST(MappedFileDeathTest, FilesThatShrinkEndTheProgramWithALine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TemporaryFolder folder;
  write_bytes(folder.file("a"), "x");
  EXPECT_EXIT(read_shrunken_file(folder.file("a")), ::testing::ExitedWithCode(2),
              "berth: the file that is being read became shorter");
}

}  // namespace
}  // namespace berth
