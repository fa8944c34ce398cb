// SPDX-License-Identifier: Apache-2.0
#include "exec/probe/probe.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "exec/devices/allocator.h"
#include "exec/devices/cpus.h"
#include "exec/devices/gpu_driver.h"
#include "exec/probe/probe_device.h"
#include "machine/devices.h"
#include "measure/accuracy.h"
#include "measure/device_spec.h"
#include "problem/cost/efficiency.h"

namespace berth::exec {
namespace {

constexpr std::array<Bytes, 4> kCopySizes{4096, 262144, 4194304, 67108864};
// Larger ones get pages of the system anew every time, which says nothing about the tensors that most graphs have.
constexpr std::array<Bytes, 4> kCopySizesOfParts{4096, 262144, 4194304, 16777216};

// What Linux could give to programs without swapping.
Bytes available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    if (word != "MemAvailable:") continue;
    Bytes kib = 0;
    file >> kib;
    return kib * 1024;
  }
  return Bytes{1} << 30;
}

// Peak for which the cost model gives the measured rate.
double product_peak(DeviceKind kind, double rate) {
  return rate / efficiency(kind, CostClass::kMatmul, Units::kPlain).arithmetic;
}

double stream_peak(DeviceKind kind, const DeviceRates& rates) {
  const Efficiency& row = efficiency(kind, CostClass::kElementwise, Units::kPlain);
  const auto bytes = static_cast<double>(rates.stream_bytes);
  return rates.stream_bytes_per_s / row.traffic * (1.0 + row.spill * bytes / (bytes + kCacheBytes));
}

// The smallest op less what the cost model says that its work takes.
double launch_of(DeviceKind kind, const DeviceRates& rates) {
  const double kernel_s =
      kind == DeviceKind::kCpu ? efficiency(kind, CostClass::kElementwise, Units::kPlain).fixed_s : 0.0;
  return std::max(rates.launch_s - kernel_s, 0.1 * rates.launch_s);
}

