// SPDX-License-Identifier: Apache-2.0
#include "machine/library.h"

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/text.h"
#include "machine/devices.h"

namespace berth {
namespace {

// What a link achieves for one copy, not its nominal rate. Latencies include the software that starts the copy.
struct Wire {
  double gigabytes_per_s;
  double microseconds;
};

// Host to K40, pinned memory, measured by Microway: 10.04 GB/s. Latency assumed; peers are assumed to reach the same.
constexpr Wire kKeplerPcie{10.04, 15};
// P100 on PCIe 3.0 x16, pinned: 12.15 GB/s to the card, 12.89 back (gearshifft, pull request 82). Latency assumed.
constexpr Wire kPcie3{12, 12};
// PCIe 4.0 x16: 80 % of the nominal 31.5 GB/s. PCIe 4.0 x4 behind a chipset: likewise, and slower to start. Assumed.
constexpr Wire kPcie4{25, 11};
constexpr Wire kPcie4x4{6.3, 15};
// PCIe 5.0 x16 between an H200 and its host, pinned, measured: 11 us to the card, 10 us back, 55 GB/s both ways.
constexpr Wire kPcie5{55, 11};
constexpr Wire kPcie5Back{55, 10};
// Copies from card to card over PCIe: 9.9 to 10.2 GB/s in the test of NVIDIA/nccl issue 814. Latency assumed.
constexpr Wire kPciePeer{10, 12};
// NVLink 2: 25 GB/s nominal a link and direction, of which copies reach about 96 % (assumed).
constexpr Wire kNvlink2{24, 10};
constexpr Wire kNvlink2Double{48, 10};
// A100 to A100 over NVSwitch: 517 GB/s both ways together (NVIDIA/nccl-tests issue 100). Latency assumed.
constexpr Wire kNvswitchA100{258, 10};
// H100 to H100 over NVSwitch: 376 GB/s one way (NVIDIA/nccl issue 1264). Latency assumed.
constexpr Wire kNvswitchH100{376, 10};
// 25 Gbit/s Ethernet at 90 %; latency assumed.
constexpr Wire kEthernet{2.8, 30};
// One of a TPU v3 chip's links: 656 Gbit/s nominal (Jouppi et al., CACM 2020), 85 % of it; between the two cores of a
// chip, and the latencies: assumed.
constexpr Wire kTpuLink{70, 2};
constexpr Wire kTpuOnChip{300, 1};
// Copy within one memory: it is read and written, so half of the 119.5 GB/s; latency assumed.
constexpr Wire kSharedMemory{59.75, 15};

class Description {
 public:
  Description& device(std::string name, std::string_view model) {
    const DeviceModel* found = find_device_model(model);
    BERTH_CHECK(found != nullptr);
    devices_.push_back(make_device(*found, std::move(name)));
    return *this;
  }
  Description& gpus(int count, std::string_view model) {
    for (int i = 0; i < count; ++i) device(gpu(i), model);
    return *this;
  }
  // All devices use one memory.
  Description& pool(std::string name, Bytes memory) {
    for (Device& device : devices_) {
      device.pool = name;
      device.memory = 0;
    }
    pools_.push_back({std::move(name), memory});
    return *this;
  }

  // Of the pool the last device may use only so much.
  Description& limited(Bytes limit) {
    devices_.back().pool_limit = limit;
    return *this;
  }

  Description& full(std::string a, std::string b, Wire wire) {
    return link(std::move(a), std::move(b), wire, Duplex::kFull);
  }
  Description& half_on_bus(std::string a, std::string b, Wire wire, std::string bus) {
    return link(std::move(a), std::move(b), wire, Duplex::kHalf, std::move(bus));
  }
  Description& one_way(std::string from, std::string to, Wire wire, std::string bus = "") {
    return link(std::move(from), std::move(to), wire, Duplex::kOneWay, std::move(bus));
  }
  // Every device sends to all others through a port of its own, one transfer at a time.
  Description& ports(Wire wire) {
    for (const Device& device : devices_) one_way(device.name, "*", wire, device.name + ".port");
    return *this;
  }

  // Ops run region by region, nothing at the same time.
  Description& without_overlap(double region_cost_s) {
    execution_ = {.overlap = false, .region_cost_s = region_cost_s};
    return *this;
  }

  [[nodiscard]] Machine make(std::string_view name, std::string_view description) const {
    auto machine = Machine::make(std::string(name), std::string(description), devices_, pools_, {}, links_, execution_);
    BERTH_CHECK(machine.ok());
    return std::move(machine).value();
  }

