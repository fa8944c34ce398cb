// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "base/rng.h"
#include "machine/parts.h"

namespace berth {
namespace {

Machine make(std::vector<Device> devices, std::vector<std::string> switches, std::vector<Link> links) {
  auto machine = Machine::make("box", "", std::move(devices), {}, std::move(switches), std::move(links));
  EXPECT_TRUE(machine.ok()) << machine.error().message;
  return *machine;
}

TEST(Routes, ADirectChannelWinsHoweverSlow) {
  const Machine machine =
      make({cpu("cpu"), gpu("a"), gpu("b")}, {}, {wire("cpu", "a", 1), wire("cpu", "b", 1), wire("a", "b", 100)});
  EXPECT_EQ(route_text(machine, "a", "b"), "a>b");
  EXPECT_EQ(route_text(machine, "a", "a"), "");
}

TEST(Routes, OfParallelChannelsTheFasterThenTheFirst) {
  const Machine machine = make({cpu("a"), cpu("b")}, {}, {wire("a", "b", 3), wire("a", "b", 2), wire("a", "b", 2)});
  EXPECT_EQ(route_text(machine, "a", "b"), "a>b#2");
}

TEST(Routes, OneMebibyteDecidesNotTheLatency) {
  // 1 MiB takes 1 s over the hub with the short latency and 2 x 0.4 s over the one with the long latency.
  Link slow = wire("a", "near", 1e-6);
  slow.bytes_per_s = 1 << 20;
  const Machine machine = make({gpu("a"), gpu("b")}, {"near", "far"},
                               {slow, wire("near", "b", 0), wire("a", "far", 0.4), wire("far", "b", 0.4)});
  EXPECT_EQ(route_text(machine, "a", "b"), "a>far far>b");
}

TEST(Routes, LeastTimeBeatsFewestLinks) {
  const Machine machine =
      make({gpu("a"), gpu("b")}, {"x", "y", "z"},
           {wire("a", "x", 5), wire("x", "b", 5), wire("a", "y", 3), wire("y", "z", 3), wire("z", "b", 3)});
  EXPECT_EQ(route_text(machine, "a", "b"), "a>y y>z z>b");
}

TEST(Routes, OfEqualTimesTheFewestLinks) {
  const Machine machine =
      make({gpu("a"), gpu("b")}, {"x", "y", "z"},
           {wire("a", "y", 3), wire("y", "z", 3), wire("z", "b", 4), wire("a", "x", 5), wire("x", "b", 5)});
  EXPECT_EQ(route_text(machine, "a", "b"), "a>x x>b");
}

TEST(Routes, OfEqualTimesAndLinksTheLowestIndexWhereTheyFirstDiffer) {
  // Both halves of the way over x have lower indices than the second half over y, but the first step decides.
  const Machine machine = make({gpu("a"), gpu("b")}, {"x", "y"},
                               {wire("a", "y", 1), wire("x", "b", 1), wire("a", "x", 1), wire("y", "b", 1)});
  EXPECT_EQ(route_text(machine, "a", "b"), "a>y y>b");
  EXPECT_EQ(route_text(machine, "b", "a"), "b>x x>a");
}

TEST(Routes, AcceleratorsDoNotRelay) {
  const Machine machine =
      make({cpu("cpu"), gpu("a"), gpu("b"), gpu("c")}, {},
           {wire("a", "b", 1), wire("b", "c", 1), wire("cpu", "a", 50), wire("cpu", "c", 50), wire("cpu", "b", 50)});
  EXPECT_EQ(route_text(machine, "a", "c"), "a>cpu cpu>c");
}

TEST(Routes, DirectionsMayDiffer) {
  const Machine machine = make({cpu("cpu"), gpu("a"), gpu("b")}, {},
                               {wire("cpu", "a", 1), wire("cpu", "b", 1), wire("a", "b", 1, Duplex::kOneWay)});
  EXPECT_EQ(route_text(machine, "a", "b"), "a>b");
  EXPECT_EQ(route_text(machine, "b", "a"), "b>cpu cpu>a");
}

TEST(Routes, FreeLinksMakeNoLoops) {
  const Machine machine =
      make({gpu("a"), gpu("b")}, {"x", "y", "z"},
           {wire("x", "y", 0), wire("y", "x", 0), wire("a", "x", 0), wire("y", "z", 0), wire("z", "b", 0)});
  EXPECT_EQ(route_text(machine, "a", "b"), "a>x x>y y>z z>b");
}

TEST(Routes, LinksSlowerThanTheClockStillLead) {
  Link slow = wire("a", "x", 0), slower = wire("x", "b", 0);
  slow.bytes_per_s = 1e-3;
  slower.bytes_per_s = 1e-30;
  EXPECT_EQ(route_text(make({gpu("a"), gpu("b")}, {"x"}, {slow, slower}), "a", "b"), "a>x x>b");
}

// All simple routes through relays, tried one by one.
class Enumeration {
 public:
  explicit Enumeration(const Machine& machine) : machine_(machine) {}

