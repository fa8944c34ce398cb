// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "machine/devices.h"
#include "machine/parts.h"

namespace berth {
namespace {

// A valid machine that each test spoils in one place.
struct Draft {
  std::vector<Device> devices{cpu("cpu"), gpu("gpu0")};
  std::vector<MemoryPool> pools{{"ram", 4096}};
  std::vector<std::string> switches{"hub"};
  std::vector<Link> links{wire("cpu", "gpu0", 1e-6), wire("gpu0", "hub", 1e-6)};

  [[nodiscard]] Result<Machine> make() const { return Machine::make("box", "", devices, pools, switches, links); }
  [[nodiscard]] std::string error() const {
    const auto machine = make();
    return machine.ok() ? "no error" : machine.error().message;
  }
};

TEST(CheckMachine, AcceptsTheDraft) { EXPECT_EQ(Draft().error(), "no error"); }

TEST(CheckMachine, CountsDevices) {
  EXPECT_EQ(Draft{.devices = {}}.error(), "a machine needs at least one device");
  Draft draft{.devices = {}, .links = {}};
  for (int i = 0; i < 64; ++i) {
    draft.devices.push_back(cpu(fmt::format("c{}", i)));
    draft.links.push_back(wire(fmt::format("c{}", i), "hub", 1e-6));
  }
  EXPECT_EQ(draft.error(), "no error");
  draft.devices.push_back(cpu("c64"));
  EXPECT_EQ(draft.error(), "65 devices; a machine has at most 64");
}

TEST(CheckMachine, NamesMustBeThereAndDiffer) {
  EXPECT_EQ((Draft{.devices = {cpu("cpu"), gpu("")}}.error()), "device 2 has no name");
  EXPECT_EQ((Draft{.devices = {cpu("a"), gpu("a")}}.error()), "device 'a': the name is taken; names must differ");
  EXPECT_EQ((Draft{.switches = {"gpu0"}}.error()), "switch 'gpu0': the name is taken; names must differ");
  EXPECT_EQ((Draft{.switches = {"hub", ""}}.error()), "switch 2 has no name");
  EXPECT_EQ((Draft{.pools = {{"ram", 1}, {"ram", 2}}}.error()), "pool 'ram': the name is taken; names must differ");
  EXPECT_EQ((Draft{.devices = {cpu("*")}}.error()), "device 1: the name '*' stands for every device");
  EXPECT_EQ((Draft{.devices = {cpu("a\nb")}}.error()), "device 1: its name holds a control character");
}

TEST(CheckMachine, NumbersOfADevice) {
  const auto with = [](auto spoil) {
    Draft draft;
    spoil(draft.devices[1]);
    return draft.error();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(with([](Device& d) { d.flops_per_s.clear(); }), "device 'gpu0': no peak for f32; every device needs one");
  EXPECT_EQ(with([](Device& d) { d.flops_per_s[DType::kF16] = 0; }),
            "device 'gpu0': flops for f16 must be a positive number, not 0");
  EXPECT_EQ(with([&](Device& d) { d.bytes_per_s = nan; }),
            "device 'gpu0': memory bandwidth must be a positive number, not nan");
  EXPECT_EQ(with([&](Device& d) { d.bytes_per_s = infinite; }),
            "device 'gpu0': memory bandwidth must be a positive number, not inf");
  EXPECT_EQ(with([](Device& d) { d.launch_s = -1; }), "device 'gpu0': launch must be between 0 and 1e6 s, not -1");
  EXPECT_EQ(with([](Device& d) { d.lanes = 0; }), "device 'gpu0': lanes must be between 1 and 1000000, not 0");
  EXPECT_EQ(with([](Device& d) { d.memory = -1; }), "device 'gpu0': memory must not be negative");
  EXPECT_EQ(with([](Device& d) { d.idle_watts = -1; }), "device 'gpu0': watts must not be negative");
  EXPECT_EQ(with([](Device& d) { d.pool = "rom"; }), "device 'gpu0': no memory pool named 'rom'; did you mean 'ram'?");
  EXPECT_EQ((Draft{.pools = {{"ram", -1}}}.error()), "pool 'ram': memory must not be negative");
}

TEST(CheckMachine, LinksLeadSomewhere) {
  const auto with = [](const Link& link) {
    Draft draft;
    draft.links.push_back(link);
    return draft.error();
  };
  EXPECT_EQ(with(wire("gpu0", "gpu1", 0)), "link gpu0 - gpu1: no device or switch named 'gpu1'; did you mean 'gpu0'?");
  EXPECT_EQ(with(wire("nowhere", "cpu", 0)), "link nowhere - cpu: no device or switch named 'nowhere'");
  EXPECT_EQ(with(wire("*", "cpu", 0)), "link * - cpu: no device or switch named '*'");
  EXPECT_EQ(with(wire("cpu", "cpu", 0)), "link cpu - cpu: leads from 'cpu' to itself");
  EXPECT_EQ(with(wire("cpu", "*", 0)), "link cpu - *: a link to \"*\" must be one-way");
  EXPECT_EQ(with(wire("cpu", "gpu0", -1, Duplex::kOneWay)),
            "link cpu > gpu0: latency must be between 0 and 1e6 s, not -1");
  EXPECT_EQ(with({.from = "cpu", .to = "gpu0"}), "link cpu - gpu0: bandwidth must be a positive number, not 0");
  EXPECT_EQ(with({.from = "cpu", .to = "gpu0", .bytes_per_s = 1, .bus = "b", .contended = false}),
            "link cpu - gpu0: on bus 'b' and uncontended; a bus is a queue, so choose one");
}

TEST(CheckMachine, EveryDeviceReachesEveryOther) {
  const Draft apart{.devices = {cpu("cpu"), gpu("gpu0")}, .links = {}};
  EXPECT_EQ(apart.error(),
            "no way from 'gpu0' to 'cpu': link them, or both to a CPU or a switch (nothing else relays)");
  const Draft chain{.devices = {gpu("a"), gpu("b"), gpu("c")}, .links = {wire("a", "b", 1), wire("b", "c", 1)}};
  EXPECT_EQ(chain.error(), "no way from 'c' to 'a': link them, or both to a CPU or a switch (nothing else relays)");
}

TEST(CheckMachine, MoreChannelsThanIdsIsAnError) {
  Draft draft;
  draft.links.assign(40'000, wire("cpu", "gpu0", 1e-6));
  EXPECT_EQ(draft.error(), "the links have more than 65535 directions in all");
}

TEST(Machine, AnswersQuestionsAboutItsDevices) {
  Draft draft;
  draft.devices = {gpu("gpu0"), cpu("cpu"), gpu("gpu1")};
  draft.devices[0].pool = draft.devices[1].pool = "ram";
  draft.devices[2].flops_per_s[DType::kF16] = 8e12;
  draft.links = {wire("cpu", "gpu0", 1e-6), wire("cpu", "gpu1", 1e-6)};
  const Machine machine = *draft.make();
  EXPECT_EQ(machine.find_device("gpu1"), DeviceId{2});
  EXPECT_EQ(machine.find_device("hub"), std::nullopt);
  EXPECT_EQ(machine.first_of(DeviceKind::kCpu), DeviceId{1});
  EXPECT_EQ(machine.first_of(DeviceKind::kTpu), std::nullopt);
  EXPECT_EQ(machine.accelerators(), (std::vector<DeviceId>{DeviceId{0}, DeviceId{2}}));
  EXPECT_EQ(machine.pool_of(DeviceId{1}), 0);
  EXPECT_EQ(machine.pool_of(DeviceId{2}), -1);
  EXPECT_EQ(machine.capacity(DeviceId{1}), 4096);
  EXPECT_EQ(machine.capacity(DeviceId{2}), 1024);
  EXPECT_EQ(machine.device(DeviceId{2}).peak_flops(DType::kF16), 8e12);
  EXPECT_EQ(machine.device(DeviceId{2}).peak_flops(DType::kBF16), 1e12);
}

TEST(Machine, UnsignedAndFourBitNumbersHaveTheRateOfBytes) {
  Device device = plain_device("gpu", DeviceKind::kGpu);
  EXPECT_EQ(device.peak_flops(DType::kU8), device.peak_flops(DType::kF32)) << "no rate is stated";
  device.flops_per_s[DType::kI8] = 5e14;
  EXPECT_EQ(device.peak_flops(DType::kU8), 5e14);
  EXPECT_EQ(device.peak_flops(DType::kI4), 5e14);
  device.flops_per_s[DType::kI4] = 9e14;
  EXPECT_EQ(device.peak_flops(DType::kI4), 9e14) << "its own, where it is stated";
}

}  // namespace
}  // namespace berth