  static std::string gpu(int i) { return fmt::format("gpu{}", i); }
  static std::string tpu(int i) { return fmt::format("tpu{}", i); }

 private:
  Description& link(std::string from, std::string to, Wire wire, Duplex duplex, std::string bus = "") {
    links_.push_back({.from = std::move(from),
                      .to = std::move(to),
                      .bytes_per_s = wire.gigabytes_per_s * 1e9,
                      .latency_s = wire.microseconds / 1e6,
                      .duplex = duplex,
                      .bus = std::move(bus)});
    return *this;
  }

  std::vector<Device> devices_;
  std::vector<MemoryPool> pools_;
  std::vector<Link> links_;
  Execution execution_;
};

constexpr auto gpu = Description::gpu;
constexpr auto tpu = Description::tpu;

// The papers' machines: neither says how the cards were linked, so every device has one PCIe port to all others.
template <int kCount>
Machine k40() {
  return Description()
      .device("cpu", "haswell-18c")
      .gpus(kCount, "k40")
      .ports(kKeplerPcie)
      .make(fmt::format("k40x{}", kCount),
            fmt::format("18-core Haswell and {} Tesla K40 over PCIe 3.0, peer to peer", kCount));
}

template <int kCount>
Machine k80() {
  return Description()
      .device("cpu", "haswell-18c")
      .gpus(kCount, "k80")
      .ports(kKeplerPcie)
      .make(fmt::format("k80x{}", kCount),
            fmt::format("18-core Haswell and {} dies of Tesla K80 over PCIe 3.0, peer to peer", kCount));
}

Machine p100x4() {
  return Description()
      .device("cpu", "xeon-2650v4")
      .gpus(4, "p100")
      .ports(kPcie3)
      .make("p100x4", "12-core Xeon and 4 Tesla P100 over PCIe 3.0, peer to peer");
}

// DGX-1 with V100: the hybrid cube mesh of NVLink 2, and PCIe switches with two cards each. Cards without a common
// NVLink copy through the host. Both sockets are one CPU, so the link between them is left out.
Machine v100x8() {
  struct Edge {
    int a, b, links;
  };
  constexpr std::array kCubeMesh{Edge{0, 1, 1}, Edge{0, 2, 1}, Edge{0, 3, 2}, Edge{0, 4, 2},
                                 Edge{1, 2, 2}, Edge{1, 3, 1}, Edge{1, 5, 2}, Edge{2, 3, 2},
                                 Edge{2, 6, 1}, Edge{3, 7, 1}, Edge{4, 5, 1}, Edge{4, 6, 1},
                                 Edge{4, 7, 2}, Edge{5, 6, 2}, Edge{5, 7, 1}, Edge{6, 7, 2}};
  Description dgx;
  dgx.device("cpu", "xeon-2698v4-x2").gpus(8, "v100");
  for (const Edge& edge : kCubeMesh) {
    dgx.full(gpu(edge.a), gpu(edge.b), edge.links == 2 ? kNvlink2Double : kNvlink2);
  }
  for (int i = 0; i < 8; ++i) dgx.one_way("cpu", gpu(i), kPcie3, fmt::format("pcie{}.down", i / 2));
  for (int i = 0; i < 8; ++i) dgx.one_way(gpu(i), "cpu", kPcie3, fmt::format("pcie{}.up", i / 2));
  return dgx.make("v100x8", "DGX-1: 8 Tesla V100 in a cube mesh of NVLink 2, two to a PCIe 3.0 switch");
}

// A switch as a node would store and forward, which doubles the time of a copy; a real NVSwitch passes it on as it
// comes. So the cards are linked directly, each sending to all others through one port. What a card receives is not
// limited.
Machine nvswitch_box(std::string_view name, std::string_view description, std::string_view cpu, std::string_view model,
                     Wire port, Wire host) {
  Description box;
  box.device("cpu", cpu).gpus(8, model);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i != j) box.one_way(gpu(i), gpu(j), port, gpu(i) + ".nvlink");
    }
  }
  for (int i = 0; i < 8; ++i) box.full("cpu", gpu(i), host);
  return box.make(name, description);
}

Machine a100x8() {
  return nvswitch_box("a100x8", "DGX A100: 8 A100 of 80 GB on NVSwitch, PCIe 4.0 to the host", "epyc-7742-x2", "a100",
                      kNvswitchA100, kPcie4);
}

Machine h100x8() {
  return nvswitch_box("h100x8", "DGX H100: 8 H100 of 80 GB on NVSwitch, PCIe 5.0 to the host", "xeon-8480c-x2", "h100",
                      kNvswitchH100, kPcie5);
}

