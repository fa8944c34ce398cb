// SPDX-License-Identifier: Apache-2.0
#include "format/machine_toml.h"

#include <gtest/gtest.h>

#include "files/files.h"
#include "machine/devices.h"
#include "machine/library.h"
#include "support/folders.h"

namespace berth {
namespace {

std::string machine_error(std::string_view text) {
  const auto machine = read_machine_toml(text, "box.toml");
  return machine.ok() ? "no error" : machine.error().message;
}

Machine read(std::string_view text) {
  auto machine = read_machine_toml(text, "box.toml");
  EXPECT_TRUE(machine.ok()) << machine.error().message;
  return *machine;
}

void expect_equal(const Device& a, const Device& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.memory, b.memory);
  EXPECT_EQ(a.pool, b.pool);
  EXPECT_EQ(a.flops_per_s, b.flops_per_s);
  EXPECT_EQ(a.bytes_per_s, b.bytes_per_s);
  EXPECT_EQ(a.launch_s, b.launch_s);
  EXPECT_EQ(a.async, b.async);
  EXPECT_EQ(a.lanes, b.lanes);
  EXPECT_EQ(a.watts, b.watts);
  EXPECT_EQ(a.idle_watts, b.idle_watts);
}

void expect_equal(const Machine& a, const Machine& b) {
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.description(), b.description());
  EXPECT_EQ(a.execution(), b.execution());
  ASSERT_EQ(a.num_devices(), b.num_devices());
  for (const DeviceId id : a.device_ids()) {
    expect_equal(a.device(id), b.device(id));
    EXPECT_EQ(a.capacity(id), b.capacity(id));
    for (const DeviceId to : a.device_ids()) {
      const auto route = a.route(id, to), other = b.route(id, to);
      EXPECT_TRUE(std::equal(route.begin(), route.end(), other.begin(), other.end()));
    }
  }
  ASSERT_EQ(a.channels().size(), b.channels().size());
  for (std::size_t i = 0; i < a.channels().size(); ++i) {
    const Channel &x = a.channels()[i], &y = b.channels()[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(std::pair(x.from, x.to), std::pair(y.from, y.to));
    EXPECT_EQ(x.bytes_per_s, y.bytes_per_s);
    EXPECT_EQ(x.latency_s, y.latency_s);
    EXPECT_EQ(x.queue, y.queue);
  }
  EXPECT_TRUE(std::equal(a.queues().begin(), a.queues().end(), b.queues().begin(), b.queues().end()));
  EXPECT_TRUE(std::equal(a.switches().begin(), a.switches().end(), b.switches().begin(), b.switches().end()));
}

TEST(MachineToml, EveryBuiltinMachineComesBackTheSame) {
  for (const MachineInfo& info : builtin_machines()) {
    SCOPED_TRACE(info.name);
    const Machine machine = info.make();
    const std::string text = write_machine_toml(machine);
    const Machine back = read(text);
    expect_equal(machine, back);
    EXPECT_EQ(write_machine_toml(back), text);
  }
}

TEST(MachineToml, OddNumbersAndNamesComeBackTheSame) {
  Device device;
  device.name = "a \"b\" \\ \xc3\xa9";
  device.memory = 12'345'678'901;
  device.flops_per_s = {{DType::kF32, 1.0 / 3}, {DType::kF16, 1e300}};
  device.bytes_per_s = 10.0 / 3 * 1e9;
  device.launch_s = 1e-320;
  device.watts = 0.1;
  device.lanes = 3;
  const Link odd{.from = device.name, .to = "hub", .bytes_per_s = 0.7, .latency_s = 1e-6 / 3, .contended = false};
  const auto machine = Machine::make("odd\n", "two\nlines\x7f", {device}, {}, {"hub"}, {odd, odd});
  ASSERT_TRUE(machine.ok()) << machine.error().message;
  const Machine back = read(write_machine_toml(*machine));
  expect_equal(*machine, back);
}

TEST(MachineToml, OverlapAndTheCostOfRegions) {
  constexpr std::string_view kRest =
      "[[devices]]\nname = \"cpu\"\nkind = \"cpu\"\nmemory = 1\nflops = 1\nbandwidth = 1\n";
  const auto box = [&](std::string_view lines) { return fmt::format("name = \"box\"\n{}\n{}", lines, kRest); };
  EXPECT_EQ(read(box("")).execution(), Execution());
  const Machine machine = read(box("overlap = false\nregion_cost = \"20 us\""));
  EXPECT_FALSE(machine.overlap());
  EXPECT_EQ(machine.execution().region_cost_s, 20e-6);
  EXPECT_EQ(machine_error(box("region_cost = \"20 us\"")),
            "box.toml: region_cost counts only without overlap; add overlap = false or leave it out");
  EXPECT_EQ(machine_error(box("overlap = false\nregion_cost = 1e7")),
            "box.toml: region_cost must be between 0 and 1e6 s, not 10000000");
  EXPECT_EQ(machine_error(box("overlap = 1")).find("box.toml:2: overlap: "), 0u);
}

TEST(MachineToml, AccuracyOfPredictions) {
  const auto box = [&](std::string_view lines) {
    return fmt::format(
        "name = \"box\"\n{}\n[[devices]]\nname = \"cpu\"\nkind = \"cpu\"\nmemory = 1\nflops = 1\nbandwidth = 1\n",
        lines);
  };
  EXPECT_EQ(read(box("")).accuracy(), std::nullopt);
  const Machine machine = read(box("accuracy = [0.75, 2]"));
  ASSERT_TRUE(machine.accuracy().has_value());
  EXPECT_EQ(*machine.accuracy(), (Accuracy{0.75, 2.0}));
  EXPECT_EQ(read(write_machine_toml(machine)).accuracy(), machine.accuracy());
  EXPECT_EQ(machine_error(box("accuracy = [2, 0.75]")),
            "box.toml: accuracy must be two numbers above 0, the least first, such as [0.8, 1.4]; not [2, 0.75]");
  for (const std::string_view bad : {"[0, 1]", "[-1, 1]", "[nan, 1]", "[1, inf]"}) {
    EXPECT_EQ(machine_error(box(fmt::format("accuracy = {}", bad))).find("box.toml: accuracy must be two numbers"), 0U)
        << bad;
  }
  for (const std::string_view bad : {"1.5", "[1]", "[1, 2, 3]", "[\"1\", 2]", "true"}) {
    EXPECT_EQ(machine_error(box(fmt::format("accuracy = {}", bad))).find("box.toml:2: accuracy: "), 0U) << bad;
  }
}

TEST(MachineToml, WritesHumanUnits) {
  const std::string text = write_machine_toml(*builtin_machine("k40x2"));
  for (const std::string_view piece :
       {"memory = \"12 GiB\"\n", "f32 = \"4.29 TFLOP/s\"", "bandwidth = \"288 GB/s\"\n", "launch = \"5.7 us\"\n",
        "bandwidth = \"10.04 GB/s\"\n", "latency = \"15 us\"\n", "watts = \"235 W\"\n", "to = \"*\""}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece;
  }
}

constexpr std::string_view kBox = R"(# a comment
name = "box"
switches = ["hub"]
[[pools]]
name = "ram"
memory = "8 GiB"
[[devices]]
name = "cpu"
kind = "cpu"
pool = "ram"
flops = "1 TFLOP/s"
bandwidth = "50 GB/s"
[[devices]]
name = "gpu0"
model = "k40"
memory = "11 GiB"       # one key of the model changed
lanes = 2
[[devices]]
name = "gpu1"
model = "mine"
kind = "gpu"
memory = 4096
bandwidth = 1e9
[devices.flops]
f32 = "2 TFLOP/s"
f16 = "4 TFLOP/s"
[[links]]
from = "hub"
to = ["cpu", "gpu0", 'gpu1']
bandwidth = "80 Gbit/s"
latency = "2 us"
duplex = "half"
bus = "pcie"
)";

