// SPDX-License-Identifier: Apache-2.0
#include "runs/tensorboard.h"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <map>

#include "files/protobuf/wire.h"
#include "import/parts.h"

namespace berth::learn {
namespace {

TEST(Crc32c, HasTheKnownValues) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);  // RFC 3720
  EXPECT_EQ(masked(0U), 0xa282ead8U);
  EXPECT_EQ(masked(0x00018000U), 0xa282ead8U + 3U);  // the low 15 bits go up, the others down
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

// The messages of a file of records, with all checksums checked.
std::vector<std::string> messages_of(const std::string& path) {
  const std::string file = read_bytes(path);
  std::vector<std::string> messages;
  std::string_view rest = file;
  while (rest.size() >= 12) {
    const std::size_t length = little_endian(rest.substr(0, 8));
    EXPECT_EQ(little_endian(rest.substr(8, 4)), masked(crc32c(rest.substr(0, 8))));
    if (length + 16 > rest.size()) break;
    messages.emplace_back(rest.substr(12, length));
    EXPECT_EQ(little_endian(rest.substr(12 + length, 4)), masked(crc32c(messages.back())));
    rest.remove_prefix(16 + length);
  }
  EXPECT_TRUE(rest.empty()) << "a record is cut";
  return messages;
}

struct Event {
  double wall_time = 0.0;
  std::uint64_t step = 0;
  std::string version;
  std::map<std::string, float> scalars;
};

void add_scalars(std::string_view summary, Event& event) {
  for (WireReader value(summary); value.next();) {
    std::string tag;
    for (WireReader field(value.bytes()); field.next();) {
      if (field.is(1, WireType::kBytes)) tag = field.bytes();
      if (field.is(2, WireType::kFixed32)) event.scalars[tag] = std::bit_cast<float>(field.fixed32());
    }
  }
}

Event event_of(const std::string& message) {
  Event event;
  WireReader field(message);
  while (field.next()) {
    if (field.is(1, WireType::kFixed64)) event.wall_time = std::bit_cast<double>(field.fixed64());
    if (field.is(2, WireType::kVarint)) event.step = field.varint();
    if (field.is(3, WireType::kBytes)) event.version = field.bytes();
    if (field.is(5, WireType::kBytes)) add_scalars(field.bytes(), event);
  }
  EXPECT_FALSE(field.error());
  return event;
}

TEST(TensorBoardFile, HoldsTheScalarsOfEveryUpdate) {
  const TemporaryFolder folder;
  const std::string runs = folder.file("tensorboard");
  UpdateFacts facts;
  facts.update = 300, facts.plans = 8, facts.fitting = 2, facts.mean_time_s = 1.25, facts.mean_reward = -1.5;
  {
    auto file = TensorBoardFile::create(runs);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->add(facts));
    facts.update = 301, facts.best_s = 0.75, facts.fitting = 0;
    ASSERT_TRUE(file->add(facts));
  }
  const std::filesystem::path path = std::filesystem::directory_iterator(runs)->path();
  EXPECT_TRUE(path.filename().string().starts_with("events.out.tfevents."));
  const std::vector<std::string> messages = messages_of(path);
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(event_of(messages[0]).version, "brain.Event:2");
  EXPECT_GT(event_of(messages[0]).wall_time, 1.6e9);
  const Event first = event_of(messages[1]), second = event_of(messages[2]);
  EXPECT_EQ(first.step, 300U);
  EXPECT_EQ(first.scalars.at("reward/mean"), -1.5F);
  EXPECT_EQ(first.scalars.at("time/mean_s"), 1.25F);
  EXPECT_EQ(first.scalars.at("plans/fitting"), 0.25F);
  EXPECT_FALSE(first.scalars.contains("time/best_s")) << "none yet";
  EXPECT_EQ(second.step, 301U);
  EXPECT_EQ(second.scalars.at("time/best_s"), 0.75F);
  EXPECT_FALSE(second.scalars.contains("time/mean_s")) << "nothing fitted";
}

TEST(TensorBoardFile, ARunThatGoesOnAddsAFile) {
  const TemporaryFolder folder;
  ASSERT_TRUE(TensorBoardFile::create(folder.file("tb")));
  ASSERT_TRUE(TensorBoardFile::create(folder.file("tb")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("tb")), {}), 2);
  write_bytes(folder.file("plain"), "no folder");
  EXPECT_TRUE(TensorBoardFile::create(folder.file("plain")).error().message.starts_with(folder.file("plain")));
}

}  // namespace
}  // namespace berth::learn