Machine h200() {
  return Description()
      .device("cpu", "xeon-16c")
      .device("gpu0", "h200")
      .one_way("cpu", "gpu0", kPcie5)
      .one_way("gpu0", "cpu", kPcie5Back)
      .make("h200", "16-core Xeon and one H200 over PCIe 5.0, the machine the captured graphs were measured on");
}

Machine flex170() {
  return Description()
      .device("cpu", "i9-12900k")
      .device("gpu0", "flex170")
      .full("cpu", "gpu0", kPcie4)
      .make("flex170", "Core i9-12900K and an Intel Flex 170 over PCIe 4.0");
}

// The same as OpenVINO's HETERO uses it.
Machine flex170_hetero() {
  return Description()
      .device("cpu", "i9-12900k")
      .device("gpu0", "flex170")
      .full("cpu", "gpu0", kPcie4)
      .without_overlap(kHeteroRegionSeconds)
      .make("flex170-hetero", "flex170 as OpenVINO's HETERO uses it: one region of ops after the other");
}

// GeForce cards do not copy to each other: both ways lead through the CPU.
Machine rtx4090_3060() {
  return Description()
      .device("cpu", "ryzen-7950x")
      .device("gpu0", "rtx4090")
      .device("gpu1", "rtx3060")
      .full("cpu", "gpu0", kPcie4)
      .full("cpu", "gpu1", kPcie4x4)
      .make("rtx4090-3060", "desktop with an RTX 4090 on PCIe 4.0 x16 and an RTX 3060 on x4, no peer to peer");
}

Machine a100_v100() {
  Description server;
  server.device("cpu", "epyc-7742").device("gpu0", "a100-pcie").device("gpu1", "v100-pcie");
  server.one_way("cpu", "gpu0", kPcie4).one_way("cpu", "gpu1", kPcie3);
  server.one_way("gpu0", "cpu", kPcie4, "gpu0.port").one_way("gpu0", "gpu1", kPciePeer, "gpu0.port");
  server.one_way("gpu1", "cpu", kPcie3, "gpu1.port").one_way("gpu1", "gpu0", kPciePeer, "gpu1.port");
  return server.make("a100-v100",
                     "server with an A100 of 80 GB on PCIe 4.0 and a V100 of 32 GB on PCIe 3.0, peer to peer");
}

// Handing a tensor over within one memory is a copy here; runtimes that share buffers do better.
Machine core_ultra() {
  return Description()
      .device("cpu", "core-ultra-cpu")
      .device("gpu0", "core-ultra-gpu")
      .device("npu0", "core-ultra-npu")
      .pool("ram", Bytes{32} << 30)
      .half_on_bus("cpu", "gpu0", kSharedMemory, "ram")
      .half_on_bus("cpu", "npu0", kSharedMemory, "ram")
      .half_on_bus("gpu0", "npu0", kSharedMemory, "ram")
      .make("core-ultra", "laptop with a Core Ultra 7 155H: CPU, GPU and NPU in one memory of 32 GB");
}

// A chip whose CPU and GPU share one memory, of which the GPU may use `limit`.
Machine unified(std::string_view name, std::string_view description, std::string_view cpu_model,
                std::string_view gpu_model, Bytes memory, Bytes limit) {
  const double half = find_device_model(gpu_model)->bytes_per_s / 2e9;  // a copy reads and writes
  return Description()
      .device("cpu", cpu_model)
      .device("gpu0", gpu_model)
      .pool("ram", memory)
      .limited(limit)
      .half_on_bus("cpu", "gpu0", {half, 15}, "ram")
      .make(name, description);
}

// 128 GB in the maker's count: 119 GiB, as its driver sees them.
Machine dgx_spark() {
  return unified("dgx-spark", "NVIDIA DGX Spark: GB10, CPU and GPU in one memory of 128 GB", "gb10-cpu", "gb10",
                 Bytes{119} << 30, 0);
}

// As people set it up for language models: the GPU may map 110 GiB (llm-tracker.info); Linux gives it half unless told.
Machine strix_halo() {
  return unified("strix-halo", "Ryzen AI Max+ 395 with a Radeon 8060S, 128 GB in one memory", "ryzen-ai-max-395",
                 "radeon-8060s", Bytes{128} << 30, Bytes{110} << 30);
}