TEST(MachineToml, ReadsAHandWrittenFile) {
  const Machine machine = read(kBox);
  ASSERT_EQ(machine.num_devices(), 3u);
  const Device &cpu = machine.device(DeviceId{0}), &k40 = machine.device(DeviceId{1}),
               &mine = machine.device(DeviceId{2});
  EXPECT_FALSE(cpu.async);
  EXPECT_EQ(machine.capacity(DeviceId{0}), Bytes{8} << 30);
  EXPECT_EQ(k40.memory, Bytes{11} << 30);
  EXPECT_EQ(k40.bytes_per_s, 288e9);
  EXPECT_EQ(k40.lanes, 2);
  EXPECT_TRUE(mine.async);
  EXPECT_EQ(mine.memory, 4096);
  EXPECT_EQ(mine.peak_flops(DType::kF16), 4e12);
  EXPECT_EQ(mine.launch_s, 0);
  EXPECT_EQ(machine.links().size(), 3u);
  EXPECT_EQ(machine.queues().size(), 1u);
  EXPECT_EQ(machine.channels()[0].bytes_per_s, 10e9);
}

// The box with one piece replaced.
std::string box_with(std::string_view piece, std::string_view replacement) {
  std::string text(kBox);
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), replacement);
}

TEST(MachineToml, ErrorsNameFileLineAndKey) {
  EXPECT_EQ(machine_error(box_with("\"11 GiB\"", "\"12 GB/s\"")),
            "box.toml:16: devices.memory: '12 GB/s' is no size; write for example \"12 GiB\"");
  EXPECT_EQ(machine_error(box_with("\"80 Gbit/s\"", "\"fast\"")),
            "box.toml:30: links.bandwidth: 'fast' is no bandwidth; write for example \"288 GB/s\"");
  EXPECT_EQ(machine_error(box_with("\"2 us\"", "\"2 furlongs\"")),
            "box.toml:31: links.latency: '2 furlongs' is no time; write for example \"15 us\"");
  EXPECT_EQ(machine_error(box_with("\"4 TFLOP/s\"", "true")),
            "box.toml:26: devices.flops.f16: expected a quantity, found true or false");
  EXPECT_EQ(machine_error(box_with("f16 =", "half =")),
            "box.toml:26: devices.flops.half: no such type; for example f32, f16, bf16, tf32, i8");
  EXPECT_EQ(machine_error(box_with("memory = 4096", "memory = -1")),
            "box.toml:22: devices.memory: '-1' is no size; write for example \"12 GiB\"");
  EXPECT_EQ(machine_error(box_with("\"half\"", "\"simplex\"")),
            "box.toml:32: links.duplex: 'simplex' is none of \"full\", \"half\" and \"one-way\"");
  EXPECT_EQ(machine_error(box_with("kind = \"cpu\"", "kind = \"abacus\"")),
            "box.toml:9: devices.kind: no kind 'abacus'; one of cpu, gpu, tpu, npu, fpga");
  EXPECT_EQ(machine_error(box_with("lanes = 2", "lanes = 2.5")),
            "box.toml:17: devices.lanes: expected a whole number, found a number");
  EXPECT_EQ(machine_error(box_with("name = \"gpu0\"", "name = 7")),
            "box.toml:14: devices.name: expected a string, found a whole number");
}

