// SPDX-License-Identifier: Apache-2.0
#include "learn/distributed/parameter_server.h"

#include <gtest/gtest.h>

#include <latch>

#include "learn/distributed/async_messages.h"
#include "learn/distributed/controller.h"
#include "learn/distributed/thread_communicator.h"
#include "learn/toys.h"
#include "learn/train/table_policy.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

// Every op takes 1 s on its own device and 5 s on the other: at best 2 s, all on one device 12 s.
// What every rank of a run has of its own.
struct Rank {
  explicit Rank(Communicator& ranks, const SamplingOptions& options = quick_options(), std::int64_t ops = 4)
      : trainer(table_lessons({&problem}, ops, 2), options, 1, ranks) {}
  Problem problem = lopsided();
  Trainer trainer;
};

TEST(Together, AllRanksKeepTheSameValues) {
  std::vector<std::vector<float>> values(3);
  run_ranks(3, 600.0, [&](Communicator& ranks) {
    Rank learner(ranks);
    for (int i = 0; i < 10; ++i) {
      const auto facts = learner.trainer.update();
      ASSERT_TRUE(facts) << facts.error().message;
      EXPECT_EQ((*facts)->plans, 12) << "of three ranks";
    }
    values[static_cast<std::size_t>(ranks.rank())] = learner.trainer.parameters().values();
  });
  EXPECT_EQ(values[0], values[1]);
  EXPECT_EQ(values[0], values[2]);
  EXPECT_NE(values[0], std::vector<float>(8, 0.0F));
}

TEST(Async, ControllersFindTheOptimumAndTheServerCounts) {
  std::vector<UpdateFacts> seen;
  TrainState last;
  run_ranks(3, 600.0, [&](Communicator& ranks) {
    Rank learner(ranks);
    if (!ranks.is_root()) {
      const auto done = control(learner.trainer, ranks);
      EXPECT_TRUE(done) << done.error().message;
      return;
    }
    ParameterServer server(learner.trainer.state(), quick_options(), 1, ranks);
    const auto done = server.serve([&](const UpdateFacts& facts) -> Result<bool> {
      seen.push_back(facts);
      return facts.update < 200;
    });
    EXPECT_TRUE(done) << done.error().message;
    last = server.state();
  });
  ASSERT_EQ(seen.size(), 200U);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].update, i + 1);
    EXPECT_EQ(seen[i].evaluations, 4 * (i + 1));
  }
  EXPECT_EQ(last.updates, 200U);
  EXPECT_EQ(last.adam.steps, 200U);
  ASSERT_TRUE(last.lessons.front().best.has_value());
  EXPECT_EQ(last.lessons.front().best->score.step_time, to_picoseconds(2.0));
  EXPECT_EQ(seen.back().best_s, 2.0);
  EXPECT_LT(seen.back().mean_time_s, 0.7 * seen.front().mean_time_s) << "it learned";
}

// With one controller nothing is stale: the server's steps are those of a trainer alone.
TEST(Async, OneControllerLearnsAsATrainerAloneDoes) {
  constexpr std::uint64_t kUpdates = 20;
  TrainState first, last;
  std::vector<float> alone;
  run_ranks(2, 600.0, [&](Communicator& ranks) {
    Rank learner(ranks);
    if (!ranks.is_root()) {
      EXPECT_TRUE(control(learner.trainer, ranks));
      return;
    }
    ParameterServer server(learner.trainer.state(), quick_options(), 7, ranks);
    EXPECT_TRUE(server.serve([](const UpdateFacts& facts) -> Result<bool> { return facts.update < kUpdates; }));
    last = server.state();
  });
  // The stream of the controller is asked for as one would: a server that says what rank 1 begins with.
  run_ranks(2, 600.0, [&](Communicator& ranks) {
    Rank learner(ranks);
    if (ranks.is_root()) {
      ParameterServer server(learner.trainer.state(), quick_options(), 7, ranks);
      EXPECT_TRUE(server.serve([](const UpdateFacts&) -> Result<bool> { return true; }));
      return;
    }
    ASSERT_TRUE(ranks.send(0, to_bytes(Report{ReportKind::kReady, 8, {}, {}, {}, {}, {}})));
    const auto orders = orders_from(ranks.receive(60.0).value().value().bytes);
    ASSERT_TRUE(orders && orders->beginning);
    ASSERT_TRUE(ranks.send(0, to_bytes(Report{ReportKind::kLeaving, 0, {}, {}, {}, {}, {}})));
    const auto nobody = make_alone();
    Rank lone(*nobody);
    TrainState state = lone.trainer.state();
    state.rng = Rng(orders->beginning->stream);
    lone.trainer.restore(state);
    for (std::uint64_t i = 0; i < kUpdates; ++i) ASSERT_TRUE(lone.trainer.update());
    alone = lone.trainer.parameters().values();
  });
  EXPECT_EQ(last.values, alone);
}