// Metal's working set: three quarters of the memory, which is what it recommends on chips with more than 32 GB.
Machine mac(std::string_view name, std::string_view description, std::string_view cpu, std::string_view gpu_model,
            std::int64_t gibibytes) {
  return unified(name, description, cpu, gpu_model, gibibytes << 30, (gibibytes << 30) / 4 * 3);
}
Machine m1_max() { return mac("m1-max", "Mac with an M1 Max and 64 GB", "apple-max-cpu", "m1-max-gpu", 64); }
Machine m3_max() { return mac("m3-max", "Mac with an M3 Max and 64 GB", "apple-max-cpu", "m3-max-gpu", 64); }
Machine m4_max() { return mac("m4-max", "Mac with an M4 Max and 128 GB", "apple-max-cpu", "m4-max-gpu", 128); }
Machine m2_ultra() {
  return mac("m2-ultra", "Mac with an M2 Ultra and 192 GB", "apple-ultra-cpu", "m2-ultra-gpu", 192);
}
Machine m3_ultra() {
  return mac("m3-ultra", "Mac with an M3 Ultra and 256 GB", "apple-ultra-cpu", "m3-ultra-gpu", 256);
}

Machine mi300x() {
  return Description()
      .device("cpu", "xeon-8480c-x2")
      .device("gpu0", "mi300x")
      .full("cpu", "gpu0", kPcie5)
      .make("mi300x", "server with one Instinct MI300X of 192 GB over PCIe 5.0");
}

// Four chips in a square. A chip has two links to the others and two cores, so every core gets one as its port to the
// other chips; the way across the square costs the same.
Machine tpu_v3x8() {
  Description board;
  board.device("cpu", "skylake-48c");
  for (int i = 0; i < 8; ++i) board.device(tpu(i), "tpu-v3");
  for (int chip = 0; chip < 4; ++chip) board.full(tpu(2 * chip), tpu(2 * chip + 1), kTpuOnChip);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i / 2 != j / 2) board.one_way(tpu(i), tpu(j), kTpuLink, tpu(i) + ".ici");
    }
  }
  for (int i = 0; i < 8; ++i) board.one_way("cpu", tpu(i), kPcie3, fmt::format("pcie{}.down", i / 2));
  for (int i = 0; i < 8; ++i) board.one_way(tpu(i), "cpu", kPcie3, fmt::format("pcie{}.up", i / 2));
  return board.make("tpu-v3x8", "Cloud TPU v3-8: 4 chips of 2 cores and their host");
}

Machine two_hosts() {
  Description hosts;
  hosts.device("cpu0", "xeon-6132").device("cpu1", "xeon-6132").gpus(4, "v100-pcie");
  hosts.full("cpu0", "cpu1", kEthernet);
  for (int host = 0; host < 2; ++host) {
    const std::string cpu = fmt::format("cpu{}", host);
    const std::string a = gpu(2 * host), b = gpu(2 * host + 1);
    hosts.one_way(cpu, a, kPcie3).one_way(cpu, b, kPcie3);
    hosts.one_way(a, cpu, kPcie3, a + ".port").one_way(a, b, kPciePeer, a + ".port");
    hosts.one_way(b, cpu, kPcie3, b + ".port").one_way(b, a, kPciePeer, b + ".port");
  }
  return hosts.make("2xhost", "two hosts with 2 Tesla V100 each, joined by 25 Gbit/s Ethernet");
}

constexpr std::array kMachines{
    MachineInfo{"k40x2", "18-core Haswell + 2 Tesla K40 over PCIe 3 (the papers' machine)", k40<2>},
    MachineInfo{"k40x4", "18-core Haswell + 4 Tesla K40 over PCIe 3", k40<4>},
    MachineInfo{"k40x8", "18-core Haswell + 8 Tesla K40 over PCIe 3", k40<8>},
    MachineInfo{"k80x2", "18-core Haswell + 2 dies of Tesla K80 over PCIe 3", k80<2>},
    MachineInfo{"k80x4", "18-core Haswell + 4 dies of Tesla K80 over PCIe 3", k80<4>},
    MachineInfo{"p100x4", "12-core Xeon + 4 Tesla P100 over PCIe 3", p100x4},
    MachineInfo{"v100x8", "DGX-1: 8 Tesla V100 in a cube mesh of NVLink", v100x8},
    MachineInfo{"a100x8", "DGX A100: 8 A100 80 GB on NVSwitch", a100x8},
    MachineInfo{"h100x8", "DGX H100: 8 H100 80 GB on NVSwitch", h100x8},
    MachineInfo{"h200", "16-core Xeon + one H200 (the captured graphs were measured here)", h200},
    MachineInfo{"flex170", "Core i9-12900K + Intel Flex 170", flex170},
    MachineInfo{"flex170-hetero", "flex170 under OpenVINO's HETERO: nothing at the same time", flex170_hetero},
    MachineInfo{"rtx4090-3060", "desktop: RTX 4090 on x16 + RTX 3060 on x4, no peer to peer", rtx4090_3060},
    MachineInfo{"a100-v100", "server: A100 80 GB + V100 32 GB over PCIe", a100_v100},
    MachineInfo{"core-ultra", "laptop: CPU + integrated GPU + NPU, one memory", core_ultra},
    MachineInfo{"tpu-v3x8", "Cloud TPU v3-8: 8 cores on 4 chips", tpu_v3x8},
    MachineInfo{"dgx-spark", "DGX Spark: GB10, CPU + GPU in one memory of 128 GB", dgx_spark},
    MachineInfo{"strix-halo", "Ryzen AI Max+ 395: CPU + GPU in one memory of 128 GB", strix_halo},
    MachineInfo{"m1-max", "Mac with an M1 Max, 64 GB", m1_max},
    MachineInfo{"m3-max", "Mac with an M3 Max, 64 GB", m3_max},
    MachineInfo{"m4-max", "Mac with an M4 Max, 128 GB", m4_max},
    MachineInfo{"m2-ultra", "Mac with an M2 Ultra, 192 GB", m2_ultra},
    MachineInfo{"m3-ultra", "Mac with an M3 Ultra, 256 GB", m3_ultra},
    MachineInfo{"mi300x", "server with one Instinct MI300X", mi300x},
    MachineInfo{"2xhost", "two hosts with 2 Tesla V100 each, joined by Ethernet", two_hosts},
};