TEST(MachineToml, ALinkHasNotAnyNumberOfEnds) {
  std::string ends;
  for (int i = 0; i < 70'000; ++i) ends += "\"cpu\",";
  EXPECT_EQ(machine_error(box_with("[\"cpu\", \"gpu0\", 'gpu1']", fmt::format("[{}]", ends))),
            "box.toml: the links have more than 65535 directions in all");
}

TEST(MachineToml, UnknownAndMissingKeys) {
  EXPECT_EQ(machine_error(box_with("bandwidth = \"80", "bandwith = \"80")),
            "box.toml:30: links.bandwith: no such key; did you mean 'bandwidth'?");
  EXPECT_EQ(machine_error(box_with("switches", "switch")), "box.toml:3: switch: no such key; did you mean 'switches'?");
  EXPECT_EQ(machine_error(box_with("bandwidth = \"80 Gbit/s\"\n", "")), "box.toml:27: links.bandwidth: is missing");
  EXPECT_EQ(
      machine_error(box_with("\"k40\"", "\"k4O\"")),
      "box.toml:13: devices.kind: is missing; the library has no model 'k4O' to take it from; did you mean 'k40'?");
  EXPECT_EQ(machine_error(box_with("name = \"box\"\n", "")), "box.toml:1: name: is missing; a machine needs one");
  EXPECT_EQ(machine_error(box_with("memory = 4096\n", "")),
            "box.toml:18: devices.memory: is missing; the library has no model 'mine' to take it from");
  EXPECT_EQ(
      machine_error(box_with("pool = \"ram\"", "pool = \"ram\"\nmemory = \"1 GiB\"")),
      "box.toml:11: devices.memory: the device uses a pool, whose memory counts; leave one out, or say pool_limit");
  EXPECT_EQ(machine_error("name = \"x\"\ndevices = 3\n"),
            "box.toml:2: devices: expected tables that begin with [[devices]], found a whole number");
  EXPECT_EQ(machine_error("name = \"x\"\nformat = \"berth-machine/2\"\n"),
            "box.toml:2: format: 'berth-machine/2' is not read here; this is \"berth-machine/1\"");
}

TEST(MachineToml, PoolLimitsAreReadAndWritten) {
  const std::string text =
      "name = \"mac\"\npools = [{ name = \"ram\", memory = \"64 GiB\" }]\n"
      "devices = [{ name = \"cpu\", kind = \"cpu\", flops = \"1 TFLOP/s\", bandwidth = \"200 GB/s\", pool = \"ram\", "
      "pool_limit = \"48 GiB\" }]\n";
  const Machine machine = read_machine_toml(text, "mac.toml").value();
  EXPECT_EQ(machine.device(DeviceId{0}).pool_limit, Bytes{48} << 30);
  EXPECT_EQ(read_machine_toml(write_machine_toml(machine), "again").value().device(DeviceId{0}).pool_limit,
            Bytes{48} << 30);
  std::string alone = text;
  alone.replace(alone.find("pool = \"ram\", "), 14, "memory = \"1 GiB\", ");
  EXPECT_EQ(machine_error(alone), "box.toml:3: device 'cpu': pool_limit without a pool");
}

TEST(MachineToml, MistakesOfTheMachineNameTheEntry) {
  EXPECT_EQ(machine_error(box_with("'gpu1'", "'gpu2'")),
            "box.toml:27: link hub - gpu2: no device or switch named 'gpu2'; did you mean 'gpu0'?");
  EXPECT_EQ(machine_error(box_with("name = \"gpu1\"", "name = \"gpu0\"")),
            "box.toml:18: device 'gpu0': the name is taken; names must differ");
  EXPECT_EQ(machine_error(box_with("pool = \"ram\"", "pool = \"rum\"")),
            "box.toml:7: device 'cpu': no memory pool named 'rum'; did you mean 'ram'?");
  EXPECT_EQ(machine_error(box_with("[\"hub\"]", "[\"hub\", \"cpu\"]")),
            "box.toml:3: switch 'cpu': the name is taken; names must differ");
  EXPECT_EQ(machine_error(box_with("lanes = 2", "lanes = 0")),
            "box.toml:13: device 'gpu0': lanes must be between 1 and 1000000, not 0");
  EXPECT_EQ(machine_error(box_with(", 'gpu1'", "")),
            "box.toml: no way from 'gpu1' to 'cpu': link them, or both to a CPU or a switch (nothing else relays)");
  EXPECT_EQ(machine_error("name = \"x\"\n"), "box.toml: a machine needs at least one device");
}

TEST(MachineToml, ErrorsStayShort) {
  const std::string endless(500'000, 'x');
  EXPECT_EQ(machine_error(box_with("gpu0", endless)), "box.toml:13: device 2: its name is too long");
  EXPECT_EQ(machine_error(box_with("pcie", endless)), "box.toml:27: link hub - cpu: the name of its bus is too long");
  const std::string message = machine_error(box_with("\"hub\"\nto", "\"" + endless + "\"\nto"));
  EXPECT_TRUE(message.starts_with("box.toml:27: link xxx") && message.ends_with("x ...")) << message;
  EXPECT_LT(message.size(), 1100u);
}

// docs/machines.md shows files that can be read, and leaves out no machine and no device.
TEST(MachineToml, TheDocumentationIsTrue) {
  const std::string page = *read_file((source_folder() / "docs/machines.md").string());
  int blocks = 0;
  constexpr std::string_view kOpen = "```toml\n", kClose = "```";
  for (std::size_t at = page.find(kOpen); at != std::string::npos; at = page.find(kOpen, at)) {
    at += kOpen.size();
    EXPECT_EQ(machine_error(page.substr(at, page.find(kClose, at) - at)), "no error") << page.substr(at, 80);
    ++blocks;
  }
  EXPECT_EQ(blocks, 3);
  for (const MachineInfo& info : builtin_machines()) {
    EXPECT_NE(page.find(fmt::format("`{}`", info.name)), std::string::npos) << info.name;
  }
  for (const DeviceModel& model : device_models()) {
    EXPECT_NE(page.find(fmt::format("| `{}`: {} |", model.name, model.summary)), std::string::npos) << model.name;
  }
}

}  // namespace
}  // namespace berth
