// SPDX-License-Identifier: Apache-2.0
// Memory that is counted, cores that threads are bound to, and what a probe makes of its measurements.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "exec/devices/allocator.h"
#include "exec/devices/cpus.h"
#include "exec/probe/probe.h"
#include "exec/probe/probe_device.h"
#include "measure/device_spec.h"

namespace berth::exec {
namespace {

// Accounts of devices that no other test uses.
class AllocatorTest : public ::testing::Test {
 protected:
  AllocatorTest() {
    install_counting_allocator();
    allocate_for(kFirst);
    for (const int device : {kFirst, kSecond}) reset_peak(device);
  }
  ~AllocatorTest() override {
    for (const int device : {kFirst, kSecond}) set_memory_limit(device, 0);
    allocate_for(0);
  }
  static constexpr int kFirst = 40, kSecond = 41;
};

TEST_F(AllocatorTest, CountsForTheDeviceThatWasNamed) {
  const at::Tensor first = at::empty({256});  // 1 KiB
  EXPECT_EQ(allocated_bytes(kFirst), 1024);
  allocate_for(kSecond);
  at::Tensor second = at::empty({512});
  EXPECT_EQ(allocated_bytes(kFirst), 1024);
  EXPECT_EQ(allocated_bytes(kSecond), 2048);
  allocate_for(kFirst);
  second = at::Tensor();
  EXPECT_EQ(allocated_bytes(kSecond), 0) << "freed for the device that it was taken for";
  EXPECT_EQ(allocated_bytes(kFirst), 1024);
}

TEST_F(AllocatorTest, EveryThreadHasADeviceOfItsOwn) {
  std::thread([] {
    allocate_for(kSecond);
    const at::Tensor there = at::empty({256});
    EXPECT_EQ(allocated_bytes(kSecond), 1024);
  }).join();
  const at::Tensor here = at::empty({256});
  EXPECT_EQ(allocated_bytes(kFirst), 1024);
  EXPECT_EQ(allocated_bytes(kSecond), 0);
}

TEST_F(AllocatorTest, PeaksStayUntilTheyAreReset) {
  const at::Tensor kept = at::empty({256});
  { const at::Tensor gone = at::empty({1024}); }
  EXPECT_EQ(allocated_bytes(kFirst), 1024);
  EXPECT_EQ(peak_bytes(kFirst), 5 * 1024);
  reset_peak(kFirst);
  EXPECT_EQ(peak_bytes(kFirst), 1024) << "what is still there";
}

TEST_F(AllocatorTest, ALimitIsReachedAndNotPassed) {
  set_memory_limit(kFirst, 4096);
  const at::Tensor all = at::empty({1024});
  try {
    const at::Tensor more = at::empty({1});
    FAIL() << "4 bytes too many";
  } catch (const OutOfMemory& error) {
    EXPECT_STREQ(error.what(), "out of memory: device 40 holds 4.00 KiB and wants 4 B more, its limit is 4.00 KiB");
  }
  EXPECT_EQ(allocated_bytes(kFirst), 4096) << "what was refused does not count";
  EXPECT_EQ(peak_bytes(kFirst), 4096);
  allocate_for(kSecond);
  EXPECT_NO_THROW((void)at::empty({2048})) << "a limit of one device alone";
  set_memory_limit(kFirst, 0);
  allocate_for(kFirst);
  EXPECT_NO_THROW((void)at::empty({2048})) << "0: none";
}

TEST_F(AllocatorTest, NothingTakesNothing) {
  set_memory_limit(kFirst, 1);
  const at::Tensor nothing = at::empty({0});
  EXPECT_EQ(allocated_bytes(kFirst), 0);
}

TEST_F(AllocatorTest, OthersMayKeepTheirBooksHere) {
  set_memory_limit(kFirst, 100);
  take_bytes(kFirst, 60);
  EXPECT_THROW(take_bytes(kFirst, 41), OutOfMemory);
  take_bytes(kFirst, 40);
  EXPECT_EQ(allocated_bytes(kFirst), 100);
  give_bytes(kFirst, 100);
  EXPECT_EQ(allocated_bytes(kFirst), 0);
  EXPECT_EQ(peak_bytes(kFirst), 100);
}

TEST_F(AllocatorTest, TensorsKeepTheirValues) {
  const at::Tensor numbers = at::arange(1000, at::kDouble);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data_ptr()) % 64, 0U) << "as kernels like it";
  EXPECT_EQ(numbers.sum().item<double>(), 999.0 * 1000.0 / 2.0);
}