  std::vector<std::uint16_t> best(std::size_t from, std::size_t to) {
    best_.reset();
    direct_.reset();
    to_ = to;
    visited_ = {from};
    walk(from, 0);
    return std::get<2>(direct_ ? *direct_ : best_.value_or(Key{}));
  }

 private:
  using Key = std::tuple<Picoseconds, std::size_t, std::vector<std::uint16_t>>;

  void walk(std::size_t node, Picoseconds time) {
    for (std::size_t i = 0; i < machine_.channels().size(); ++i) {
      const Channel& channel = machine_.channels()[i];
      if (channel.from != node || std::find(visited_.begin(), visited_.end(), channel.to) != visited_.end()) continue;
      path_.push_back(static_cast<std::uint16_t>(i));
      const Picoseconds sum = time + to_picoseconds(channel.latency_s + 1048576.0 / channel.bytes_per_s);
      if (channel.to == to_) {
        keep(Key{sum, path_.size(), path_});
      } else if (channel.to >= machine_.num_devices() || machine_.devices()[channel.to].kind == DeviceKind::kCpu) {
        visited_.push_back(channel.to);
        walk(channel.to, sum);
        visited_.pop_back();
      }
      path_.pop_back();
    }
  }

  void keep(const Key& key) {
    std::optional<Key>& best = path_.size() == 1 ? direct_ : best_;
    if (!best || key < *best) best = key;
  }

  const Machine& machine_;
  std::size_t to_ = 0;
  std::vector<std::size_t> visited_;
  std::vector<std::uint16_t> path_;
  std::optional<Key> best_, direct_;
};

TEST(Routes, AgreeWithEnumerationOnRandomMachines) {
  Rng rng(7);
  int compared = 0, relayed = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<Device> devices;
    for (int i = 0; i < 4; ++i) {
      devices.push_back(rng.below(3) == 0 ? cpu(fmt::format("d{}", i)) : gpu(fmt::format("d{}", i)));
    }
    std::vector<Link> links;
    const std::vector<std::string> names{"d0", "d1", "d2", "d3", "x", "y", "z"};
    for (int i = 0; i < 12; ++i) {
      const auto from = rng.below(7), to = rng.below(7);
      if (from == to) continue;
      const auto duplex = rng.below(2) == 0 ? Duplex::kFull : Duplex::kOneWay;
      links.push_back(wire(names[from], names[to], static_cast<double>(rng.below(3)) * 1e-6, duplex));
    }
    const auto machine = Machine::make("random", "", devices, {}, {"x", "y", "z"}, links);
    if (!machine.ok()) continue;
    Enumeration enumeration(*machine);
    for (const DeviceId from : machine->device_ids()) {
      for (const DeviceId to : machine->device_ids()) {
        if (from == to) continue;
        const auto route = machine->route(from, to);
        ASSERT_EQ(std::vector<std::uint16_t>(route.begin(), route.end()), enumeration.best(index(from), index(to)));
        ++compared;
        relayed += route.size() > 1;
      }
    }
  }
  EXPECT_GT(compared, 500);
  EXPECT_GT(relayed, 200);
}

}  // namespace
}  // namespace berth
