// SPDX-License-Identifier: Apache-2.0
#include "learn/distributed/message.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace berth::learn {
namespace {

struct NumberPair {
  int first;
  double second;
};

Plan some_plan() {
  Plan plan;
  plan.device_of = {DeviceId{0}, DeviceId{3}, DeviceId{1}};
  plan.priority = {0.5, -1.0, 7.25};
  plan.fusions = {{OpId{0}, OpId{2}}};
  return plan;
}

Score some_score() {
  Score score;
  score.step_time = 123456789012345;
  score.feasible = false;
  score.devices = {{1, 2}, {3, 4}};
  score.pool_peaks = {5};
  score.queues = {{6, 7}, {8, 9}, {10, 11}};
  score.overflow = Overflow{DeviceId{1}, -1, OpId{2}, 99, 1000};
  return score;
}

std::string everything() {
  MessageWriter writer;
  writer.integer(std::numeric_limits<std::uint64_t>::max());
  writer.number(-0.1);
  writer.maybe(std::nullopt);
  writer.maybe(2.5);
  writer.text(std::string_view("a\0b", 3));
  writer.plain(NumberPair{3, 0.25});
  writer.floats(std::vector<float>{1.5F, -0.0F, std::numeric_limits<float>::infinity()});
  writer.plan(some_plan());
  writer.plan({});
  writer.score(some_score());
  writer.score({});
  return writer.bytes();
}

Status read_everything(std::string_view bytes) {
  MessageReader reader(bytes);
  (void)reader.integer(), (void)reader.number(), (void)reader.maybe(), (void)reader.maybe(), (void)reader.text();
  (void)reader.plain<NumberPair>();
  (void)reader.floats(), (void)reader.plan(), (void)reader.plan(), (void)reader.score(), (void)reader.score();
  return reader.end();
}

TEST(Message, WhatIsReadIsWhatWasWritten) {
  const std::string bytes = everything();
  MessageReader reader(bytes);
  EXPECT_EQ(reader.integer(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(reader.number(), -0.1);
  EXPECT_EQ(reader.maybe(), std::nullopt);
  EXPECT_EQ(reader.maybe(), 2.5);
  EXPECT_EQ(reader.text(), std::string("a\0b", 3));
  const auto pair = reader.plain<NumberPair>();
  EXPECT_TRUE(pair.first == 3 && pair.second == 0.25);
  const std::vector<float> floats = reader.floats();
  ASSERT_EQ(floats.size(), 3U);
  EXPECT_EQ(floats[0], 1.5F);
  EXPECT_TRUE(floats[1] == 0.0F && std::signbit(floats[1]));
  EXPECT_EQ(floats[2], std::numeric_limits<float>::infinity());
  EXPECT_EQ(reader.plan(), some_plan());
  EXPECT_EQ(reader.plan(), Plan{});
  EXPECT_EQ(reader.score(), some_score());
  EXPECT_EQ(reader.score(), Score{});
  EXPECT_TRUE(reader.end());
}

TEST(Message, EveryCutIsAnError) {
  const std::string bytes = everything();
  ASSERT_TRUE(read_everything(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read_everything(std::string_view(bytes).substr(0, size))) << size;
  }
}

TEST(Message, AStructOfAnotherSizeIsAnError) {
  MessageWriter writer;
  writer.plain(1.0F);
  MessageReader reader(writer.bytes());
  EXPECT_EQ(reader.plain<NumberPair>().first, 0);
  EXPECT_FALSE(reader.end());
}

TEST(Message, BytesBehindTheEndAndEndlessListsAreErrors) {
  EXPECT_FALSE(read_everything(everything() + '\0'));
  MessageWriter writer;
  writer.integer(std::numeric_limits<std::uint64_t>::max() / 2);  // a length
  MessageReader reader(writer.bytes());
  EXPECT_TRUE(reader.floats().empty());
  EXPECT_FALSE(reader.end());
}

}  // namespace
}  // namespace berth::learn
