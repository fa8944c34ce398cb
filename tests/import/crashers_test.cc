// SPDX-License-Identifier: Apache-2.0
// What fuzzing found, without a fuzzer: files that once broke a reader (tests/data/crashers/READER) get an answer now,
// and the files that fuzzing begins with (tests/fuzz/seeds/READER) are valid.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "fuzz/readers.h"
#include "import/parts.h"

namespace berth {
namespace {

const std::filesystem::path kTests = source_folder() / "tests";

// Sorted; none where the folder is missing.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

// Formats that a build can do without say so.
bool is_switched_off(const Status& status) {
  return !status && status.error().message.find("=OFF") != std::string::npos;
}

TEST(FuzzedReaders, SeedsAreValid) {
  for (const FuzzedReader& reader : fuzzed_readers()) {
    const auto seeds = entries_of(kTests / "fuzz" / "seeds" / reader.name);
    EXPECT_FALSE(seeds.empty()) << reader.name << " has no seeds, and so no fuzzer";
    for (const auto& seed : seeds) {
      const Status status = reader.read(read_bytes(seed.string()));
      EXPECT_TRUE(status || is_switched_off(status)) << seed << ": " << status.error().message;
    }
  }
}

TEST(FuzzedReaders, FoldersAreThoseOfReaders) {
  for (const auto& parent : {kTests / "fuzz" / "seeds", kTests / "data" / "crashers"}) {
    for (const auto& folder : entries_of(parent)) {
      EXPECT_NE(find_fuzzed_reader(folder.filename().string()), nullptr) << folder;
    }
  }
}

TEST(Crashers, GetAnAnswer) {
  for (const FuzzedReader& reader : fuzzed_readers()) {
    for (const auto& file : entries_of(kTests / "data" / "crashers" / reader.name)) {
      SCOPED_TRACE(file);
      const Status status = reader.read(read_bytes(file.string()));
      EXPECT_TRUE(status || !status.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace berth
