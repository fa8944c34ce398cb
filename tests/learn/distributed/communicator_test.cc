// SPDX-License-Identifier: Apache-2.0
#include "learn/distributed/communicator.h"

#include <gtest/gtest.h>

#include <latch>
#include <map>

#include "learn/distributed/thread_communicator.h"
#include "runs/launch.h"

namespace berth::learn {
namespace {

Launch launch_in(const std::map<std::string, std::string>& environment) {
  return launch_of([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launch, TheEnvironmentSaysHowManyWereStarted) {
  EXPECT_EQ(launch_in({}).processes, 1);
  EXPECT_EQ(launch_in({{"OMPI_COMM_WORLD_SIZE", "4"}}).processes, 4);
  EXPECT_EQ(launch_in({{"PMI_SIZE", "3"}}).processes, 3);
  EXPECT_EQ(launch_in({{"SLURM_STEP_NUM_TASKS", "8"}}).processes, 8);
  EXPECT_EQ(launch_in({{"SLURM_STEP_NUM_TASKS", "8"}}).told_by, "SLURM_STEP_NUM_TASKS");
  EXPECT_EQ(launch_in({{"SLURM_NTASKS", "8"}}).processes, 1) << "a script under sbatch is one process";
  EXPECT_EQ(launch_in({{"SLURM_STEP_NUM_TASKS", "2"}, {"OMPI_COMM_WORLD_SIZE", "16"}}).processes, 16)
      << "mpirun over two hosts: its daemons are a step of two";
  EXPECT_EQ(launch_in({{"PMI_SIZE", "many"}}).processes, 1);
}

TEST(Alone, EveryCallGivesBackWhatItGot) {
  const auto alone = make_alone();
  EXPECT_EQ(alone->size(), 1);
  EXPECT_TRUE(alone->is_root());
  std::vector<float> values = {1.0F, 2.5F};
  ASSERT_TRUE(alone->sum(values));
  EXPECT_EQ(values, (std::vector<float>{1.0F, 2.5F}));
  EXPECT_EQ(alone->gather_all("x").value(), std::vector<std::string>{"x"});
  EXPECT_EQ(alone->from_root("y").value(), "y");
  EXPECT_FALSE(alone->send(1, "z"));
  EXPECT_FALSE(alone->receive(0.0).value().has_value());
}

// (big + 1) - big depends on the order in which it is added: all ranks must take that of rank 0.
TEST(Ranks, SumsAreTheSameBitsEverywhere) {
  std::vector<std::vector<float>> sums(3);
  run_ranks(3, 600.0, [&](Communicator& ranks) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::vector<std::vector<float>> given = {{1e8F, 0.1F}, {1.0F, 0.2F}, {-1e8F, 0.3F}};
    sums[rank] = given[rank];
    ASSERT_TRUE(ranks.sum(sums[rank]));
  });
  EXPECT_EQ(sums[0], (std::vector<float>{(1e8F + 1.0F) - 1e8F, (0.1F + 0.2F) + 0.3F}));
  EXPECT_EQ(sums[1], sums[0]);
  EXPECT_EQ(sums[2], sums[0]);
}

TEST(Ranks, GatherAndBroadcastGiveEveryoneTheSame) {
  run_ranks(4, 600.0, [](Communicator& ranks) {
    const std::string mine(static_cast<std::size_t>(ranks.rank()), 'a');
    EXPECT_EQ(ranks.gather_all(mine).value(), (std::vector<std::string>{"", "a", "aa", "aaa"}));
    EXPECT_EQ(ranks.from_root(ranks.is_root() ? "root" : "other").value(), "root");
    std::vector<double> one = {1.0};
    EXPECT_TRUE(ranks.sum(one));
    EXPECT_EQ(one[0], 4.0);
  });
}

TEST(Ranks, LettersGoToOneRankAndNameTheSender) {
  run_ranks(3, 600.0, [](Communicator& ranks) {
    if (ranks.rank() == 2) {
      ASSERT_TRUE(ranks.send(0, "hello"));
    } else if (ranks.is_root()) {
      const auto message = ranks.receive(600.0).value();
      ASSERT_TRUE(message.has_value());
      EXPECT_EQ(message->from, 2);
      EXPECT_EQ(message->bytes, "hello");
      EXPECT_FALSE(ranks.receive(0.01).value().has_value());
    }
  });
}

// The root begins to wait when rank 1 is about to answer: threads start when the computer finds time for them.
TEST(Ranks, TheRootNamesThoseThatAreSilentAndTheCommunicatorIsOver) {
  std::latch begin(2);
  run_ranks(4, 2.0, [&](Communicator& ranks) {
    std::vector<float> values = {1.0F};
    if (ranks.rank() < 2) begin.arrive_and_wait();
    if (ranks.rank() == 1) {
      EXPECT_FALSE(ranks.sum(values));
    } else if (ranks.is_root()) {
      const auto first = ranks.sum(values);
      ASSERT_FALSE(first);
      EXPECT_EQ(first.error().message,
                "ranks 2, 3 did not answer within 2.00 s (sum): dead, hung, or slower than --rank-timeout allows");
      const auto again = ranks.gather_all("");
      ASSERT_FALSE(again);
      EXPECT_EQ(again.error().message, first.error().message);
    }
  });
}

// A rank that waits for the root while the root waits for a third must not blame the root.
TEST(Ranks, TheRootIsFirstToNotice) {
  double waited[2] = {};
  run_ranks(3, 0.1, [&](Communicator& ranks) {
    if (ranks.rank() == 2) return;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(ranks.gather_all(""));
    waited[ranks.rank()] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
  EXPECT_GE(waited[0], 0.1);
  EXPECT_GE(waited[1], 0.2);
}

TEST(Ranks, UnequalInputIsAnErrorThatNamesTheRank) {
  std::latch begin(2);
  run_ranks(2, 2.0, [&](Communicator& ranks) {
    std::vector<float> values(ranks.is_root() ? 3 : 2);
    begin.arrive_and_wait();
    const auto done = ranks.sum(values);
    ASSERT_FALSE(done);
    if (!ranks.is_root()) return;
    EXPECT_NE(done.error().message.find("rank 1 sent 8 bytes where 12"), std::string::npos);
  });
}

}  // namespace
}  // namespace berth::learn