TEST(Async, AResumedRunGoesOnFromTheStateWithOtherStreams) {
  TrainState state;
  std::vector<std::uint64_t> streams;
  for (int run = 0; run < 2; ++run) {
    run_ranks(2, 600.0, [&](Communicator& ranks) {
      Rank learner(ranks);
      if (ranks.is_root()) {
        ParameterServer server(run == 0 ? learner.trainer.state() : state, quick_options(), 7, ranks);
        const std::uint64_t until = server.updates() + 5;
        EXPECT_TRUE(server.serve([&](const UpdateFacts& facts) -> Result<bool> { return facts.update < until; }));
        state = server.state();
        return;
      }
      ASSERT_TRUE(ranks.send(0, to_bytes(Report{ReportKind::kReady, 8, {}, {}, {}, {}, {}})));
      for (;;) {
        const auto orders = orders_from(ranks.receive(60.0).value().value().bytes);
        ASSERT_TRUE(orders);
        if (orders->stop) return;
        if (orders->beginning) streams.push_back(orders->beginning->stream);
        UpdateFacts facts;
        facts.plans = 3;
        facts.baseline = -1.5;
        ASSERT_TRUE(ranks.send(
            0, to_bytes(Report{ReportKind::kGradients, 0, facts, 0.25, std::vector<float>(8, 1.0F), {}, {}})));
      }
    });
  }
  EXPECT_EQ(state.updates, 10U);
  EXPECT_EQ(state.evaluations, 30U);
  EXPECT_EQ(state.adam.steps, 10U);
  EXPECT_EQ(state.lessons.front().baseline, -1.5);
  EXPECT_EQ(state.lessons.front().deviation, 0.25);
  ASSERT_EQ(streams.size(), 2U);
  EXPECT_NE(streams[0], streams[1]);
}

// In tests with a short deadline the ranks begin together, however long one takes to make its learner.
TEST(Async, AControllerThatHangsIsNamedThoughOthersGoOn) {
  std::latch made(3);
  run_ranks(3, 5.0, [&](Communicator& ranks) {
    Rank learner(ranks);
    made.arrive_and_wait();
    if (ranks.rank() == 2) {  // begins, and is not heard of again
      ASSERT_TRUE(ranks.send(0, to_bytes(Report{ReportKind::kReady, 8, {}, {}, {}, {}, {}})));
    } else if (ranks.rank() == 1) {
      const auto done = control(learner.trainer, ranks);
      ASSERT_FALSE(done) << "the server is gone";
      EXPECT_NE(done.error().message.find("rank 0 did not answer"), std::string::npos);
    } else {
      ParameterServer server(learner.trainer.state(), quick_options(), 1, ranks);
      const auto done = server.serve([](const UpdateFacts&) -> Result<bool> { return true; });
      ASSERT_FALSE(done);
      EXPECT_EQ(done.error().message.substr(0, 49), "rank 2 did not answer within 5.00 s (gradients): ");
      EXPECT_GT(server.updates(), 0U);
    }
  });
}

// A server that is away for longer than the deadline finds the letters that came meanwhile.
TEST(Async, ASlowCheckpointBlamesNobody) {
  std::latch made(4);
  run_ranks(4, 10.0, [&](Communicator& ranks) {
    Rank learner(ranks);
    made.arrive_and_wait();
    if (!ranks.is_root()) {
      EXPECT_TRUE(control(learner.trainer, ranks));
      return;
    }
    ParameterServer server(learner.trainer.state(), quick_options(), 1, ranks);
    const auto done = server.serve([](const UpdateFacts& facts) -> Result<bool> {
      if (facts.update == 3) std::this_thread::sleep_for(std::chrono::seconds(11));  // they wait for 20 s
      return facts.update < 10;
    });
    EXPECT_TRUE(done) << done.error().message;
  });
}

TEST(Async, APolicyOfAnotherSizeIsRefusedByRank) {
  std::latch made(2);
  run_ranks(2, 5.0, [&](Communicator& ranks) {
    Rank learner(ranks, quick_options(), ranks.is_root() ? 4 : 5);
    made.arrive_and_wait();
    if (!ranks.is_root()) {
      EXPECT_FALSE(control(learner.trainer, ranks));
      return;
    }
    ParameterServer server(learner.trainer.state(), quick_options(), 1, ranks);
    const auto done = server.serve([](const UpdateFacts&) -> Result<bool> { return true; });
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("rank 1 learns 10 numbers and rank 0 8"), std::string::npos);
  });
}

TEST(Async, AStopOfAnyRankEndsTheRunInOrder) {
  for (const int stopped : {0, 1}) {
    run_ranks(3, 600.0, [&](Communicator& ranks) {
      Rank learner(ranks);
      std::uint64_t asked = 0;
      const auto should_stop = [&] { return ranks.rank() == stopped && ++asked > 9; };
      if (!ranks.is_root()) {
        learner.trainer.set_should_stop(should_stop);
        EXPECT_TRUE(control(learner.trainer, ranks));
        return;
      }
      ParameterServer server(learner.trainer.state(), quick_options(), 1, ranks);
      server.set_should_stop(should_stop);
      EXPECT_TRUE(server.serve([](const UpdateFacts&) -> Result<bool> { return true; }));
      EXPECT_TRUE(server.lesson().best.has_value());
    });
  }
}

TEST(Async, AloneIsNotEnough) {
  const auto alone = make_alone();
  Rank learner(*alone);
  ParameterServer server(learner.trainer.state(), quick_options(), 1, *alone);
  EXPECT_FALSE(server.serve([](const UpdateFacts&) -> Result<bool> { return true; }));
}

}  // namespace
}  // namespace berth::learn
