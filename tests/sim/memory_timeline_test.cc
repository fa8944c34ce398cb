// SPDX-License-Identifier: Apache-2.0
#include "sim/memory_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/simulator.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

// w is held throughout; a's 4 bytes from 0 until b, which makes 2, ends at 3.
TEST(MemoryTimeline, SaysWhatIsHeldWhen) {
  const Problem problem = toy_problem("w:param:8B -> b:1:2B:out; a:2:4B -> b", "1 devices");
  const Plan plan = toy_plan(problem, "w@0 a@0 b@0");
  std::string text;
  for (const MemoryEvent& event : memory_timeline(problem, plan)) {
    text += fmt::format("{}s:{} ", to_seconds(event.time), event.held);
  }
  EXPECT_EQ(text, "0s:12 2s:14 ");
}

TEST(MemoryTimeline, ItsLargestLevelIsThePeak) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 25);
    const Plan plan = random_plan(problem, rng);
    std::vector<Bytes> most(problem.machine().num_devices(), 0);
    Picoseconds before = 0;
    for (const MemoryEvent& event : memory_timeline(problem, plan)) {
      EXPECT_GE(event.time, before);
      before = event.time;
      most[index(event.device)] = std::max(most[index(event.device)], event.held);
    }
    const Score score = simulate(problem, plan);
    for (const DeviceId id : problem.machine().device_ids()) EXPECT_EQ(most[index(id)], score.devices[index(id)].peak);
  }
}

}  // namespace
}  // namespace berth
