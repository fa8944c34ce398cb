// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <set>
#include <vector>

#include "support/patience.h"

namespace berth {
namespace {

// Runs a loop and checks every promise about it.
void expect_each_item_once(ThreadPool& pool, std::size_t count) {
  std::vector<std::atomic<int>> calls(count);
  std::vector<std::atomic<int>> inside(static_cast<std::size_t>(pool.size()));
  std::atomic<bool> shared = false, out_of_range = false;
  pool.for_each(count, [&](std::size_t item, int worker) {
    if (item >= count || worker < 0 || worker >= pool.size()) {
      out_of_range = true;
      return;
    }
    if (inside[static_cast<std::size_t>(worker)].fetch_add(1) != 0) shared = true;
    calls[item].fetch_add(1);
    inside[static_cast<std::size_t>(worker)].fetch_sub(1);
  });
  ASSERT_FALSE(out_of_range);
  ASSERT_FALSE(shared) << "one worker number was used by two calls at once";
  for (std::size_t item = 0; item < count; ++item) ASSERT_EQ(calls[item].load(), 1) << "item " << item;
}

TEST(ThreadPool, DoesEveryItemOnceForAnySizes) {
  for (const int threads : {1, 2, 3, 4, 8, 17}) {
    ThreadPool pool(threads);
    ASSERT_EQ(pool.size(), threads);
    for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 16U, 100U, 5000U}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, " << count << " items");
      expect_each_item_once(pool, count);
    }
  }
}

TEST(ThreadPool, UsesAtLeastOneThread) {
  for (const int threads : {-3, 0, 1}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), 1);
    expect_each_item_once(pool, 10);
  }
}

// Short loops one after the other: threads that wake late must neither miss a loop nor join one that is over.
TEST(ThreadPool, SurvivesManyShortLoops) {
  for (const int threads : {2, 5}) {
    ThreadPool pool(threads);
    std::vector<int> sums(3, 0);
    for (int round = 0; round < 3000; ++round) {
      pool.for_each(sums.size(), [&](std::size_t item, int) { sums[item] += 1; });
    }
    EXPECT_EQ(sums, std::vector<int>(3, 3000));
  }
}

TEST(ThreadPool, ResultsAreVisibleToTheCaller) {
  ThreadPool pool(4);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::size_t> squares(1000);
    pool.for_each(squares.size(), [&](std::size_t item, int) { squares[item] = item * item; });
    for (std::size_t i = 0; i < squares.size(); ++i) ASSERT_EQ(squares[i], i * i);
  }
}

// Whoever comes waits for the others, however long they take to wake.
TEST(ThreadPool, SharesTheWork) {
  ThreadPool pool(3);
  std::mutex mutex;
  std::condition_variable changed;
  std::set<int> came;
  pool.for_each(30, [&](std::size_t, int worker) {
    std::unique_lock lock(mutex);
    came.insert(worker);
    changed.notify_all();
    changed.wait_for(lock, std::chrono::duration<double>(kPatience), [&] { return came.size() == 3; });
  });
  EXPECT_EQ(came, (std::set<int>{0, 1, 2}));
}

TEST(ThreadPool, StartsNoThreadForOneWorkerOrOneItem) {
  const auto caller = std::this_thread::get_id();
  ThreadPool alone(1), many(4);
  alone.for_each(5, [&](std::size_t, int worker) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(worker, 0);
  });
  many.for_each(1, [&](std::size_t, int) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(ThreadPool, EndsCleanlyWithoutEverWorking) {
  for (int i = 0; i < 50; ++i) ThreadPool pool(4);
}

}  // namespace
}  // namespace berth