// In a thread of its own: a binding stays.
TEST(Cores, AThreadRunsOnTheCoresItIsGiven) {
  const int all = cores_here();
  std::thread([&] {
    const auto bound_to = [] {
      cpu_set_t set;
      CPU_ZERO(&set);
      sched_getaffinity(0, sizeof(set), &set);
      return CPU_COUNT(&set);
    };
    use_cores(std::vector<int>{0});
    EXPECT_EQ(bound_to(), 1);
    EXPECT_EQ(at::get_num_threads(), 1);
    use_cores({});
    EXPECT_EQ(bound_to(), all) << "none: all of them";
    EXPECT_EQ(at::get_num_threads(), all);
    use_cores({}, 1);
    EXPECT_EQ(at::get_num_threads(), 1) << "as many as said";
    use_cores(std::vector<int>{0, 1'000'000});
    EXPECT_EQ(bound_to(), 1) << "a core that is not there does not count";
  }).join();
  EXPECT_EQ(cores_here(), all) << "of that thread alone";
}

TEST(Cores, TheOthersAreWhatIsLeft) {
  const int all = cores_here();
  std::vector<int> every;
  for (int core = 0; core < all; ++core) every.push_back(core);
  EXPECT_EQ(cores_besides({}), every);
  EXPECT_TRUE(cores_besides(every).empty());
  every.erase(every.begin());
  EXPECT_EQ(cores_besides(std::vector<int>{0}), every);
}

TEST(Topology, IsSaidInWords) {
  EXPECT_EQ(describe({"", 1, 16, Bytes{32} << 20, 1}),
            "1 package, 16 cores, 32.0 MiB of last-level cache, 1 memory node");
  EXPECT_EQ(describe({"Some CPU", 2, 1, Bytes{1} << 10, 4}),
            "Some CPU: 2 packages, 1 core, 1.00 KiB of last-level cache, 4 memory nodes");
  EXPECT_EQ(describe({}), "topology not known (built without hwloc)");
}

TEST(ProbeFit, LatencyIsOfTheSmallestAndBandwidthOfTheLargest) {
  const LinkRates rates = fit_link({{100, 0.6}, {1000, 9.0}, {2000, 3.0}, {4000, 5.0}});
  EXPECT_DOUBLE_EQ(rates.bytes_per_s, 1000.0) << "2000 B in 2 s";
  EXPECT_DOUBLE_EQ(rates.latency_s, 0.5) << "0.6 s less the 0.1 s of its bytes";
}

TEST(ProbeFit, StrangeTimesGiveSomethingThatCanBeUsed) {
  const LinkRates falling = fit_link({{100, 0.01}, {2000, 3.0}, {4000, 2.0}});
  EXPECT_DOUBLE_EQ(falling.bytes_per_s, 2000.0) << "the largest as it is";
  EXPECT_DOUBLE_EQ(falling.latency_s, 0.0) << "never below 0";
  EXPECT_EQ(fit_link({{100, 1.0}}).bytes_per_s, 0.0) << "one says nothing";
  EXPECT_EQ(fit_link({}).latency_s, 0.0);
}

// A try that must last no time at all is one call: one to begin with, then three.
TEST(ProbeTiming, WarmsUpAndTriesAsOftenAsSaid) {
  int calls = 0, finishes = 0;
  const double seconds = best_seconds(
      {.try_s = 0.0, .tries = 3}, [&] { ++calls; }, [&] { ++finishes; });
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(finishes, 4);
  EXPECT_GE(seconds, 0.0);
}

// Short tries are made longer by doubling: 1, 2, 4, ... calls until one lasts long enough.
TEST(ProbeTiming, ShortTriesAreMadeLonger) {
  std::vector<int> calls_before_finish;
  int calls = 0;
  (void)best_seconds(
      {.try_s = 1e-4, .tries = 1}, [&] { ++calls; },
      [&] {
        calls_before_finish.push_back(calls);
        calls = 0;
      });
  ASSERT_GE(calls_before_finish.size(), 2U);
  EXPECT_EQ(calls_before_finish[0], 1);
  for (std::size_t i = 1; i < calls_before_finish.size(); ++i) EXPECT_EQ(calls_before_finish[i], 1 << (i - 1));
}

TEST(Probe, RefusesMorePartsThanCores) {
  const int all = cores_here();
  for (const int parts : {0, -1, all + 1}) {
    const auto probed = probe({.parts = parts});
    ASSERT_FALSE(probed.ok());
    EXPECT_EQ(probed.error().message, fmt::format("--split {}: this computer has {} cores", parts, all));
  }
}

}  // namespace
}  // namespace berth::exec
