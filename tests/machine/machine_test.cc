// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "machine/parts.h"

namespace berth {
namespace {

Machine with_links(std::vector<Link> links) {
  auto machine = Machine::make("box", "", {cpu("cpu"), gpu("a"), gpu("b")}, {}, {"hub"}, std::move(links));
  EXPECT_TRUE(machine.ok()) << machine.error().message;
  return *machine;
}

// "cpu>a@cpu>a a>cpu@-": every channel with its queue.
std::string channels_text(const Machine& machine) {
  std::string text;
  for (const Channel& channel : machine.channels()) {
    const std::string queue = channel.queue < 0 ? "-" : machine.queues()[static_cast<std::size_t>(channel.queue)];
    text += fmt::format("{}{}@{}", text.empty() ? "" : " ", channel.name, queue);
  }
  return text;
}

TEST(ExpandLinks, FullDuplexHasAQueuePerDirection) {
  const Machine machine = with_links({wire("cpu", "a", 1), wire("b", "cpu", 1)});
  EXPECT_EQ(channels_text(machine), "cpu>a@cpu>a a>cpu@a>cpu b>cpu@b>cpu cpu>b@cpu>b");
  EXPECT_EQ(machine.queues().size(), 4u);
}

TEST(ExpandLinks, HalfDuplexSharesOneQueue) {
  const Machine machine = with_links({wire("cpu", "a", 1, Duplex::kHalf), wire("cpu", "b", 1)});
  EXPECT_EQ(channels_text(machine), "cpu>a@cpu-a a>cpu@cpu-a cpu>b@cpu>b b>cpu@b>cpu");
}

TEST(ExpandLinks, ABusIsOneQueueForAllItsLinks) {
  Link first = wire("cpu", "a", 1), second = wire("cpu", "b", 2, Duplex::kHalf);
  first.bus = second.bus = "pcie";
  const Machine machine = with_links({first, second});
  EXPECT_EQ(channels_text(machine), "cpu>a@pcie a>cpu@pcie cpu>b@pcie b>cpu@pcie");
  EXPECT_EQ(machine.channels()[0].latency_s, 1);
  EXPECT_EQ(machine.channels()[3].latency_s, 2);
}

TEST(ExpandLinks, UncontendedHasNoQueue) {
  Link link = wire("cpu", "a", 1, Duplex::kHalf);
  link.contended = false;
  EXPECT_EQ(channels_text(with_links({link, wire("cpu", "b", 1)})), "cpu>a@- a>cpu@- cpu>b@cpu>b b>cpu@b>cpu");
}

TEST(ExpandLinks, AStarReachesEveryOtherDeviceButNoSwitch) {
  Link port = wire("a", "*", 1, Duplex::kOneWay);
  port.bus = "a.port";
  const Machine machine = with_links({port, wire("hub", "*", 1, Duplex::kOneWay),
                                      wire("cpu", "hub", 1, Duplex::kOneWay), wire("b", "hub", 1, Duplex::kOneWay)});
  EXPECT_EQ(channels_text(machine),
            "a>cpu@a.port a>b@a.port hub>cpu@hub>cpu hub>a@hub>a hub>b@hub>b cpu>hub@cpu>hub b>hub@b>hub");
}

TEST(ExpandLinks, NamesStayUnique) {
  Link bus = wire("cpu", "b", 1);
  bus.bus = "cpu>a";  // keeps its name, although the first link comes before it
  const Machine machine = with_links({wire("cpu", "a", 1), wire("cpu", "a", 2), bus});
  EXPECT_EQ(channels_text(machine),
            "cpu>a@cpu>a#2 a>cpu@a>cpu cpu>a#2@cpu>a#3 a>cpu#2@a>cpu#2 cpu>b@cpu>a b>cpu@cpu>a");
}

}  // namespace
}  // namespace berth
