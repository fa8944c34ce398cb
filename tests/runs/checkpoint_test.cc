// SPDX-License-Identifier: Apache-2.0
#include "runs/checkpoint.h"

#include <gtest/gtest.h>

#include <limits>

#include "import/parts.h"

namespace berth::learn {
namespace {

Checkpoint small_checkpoint() {
  Checkpoint checkpoint{.fingerprint = "graph 1, machine 2", .elapsed_s = 12.5, .state = {}};
  TrainState& state = checkpoint.state;
  state.updates = 300, state.evaluations = 2400;
  state.layout = {{"bias", {1}}, {"weight", {2, 1}}};
  state.values = {1.5F, -0.0F, std::numeric_limits<float>::denorm_min()};
  state.adam = {299, {0.1F, 0.2F, 0.3F}, {1e-8F, 2e-8F, 3e-8F}};
  state.rng = Rng(9);
  state.rng.normal();
  LessonState& lesson = state.lessons.emplace_back();
  lesson.baseline = -1.25;
  lesson.deviation = 0.5;
  const Plan plan{{DeviceId{0}, DeviceId{3}}, {0.5, -1.0}, {{OpId{0}, OpId{1}}}};
  Score score{.step_time = 7,
              .feasible = true,
              .devices = {{1, 2}, {3, 4}},
              .pool_peaks = {5},
              .queues = {{6, 7}},
              .overflow = {}};
  lesson.best = {plan, score};
  score.step_time = 6;
  lesson.ahead = {plan, score};
  return checkpoint;
}

void expect_equal(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.fingerprint, b.fingerprint);
  EXPECT_EQ(a.elapsed_s, b.elapsed_s);
  EXPECT_EQ(a.state.updates, b.state.updates);
  EXPECT_EQ(a.state.evaluations, b.state.evaluations);
  EXPECT_EQ(a.state.layout, b.state.layout);
  EXPECT_EQ(a.state.values, b.state.values);
  EXPECT_EQ(a.state.adam.steps, b.state.adam.steps);
  EXPECT_EQ(a.state.adam.mean, b.state.adam.mean);
  EXPECT_EQ(a.state.adam.square, b.state.adam.square);
  EXPECT_EQ(a.state.rng.state(), b.state.rng.state());
  ASSERT_EQ(a.state.lessons.size(), b.state.lessons.size());
  for (std::size_t i = 0; i < a.state.lessons.size(); ++i) {
    const LessonState &one = a.state.lessons[i], &other = b.state.lessons[i];
    EXPECT_EQ(one.baseline, other.baseline);
    EXPECT_EQ(one.deviation, other.deviation);
    EXPECT_EQ(one.best, other.best);
    EXPECT_EQ(one.ahead, other.ahead);
  }
}

class CheckpointFile : public ::testing::Test {
 protected:
  // The error of reading these bytes; it must begin with the path.
  std::string error_of(std::string_view bytes, const std::string& fingerprint = "") {
    std::filesystem::remove(path_);  // some file systems wait for the disk when a file is written over
    write_bytes(path_, bytes);
    const auto read = read_checkpoint(path_, fingerprint);
    if (read) return "";
    EXPECT_TRUE(read.error().message.starts_with(path_ + ": ")) << read.error().message;
    EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
    return read.error().message.substr(path_.size() + 2);
  }
  std::string bytes_of(const Checkpoint& checkpoint) {
    EXPECT_TRUE(write_checkpoint(path_, checkpoint));
    return read_bytes(path_);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("checkpoint");
};

TEST_F(CheckpointFile, GivesBackWhatWasWritten) {
  const Checkpoint written = small_checkpoint();
  ASSERT_TRUE(write_checkpoint(path_, written));
  expect_equal(read_checkpoint(path_, "").value(), written);
  expect_equal(read_checkpoint(path_, written.fingerprint).value(), written);
  EXPECT_EQ(folder_.num_files(), 1U) << "a temporary file was left behind";
}

TEST_F(CheckpointFile, OfARunThatHasFoundNothing) {
  Checkpoint written;
  expect_equal((bytes_of(written), read_checkpoint(path_, "")).value(), written);
  written.state.lessons.resize(3);
  expect_equal((bytes_of(written), read_checkpoint(path_, "")).value(), written);
  LessonState& lesson = written.state.lessons[1];
  lesson.best.emplace().plan = Plan{{DeviceId{1}}, {}, {}};
  lesson.best->score.feasible = false;
  lesson.best->score.overflow = Overflow{DeviceId{1}, 2, OpId{3}, 4, 5};
  expect_equal((bytes_of(written), read_checkpoint(path_, "")).value(), written);
}

TEST_F(CheckpointFile, IsRefusedWhereverItIsCut) {
  const std::string whole = bytes_of(small_checkpoint());
  for (std::size_t size = 0; size < whole.size(); ++size) ASSERT_NE(error_of(whole.substr(0, size)), "") << size;
  EXPECT_NE(error_of(whole + "x"), "");
  EXPECT_EQ(error_of(whole), "");
}

TEST_F(CheckpointFile, IsRefusedWhicheverByteIsChanged) {
  const std::string whole = bytes_of(small_checkpoint());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ change);
      ASSERT_NE(error_of(changed), "") << at;
    }
  }
}

TEST_F(CheckpointFile, SaysWhatIsWrong) {
  const std::string whole = bytes_of(small_checkpoint());
  EXPECT_EQ(error_of(""), "it is not a checkpoint of berth train, or only a piece of one");
  EXPECT_EQ(error_of("{\"format\": \"berth-plan/1\"}\n"),
            "it is not a checkpoint of berth train, or only a piece of one");
  EXPECT_EQ(error_of("berth-checkpoint/1\nabc"),
            "it is a checkpoint of version '1'; this build reads versions 2 and 3");
  EXPECT_TRUE(error_of(whole.substr(0, 100)).starts_with("the checkpoint is corrupt: it has 81 bytes behind"));
  std::string changed = whole;
  changed[60] ^= 1;
  EXPECT_EQ(error_of(changed), "the checkpoint is corrupt: its checksum is wrong");
  EXPECT_EQ(error_of(whole, "another"), "it is a checkpoint of another run: graph, machine, planner or options differ");
  EXPECT_TRUE(read_checkpoint(folder_.file("none"), "").error().message.starts_with(folder_.file("none") + ": "));
}

// The checksum of the format, so that what stands behind it can be tried too.
std::string with_checksum(std::string bytes) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

// Every eight bytes may be a length; none, however large, may take memory that the file does not have.
TEST_F(CheckpointFile, AbsurdLengthsAreRefusedEvenWithTheRightChecksum) {
  const std::string whole = bytes_of(small_checkpoint());
  const std::string checked = whole.substr(0, whole.size() - sizeof(std::uint64_t));
  ASSERT_EQ(with_checksum(checked), whole);
  int refused = 0;
  for (std::size_t at = 19; at + 8 <= checked.size(); ++at) {
    for (const std::uint64_t length : {~std::uint64_t{0}, std::uint64_t{1} << 61, std::uint64_t{1} << 40}) {
      std::string changed = checked;
      changed.replace(at, 8, reinterpret_cast<const char*>(&length), 8);
      refused += error_of(with_checksum(changed)).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST_F(CheckpointFile, StaysWhenItCannotBeReplaced) {
  const std::string path = folder_.file("no/such/folder/checkpoint");
  const Status status = write_checkpoint(path, small_checkpoint());
  ASSERT_FALSE(status);
  EXPECT_TRUE(status.error().message.starts_with(path + ": "));
}

}  // namespace
}  // namespace berth::learn