constexpr std::string_view kProcessors = "procx";
// So fast that a tensor of any size takes less than half a picosecond, which the clock rounds to nothing.
constexpr double kFreeBytesPerSecond = 1e30;

// They count as accelerators, so that every planner uses all of them.
Result<Machine> make_processors(std::string_view name) {
  const std::string_view digits = name.substr(kProcessors.size());
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && !digits.starts_with('0');
  if (!whole || count > kMaxDevices) {
    return bad_input("no machine named '{}'; {} takes an N from 1 to {}", name, kProcessorFamily, kMaxDevices);
  }
  std::vector<Device> devices;
  std::vector<Link> links;
  for (std::size_t i = 0; i < count; ++i) {
    devices.push_back(plain_device(fmt::format("p{}", i), DeviceKind::kGpu));
    links.push_back({.from = devices.back().name,
                     .to = "*",
                     .bytes_per_s = kFreeBytesPerSecond,
                     .duplex = Duplex::kOneWay,
                     .contended = false});
  }
  return Machine::make(std::string(name), fmt::format("{} equal processors with links that cost nothing", count),
                       std::move(devices), {}, {}, std::move(links));
}

// Cards that people put into computers of their own.
constexpr std::array<std::string_view, 9> kCards{"rtx3060", "rtx3090",      "rtx4080",   "rtx4090", "rtx5070ti",
                                                 "rtx5090", "rtx-pro-6000", "rx7900xtx", "arc-b580"};

// "rtx3090", "rtx3090x2": no peer to peer, every card on PCIe 4.0 x16 of its own.
std::optional<Machine> cards(std::string_view name) {
  for (const std::string_view card : kCards) {
    if (!name.starts_with(card)) continue;
    const std::string_view rest = name.substr(card.size());
    const bool is_counted = rest.size() == 2 && rest[0] == 'x' && rest[1] >= '1' && rest[1] <= '8';
    if (!rest.empty() && !is_counted) continue;
    const int count = rest.empty() ? 1 : rest[1] - '0';
    Description desktop;
    desktop.device("cpu", "ryzen-7950x").gpus(count, card);
    for (int i = 0; i < count; ++i) desktop.full("cpu", gpu(i), kPcie4);
    return desktop.make(name, fmt::format("16-core desktop with 64 GB and {} {} on PCIe 4.0 x16", count,
                                          find_device_model(card)->summary));
  }
  return std::nullopt;
}

}  // namespace

std::span<const MachineInfo> builtin_machines() { return kMachines; }
std::span<const std::string_view> card_names() { return kCards; }

Result<Machine> builtin_machine(std::string_view name) {
  if (name.starts_with(kProcessors)) return make_processors(name);
  std::vector<std::string_view> names;
  for (const MachineInfo& info : kMachines) {
    if (info.name == name) return info.make();
    names.push_back(info.name);
  }
  if (auto machine = cards(name)) return *std::move(machine);
  names.insert(names.end(), kCards.begin(), kCards.end());
  return bad_input("no machine named '{}'{} (berth machines lists all {}; a file name ends in .toml)", name,
                   did_you_mean(name, names), kMachines.size());
}

}  // namespace berth
