// SPDX-License-Identifier: Apache-2.0
#include "machine/library.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "machine/devices.h"
#include "machine/parts.h"

namespace berth {
namespace {

TEST(DeviceLibrary, EveryModelMakesAValidDevice) {
  std::set<std::string_view> names;
  for (const DeviceModel& model : device_models()) {
    SCOPED_TRACE(model.name);
    EXPECT_TRUE(names.insert(model.name).second);
    EXPECT_FALSE(model.summary.empty());
    const Device device = make_device(model, "it");
    EXPECT_TRUE(Machine::make("one", "", {device}, {}, {}, {}).ok());
    EXPECT_GT(device.memory, 0);
    EXPECT_GT(device.launch_s, 0);
    EXPECT_GT(device.watts, device.idle_watts);
    EXPECT_EQ(device.model, model.name);
    EXPECT_EQ(device.async, device.kind != DeviceKind::kCpu);
    EXPECT_EQ(find_device_model(model.name), &model);
  }
  EXPECT_EQ(find_device_model("k41"), nullptr);
  EXPECT_EQ(suggest_device_model("k41"), "; did you mean 'k40'?");
}

TEST(MachineLibrary, HoldsTheMachinesOfTheDesign) {
  const std::vector<std::string_view> wanted{"k40x2",    "k40x4",          "k40x8",        "k80x2",     "k80x4",
                                             "p100x4",   "v100x8",         "a100x8",       "h100x8",    "h200",
                                             "flex170",  "flex170-hetero", "rtx4090-3060", "a100-v100", "core-ultra",
                                             "tpu-v3x8", "dgx-spark",      "strix-halo",   "m1-max",    "m3-max",
                                             "m4-max",   "m2-ultra",       "m3-ultra",     "mi300x",    "2xhost"};
  std::vector<std::string_view> names;
  for (const MachineInfo& info : builtin_machines()) names.push_back(info.name);
  EXPECT_EQ(names, wanted);
}

TEST(MachineLibrary, EveryMachineStartsWithACpuAndIsDescribed) {
  for (const MachineInfo& info : builtin_machines()) {
    SCOPED_TRACE(info.name);
    const Machine machine = *builtin_machine(info.name);
    EXPECT_EQ(machine.name(), info.name);
    EXPECT_FALSE(machine.description().empty());
    EXPECT_LE(info.summary.size(), 80u);
    EXPECT_EQ(machine.first_of(DeviceKind::kCpu), DeviceId{0});
    EXPECT_FALSE(machine.accelerators().empty());
  }
}

TEST(MachineLibrary, UnknownNamesGetASuggestion) {
  EXPECT_EQ(builtin_machine("k40x5").error().message,
            "no machine named 'k40x5'; did you mean 'k40x2'? (berth machines lists all 25; a file name ends in .toml)");
}

TEST(MachineLibrary, CardsComeInNumbers) {
  for (const std::string_view card : card_names()) {
    EXPECT_EQ(builtin_machine(card)->accelerators().size(), 1U) << card;
    EXPECT_EQ(builtin_machine(fmt::format("{}x8", card))->accelerators().size(), 8U) << card;
    EXPECT_NE(kCardSummary.find(card), std::string_view::npos) << card;
  }
  EXPECT_EQ(builtin_machine("rtx4090-3060")->accelerators().size(), 2U) << "has a name of its own";
  EXPECT_EQ(builtin_machine("rtx3090x2")->name(), "rtx3090x2");
  for (const char* name : {"rtx3090x0", "rtx3090x9", "rtx3090x22", "rtx3090ti"}) {
    EXPECT_FALSE(builtin_machine(name).ok()) << name;
  }
}

TEST(MachineLibrary, GpusOfMacsMayUseThreeQuartersOfTheMemory) {
  const Machine mac = *builtin_machine("m1-max");
  EXPECT_EQ(mac.device(DeviceId{1}).pool_limit, Bytes{48} << 30);
  EXPECT_EQ(mac.pools()[0].memory, Bytes{64} << 30);
}

TEST(DeviceLibrary, DriversNamesAreFound) {
  const auto seen = [](std::string_view name) {
    const DeviceModel* model = device_model_seen_as(name);
    return model == nullptr ? std::string_view("none") : model->name;
  };
  EXPECT_EQ(seen("NVIDIA GeForce RTX 3090"), "rtx3090");
  EXPECT_EQ(seen("NVIDIA GeForce RTX 3090 Ti"), "none");
  EXPECT_EQ(seen("NVIDIA GeForce RTX 5070 Ti"), "rtx5070ti");
  EXPECT_EQ(seen("NVIDIA GeForce RTX 4090 Laptop GPU"), "none");
  EXPECT_EQ(seen("NVIDIA RTX PRO 6000 Blackwell Workstation Edition"), "rtx-pro-6000");
  EXPECT_EQ(seen("AMD Radeon RX 7900 XTX"), "rx7900xtx");
  EXPECT_EQ(seen("Intel(R) Arc(TM) B580 Graphics"), "arc-b580");
  EXPECT_EQ(seen("NVIDIA A100-PCIE-80GB"), "a100-pcie");
  EXPECT_EQ(seen("NVIDIA H200"), "h200");
  EXPECT_EQ(seen("NVIDIA GB10"), "gb10");
}

TEST(MachineLibrary, ProcessorsAreEqualAndTheirLinksFree) {
  const Machine machine = *builtin_machine("procx3");
  EXPECT_EQ(machine.name(), "procx3");
  ASSERT_EQ(machine.num_devices(), 3U);
  EXPECT_EQ(machine.accelerators().size(), 3U);
  EXPECT_TRUE(machine.queues().empty());
  for (const Channel& channel : machine.channels()) {
    constexpr double kLargestTensor = 1LL << 55;
    EXPECT_EQ(to_picoseconds(channel.latency_s + kLargestTensor / channel.bytes_per_s), 0);
  }
  EXPECT_EQ(builtin_machine("procx1")->num_devices(), 1U);
  EXPECT_EQ(builtin_machine("procx64")->num_devices(), 64U);
  for (const char* name : {"procx0", "procx65", "procx", "procx04", "procx-1", "procx2x", "procxN"}) {
    EXPECT_EQ(builtin_machine(name).error().message,
              fmt::format("no machine named '{}'; procxN takes an N from 1 to 64", name));
  }
}

TEST(MachineLibrary, KeplerDevicesSendThroughOnePortEach) {
  const Machine machine = *builtin_machine("k40x4");
  EXPECT_EQ(std::vector<std::string>(machine.queues().begin(), machine.queues().end()),
            (std::vector<std::string>{"cpu.port", "gpu0.port", "gpu1.port", "gpu2.port", "gpu3.port"}));
  EXPECT_EQ(machine.channels().size(), 20u);
  for (const DeviceId from : machine.device_ids()) {
    for (const DeviceId to : machine.device_ids()) {
      if (from == to) continue;
      ASSERT_EQ(machine.route(from, to).size(), 1u);
      const Channel& channel = machine.channels()[machine.route(from, to)[0]];
      EXPECT_EQ(channel.queue, static_cast<int>(index(from)));
      EXPECT_EQ(channel.bytes_per_s, 10.04e9);
    }
  }
  EXPECT_EQ(machine.capacity(DeviceId{1}), Bytes{12} << 30);
}

TEST(MachineLibrary, TheCubeMeshUsesSixLinksOfEveryV100) {
  const Machine machine = *builtin_machine("v100x8");
  std::map<std::string, double> sent;
  for (const Channel& channel : machine.channels()) {
    if (channel.from > 0 && channel.to > 0) sent[machine.devices()[channel.from].name] += channel.bytes_per_s / 24e9;
  }
  EXPECT_EQ(sent.size(), 8u);
  for (const auto& [name, links] : sent) EXPECT_EQ(links, 6) << name;
  EXPECT_EQ(route_text(machine, "gpu0", "gpu4"), "gpu0>gpu4");
  EXPECT_EQ(route_text(machine, "gpu0", "gpu5"), "gpu0>cpu cpu>gpu5");
}

TEST(MachineLibrary, ANvswitchAddsNoHopAndLeavesOneQueuePerCard) {
  const Machine machine = *builtin_machine("h100x8");
  EXPECT_EQ(route_text(machine, "gpu2", "gpu7"), "gpu2>gpu7");
  std::set<int> queues;
  for (int i = 0; i < 8; ++i) {
    if (i == 2) continue;
    const auto route = machine.route(DeviceId{3}, *machine.find_device(fmt::format("gpu{}", i)));
    queues.insert(machine.channels()[route[0]].queue);
  }
  EXPECT_EQ(queues.size(), 1u);
}

TEST(MachineLibrary, UnequalMachinesTakeTheWaysTheyHave) {
  EXPECT_EQ(route_text(*builtin_machine("rtx4090-3060"), "gpu0", "gpu1"), "gpu0>cpu cpu>gpu1");
  EXPECT_EQ(route_text(*builtin_machine("a100-v100"), "gpu0", "gpu1"), "gpu0>gpu1");
  EXPECT_EQ(route_text(*builtin_machine("2xhost"), "gpu0", "gpu1"), "gpu0>gpu1");
  EXPECT_EQ(route_text(*builtin_machine("2xhost"), "gpu0", "gpu3"), "gpu0>cpu0 cpu0>cpu1 cpu1>gpu3");
  EXPECT_EQ(route_text(*builtin_machine("tpu-v3x8"), "tpu0", "tpu7"), "tpu0>tpu7");
  const Machine laptop = *builtin_machine("core-ultra");
  EXPECT_EQ(laptop.queues().size(), 1u);
  for (const DeviceId id : laptop.device_ids()) {
    EXPECT_EQ(laptop.pool_of(id), 0);
    EXPECT_EQ(laptop.capacity(id), Bytes{32} << 30);
  }
}

TEST(MachineLibrary, TheH200HasItsMeasuredFigures) {
  const Machine machine = *builtin_machine("h200");
  const Device& card = machine.device(DeviceId{1});
  EXPECT_DOUBLE_EQ(card.launch_s, 7.39e-6);
  EXPECT_TRUE(card.async);
  EXPECT_FALSE(machine.device(DeviceId{0}).async);
  EXPECT_EQ(machine.device(DeviceId{0}).model, "xeon-16c");
  const Channel& down = machine.channels()[machine.route(DeviceId{0}, DeviceId{1})[0]];
  EXPECT_DOUBLE_EQ(down.latency_s, 11e-6);
  EXPECT_DOUBLE_EQ(down.bytes_per_s, 55e9);
}

}  // namespace
}  // namespace berth