// One way from a thread that has something to one that waits for it.
double handover_s(int tries, int core_of_other) {
  std::mutex mutex;
  std::condition_variable wake;
  int turn = 0;
  std::thread other([&] {
    use_cores(std::array{core_of_other}, 1);
    std::unique_lock lock(mutex);
    for (int i = 0; i < tries; ++i) {
      wake.wait(lock, [&] { return turn == 1; });
      turn = 0;
      wake.notify_all();
    }
  });
  const auto start = std::chrono::steady_clock::now();
  {
    std::unique_lock lock(mutex);
    for (int i = 0; i < tries; ++i) {
      turn = 1;
      wake.notify_all();
      wake.wait(lock, [&] { return turn == 0; });
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  other.join();
  return seconds / (2.0 * tries);
}

class Prober {
 public:
  explicit Prober(const ProbeOptions& options) : options_(options) {}

  Result<Probed> run() {
    const int cores = cores_here();
    if (options_.parts < 1 || options_.parts > cores) {
      return bad_input("--split {}: this computer has {} cores", options_.parts, cores);
    }
    last_core_ = cores - 1;
    install_counting_allocator();  // as plans are run: freed memory is kept
    probe_cpu(cores);
    BERTH_RETURN_IF_ERROR(probe_gpus());
    const Topology topology = topology_here();
    std::string description = fmt::format("this computer, measured; {}", berth::exec::describe(topology));
    const Execution execution{.accuracy = probed_accuracy(devices_)};
    BERTH_TRY(Machine machine, Machine::make("host", std::move(description), devices_, {}, {}, links_, execution));
    return Probed{std::move(machine), std::move(points_), std::move(notes_)};
  }

 private:
  void probe_cpu(int cores) {
    const std::string first = options_.parts == 1 ? "cpu" : "cpu0";
    DeviceRates rates;
    LinkRates link;
    double launch_s = 0.0;
    // A thread of its own: it is bound to the cores of one part.
    std::thread([&] {
      const c10::InferenceMode no_gradients(true);
      std::vector<int> mine;
      for (int core = 0; core < cores / options_.parts; ++core) mine.push_back(core);
      use_cores(mine);
      rates = measure_rates(first, nullptr, options_, points_);
      launch_s = launch_of(DeviceKind::kCpu, rates);
      points_.push_back({first, "launch", 4.0, launch_s, "s"});
      if (options_.parts > 1) link = probe_copies_between_parts();
    }).join();
    const Bytes memory = available_memory() / options_.parts;
    for (int part = 0; part < options_.parts; ++part) {
      Device device;
      device.name = options_.parts == 1 ? "cpu" : fmt::format("cpu{}", part);
      device.model = "host-cpu";
      device.kind = DeviceKind::kCpu;
      device.memory = memory;
      for (const auto& [dtype, rate] : rates.product_flops) {
        device.flops_per_s[dtype] = product_peak(DeviceKind::kCpu, rate);
      }
      device.bytes_per_s = stream_peak(DeviceKind::kCpu, rates);
      device.launch_s = launch_s;
      device.async = false;
      for (const Device& other : devices_) {
        links_.push_back(
            {.from = other.name, .to = device.name, .bytes_per_s = link.bytes_per_s, .latency_s = link.latency_s});
      }
      devices_.push_back(std::move(device));
    }
  }

  LinkRates probe_copies_between_parts() {
    std::vector<std::pair<Bytes, double>> times;
    const double handover = handover_s(200, last_core_);
    for (const Bytes bytes : kCopySizesOfParts) {
      const at::Tensor tensor = at::ones({bytes / 4});
      const double seconds = handover + best_seconds(
                                            {}, [&] { (void)tensor.clone(); }, [] {});
      times.emplace_back(bytes, seconds);
      points_.push_back({"cpu0>cpu1", "copy", static_cast<double>(bytes), seconds, "s"});
    }
    return fit_link(times);
  }

  Status probe_gpus() {
    const std::vector<DriverGpu> seen = driver_gpus(!at::hasCUDA());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const std::string name = fmt::format("gpu{}", i);
      if (options_.gpu_parts > 1) {
        BERTH_RETURN_IF_ERROR(probe_parts(static_cast<int>(i), seen[i]));
        continue;
      }
      Result<std::unique_ptr<Accelerator>> opened = Accelerator::open(static_cast<int>(i), 0);
      Device device = table_device(seen[i], name);
      LinkRates to_gpu, to_host;
      if (opened) {
        measure_gpu(**opened, device, to_gpu, to_host);
      } else {
        notes_.push_back(fmt::format("{}: {}; its arithmetic is that of the device table ({})", name,
                                     opened.error().message, device.model));
        links_of_driver(seen[i], name, to_gpu, to_host);
      }
      if (seen[i].free_memory > 0) device.memory = seen[i].free_memory;
      if (to_gpu.bytes_per_s <= 0.0) {
        notes_.push_back(fmt::format("{}: copies could not be tried; PCIe 4.0 stands for them", name));
        to_gpu = to_host = {.latency_s = 1e-5, .bytes_per_s = 25e9};
      }
      add_gpu(std::move(device), to_gpu, to_host);
    }
    return {};
  }

  // The first part is measured, alone; the others are like it.
  Status probe_parts(int number, const DriverGpu& seen) {
    constexpr int kStep = 8;  // the driver rounds up to a multiple of it
    BERTH_TRY(const int all, divisible_multiprocessors(number));
    const int each = all / options_.gpu_parts / kStep * kStep;
    const std::vector<int> sizes(static_cast<std::size_t>(options_.gpu_parts), each);
    BERTH_TRY(const auto parts, Accelerator::open_parts(number, sizes));
    Device device = table_device(seen, fmt::format("gpu{}a", number));
    LinkRates to_gpu, to_host, between;
    std::thread([&] {
      measure_gpu(*parts.front(), device, to_gpu, to_host);
      between = probe_copies_between_gpu_parts(*parts.front(), device.name);
    }).join();
    device.memory = (seen.free_memory > 0 ? seen.free_memory : device.memory) / options_.gpu_parts;
    for (int part = 0; part < options_.gpu_parts; ++part) {
      device.name = fmt::format("gpu{}{}", number, static_cast<char>('a' + part));
      for (int other = 0; other < part; ++other) {
        links_.push_back({.from = fmt::format("gpu{}{}", number, static_cast<char>('a' + other)),
                          .to = device.name,
                          .bytes_per_s = between.bytes_per_s,
                          .latency_s = between.latency_s});
      }
      add_gpu(device, to_gpu, to_host);
    }
    notes_.push_back(
        fmt::format("run plans with --devices ...{}; parts share the memory's bandwidth, which was measured "
                    "with one part at work",
                    [&] {
                      std::string words;
                      for (int i = 0; i < options_.gpu_parts; ++i) {
                        words += fmt::format(",cuda:{}/{}", number, each);
                      }
                      return words;
                    }()));
    return {};
  }

  LinkRates probe_copies_between_gpu_parts(const Accelerator& gpu, const std::string& name) {
    std::vector<std::pair<Bytes, double>> times;
    for (const Bytes bytes : kCopySizes) {
      const at::Tensor from = at::ones({bytes / 4}, at::TensorOptions(gpu.device())), to = at::empty_like(from);
      const double seconds = best_seconds(
          {},
          [&] {
            to.copy_(from, true);
            gpu.synchronize(gpu.compute());
          },
          [] {});
      times.emplace_back(bytes, seconds);
      points_.push_back({name + ">next", "copy", static_cast<double>(bytes), seconds, "s"});
    }
    return fit_link(times);
  }

  void add_gpu(Device device, const LinkRates& to_gpu, const LinkRates& to_host) {
    for (const Device& cpu : devices_) {
      if (cpu.kind != DeviceKind::kCpu) continue;
      links_.push_back({.from = cpu.name,
                        .to = device.name,
                        .bytes_per_s = to_gpu.bytes_per_s,
                        .latency_s = to_gpu.latency_s,
                        .duplex = Duplex::kOneWay});
      links_.push_back({.from = device.name,
                        .to = cpu.name,
                        .bytes_per_s = to_host.bytes_per_s,
                        .latency_s = to_host.latency_s,
                        .duplex = Duplex::kOneWay});
    }
    devices_.push_back(std::move(device));
  }

  // The row of the table that the driver means; else a plain one, which measurements fill.
  Device table_device(const DriverGpu& gpu, const std::string& name) {
    const DeviceModel* best = device_model_seen_as(gpu.name);
    Device device = best != nullptr ? make_device(*best, name) : plain_device(name, DeviceKind::kGpu);
    if (best == nullptr) {
      notes_.push_back(
          fmt::format("{}: '{}' is not in the device table; its entry here can be copied into any machine file, with a "
                      "model's name of your own",
                      name, gpu.name));
    }
    if (gpu.memory > 0) device.memory = gpu.memory;
    return device;
  }

  void measure_gpu(const Accelerator& gpu, Device& device, LinkRates& to_gpu, LinkRates& to_host) {
    const c10::InferenceMode no_gradients(true);
    gpu.use(gpu.compute());
    const DeviceRates rates = measure_rates(device.name, &gpu, options_, points_);
    for (const auto& [dtype, rate] : rates.product_flops) {
      const bool is_plain = dtype == DType::kF32 || dtype == DType::kF64;
      const double share =
          efficiency(DeviceKind::kGpu, CostClass::kMatmul, is_plain ? Units::kPlain : Units::kTensor).arithmetic;
      device.flops_per_s[dtype] = rate / share;
    }
    device.bytes_per_s = stream_peak(DeviceKind::kGpu, rates);
    device.launch_s = launch_of(DeviceKind::kGpu, rates);
    points_.push_back({device.name, "launch", 4.0, device.launch_s, "s"});
    std::vector<std::pair<Bytes, double>> down, up;
    for (const Bytes bytes : kCopySizes) {
      const at::Tensor here = at::ones({bytes / 4}, at::TensorOptions().pinned_memory(true));
      const at::Tensor there = at::ones({bytes / 4}, at::TensorOptions(gpu.device()));
      const auto finish = [&] { gpu.synchronize(gpu.compute()); };
      const auto one_by_one = [&](const at::Tensor& to, const at::Tensor& from) {
        return best_seconds(
            {},
            [&] {
              to.copy_(from, true);
              finish();
            },
            [] {});
      };
      down.emplace_back(bytes, one_by_one(there, here));
      up.emplace_back(bytes, one_by_one(here, there));
      points_.push_back({"cpu>" + device.name, "copy", static_cast<double>(bytes), down.back().second, "s"});
      points_.push_back({device.name + ">cpu", "copy", static_cast<double>(bytes), up.back().second, "s"});
    }
    to_gpu = fit_link(down);
    to_host = fit_link(up);
  }

  void links_of_driver(const DriverGpu& gpu, const std::string& name, LinkRates& to_gpu, LinkRates& to_host) {
    std::vector<std::pair<Bytes, double>> down, up;
    for (const DriverGpu::CopyTime& copy : gpu.copies) {
      down.emplace_back(copy.bytes, copy.to_gpu_s);
      up.emplace_back(copy.bytes, copy.to_host_s);
      points_.push_back({"cpu>" + name, "copy", static_cast<double>(copy.bytes), copy.to_gpu_s, "s"});
      points_.push_back({name + ">cpu", "copy", static_cast<double>(copy.bytes), copy.to_host_s, "s"});
    }
    to_gpu = fit_link(down);
    to_host = fit_link(up);
  }

  ProbeOptions options_;
  int last_core_ = 0;  // asked before any thread is bound
  std::vector<Device> devices_;
  std::vector<Link> links_;
  std::vector<ProbePoint> points_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<Probed> probe(const ProbeOptions& options) {
  try {
    return Prober(options).run();
  } catch (const std::exception& error) {
    const std::string_view text = error.what();
    return bad_input("libtorch: {}", text.substr(0, text.find('\n')));
  }
}

}  // namespace berth::exec
