// SPDX-License-Identifier: Apache-2.0
// The queue of ready nodes against a sorted list.
#include "sim/engine/ready_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/rng.h"

namespace berth {
namespace {

TEST(ReadyQueue, UrgencyOrdersLikePriority) {
  const double ascending[] = {-std::numeric_limits<double>::max(), -2.5, -1.0, -1e-300, 0.0, 1e-300, 1.0, 2.5, 1e300};
  for (std::size_t i = 1; i < std::size(ascending); ++i) {
    EXPECT_LT(urgency_of(ascending[i - 1]), urgency_of(ascending[i])) << ascending[i];
  }
  EXPECT_EQ(urgency_of(-0.0), urgency_of(0.0));
}

TEST(ReadyQueue, EqualPrioritiesLeaveInTheOrderTheyCame) {
  ReadyQueue queue;
  for (std::uint32_t i = 0; i < 100; ++i) queue.push({7, i, i});
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(queue.pop().node, i);
  EXPECT_TRUE(queue.empty());
}

// Long and short queues, in which the front fills, spills and runs dry.
TEST(ReadyQueue, AgreesWithASortedList) {
  Rng rng(1);
  for (const std::uint64_t urgencies : {2U, 50U, 100000U}) {
    ReadyQueue queue;
    std::vector<ReadyEntry> listed;
    for (std::uint32_t i = 0; i < 20000; ++i) {
      const bool grows = (i / 500) % 2 == 0;
      if (listed.empty() || rng.chance(grows ? 0.7 : 0.3)) {
        const ReadyEntry entry{rng.below(urgencies), i, i};
        queue.push(entry);
        listed.insert(std::ranges::find_if(listed, [&](const auto& other) { return entry.before(other); }), entry);
      } else {
        ASSERT_EQ(queue.pop().node, listed.front().node);
        listed.erase(listed.begin());
      }
      ASSERT_EQ(queue.empty(), listed.empty());
    }
    std::vector<ReadyEntry> left;
    queue.append_to(left);
    EXPECT_EQ(left.size(), listed.size());
  }
}

}  // namespace
}  // namespace berth
