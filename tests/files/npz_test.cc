// SPDX-License-Identifier: Apache-2.0
// tests/app/bench_test.py reads whole files with another reader.
#include "files/npz.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <numbers>

#include "files/files.h"
#include "files/zip_member.h"

namespace berth {
namespace {

// A member of the file, or nothing in a build that reads no zip files.
std::string member(const std::string& file, const std::string& name) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / "arrays.npz").string();
  EXPECT_TRUE(write_file_atomically(path, file));
  const Result<std::string> data =
      read_zip_member(path, [&](std::span<const std::string> names) -> Result<std::size_t> {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) return bad_input("no member {}", name);
        return static_cast<std::size_t>(found - names.begin());
      });
  const bool cannot_read = !data && data.error().message.find("BERTH_ZIP=OFF") != std::string::npos;
  EXPECT_TRUE(data || cannot_read) << data.error().message;
  return data ? *data : "";
}

// Header and data apart.
std::pair<std::string, std::string> parts(const std::string& npy) {
  constexpr std::size_t kMagic = 10;
  const std::size_t size = static_cast<unsigned char>(npy.at(8)) + 256U * static_cast<unsigned char>(npy.at(9));
  EXPECT_EQ(npy.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ((kMagic + size) % 64, 0U);
  EXPECT_EQ(npy.at(kMagic + size - 1), '\n');
  return {npy.substr(kMagic, npy.find('}') + 1 - kMagic), npy.substr(kMagic + size)};
}

TEST(Npz, HoldsNumbersAsTheyAre) {
  const std::vector<double> numbers{0.5, std::numbers::pi, -1e300, 0, 1, 2};
  NpzWriter npz;
  npz.numbers("a.b", numbers, {3, 2});
  npz.number("one", std::int64_t{-7});
  const std::string file = std::move(npz).take().value();
  const std::string all = member(file, "a.b.npy");
  if (all.empty()) GTEST_SKIP() << "this build reads no zip files";
  const auto [header, data] = parts(all);
  EXPECT_EQ(header, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }");
  ASSERT_EQ(data.size(), 48U);
  EXPECT_EQ(std::memcmp(data.data(), numbers.data(), data.size()), 0);
  const auto [one_header, one] = parts(member(file, "one.npy"));
  EXPECT_EQ(one_header, "{'descr': '<i8', 'fortran_order': False, 'shape': (), }");
  EXPECT_EQ(one, std::string("\xf9\xff\xff\xff\xff\xff\xff\xff"));
}

TEST(Npz, HoldsTextsAsLetters) {
  const std::vector<std::string> texts{"ab", "\xc3\xa9\xf0\x9f\x9a\xa2x", "\xff"};  // é, a ship, x; and no UTF-8
  NpzWriter npz;
  npz.texts("texts", texts);
  npz.texts("none", {});
  const std::string file = std::move(npz).take().value();
  const std::string all = member(file, "texts.npy");
  if (all.empty()) GTEST_SKIP() << "this build reads no zip files";
  const auto [header, data] = parts(all);
  EXPECT_EQ(header, "{'descr': '<U3', 'fortran_order': False, 'shape': (3,), }");
  const char32_t letters[] = {'a', 'b', 0, 0xe9, 0x1f6a2, 'x', 0xfffd, 0, 0};
  ASSERT_EQ(data.size(), sizeof letters);
  EXPECT_EQ(std::memcmp(data.data(), letters, data.size()), 0);
  EXPECT_EQ(parts(member(file, "none.npy")).first, "{'descr': '<U1', 'fortran_order': False, 'shape': (0,), }");
}

TEST(Npz, EqualArraysGiveEqualBytes) {
  const auto file = [] {
    NpzWriter npz;
    npz.flags("truths", {1, 0, 1}, {3});
    return std::move(npz).take().value();
  };
  EXPECT_EQ(file(), file());
}

}  // namespace
}  // namespace berth
