// SPDX-License-Identifier: Apache-2.0
// The device models: processors.
#include <array>

#include "machine/device_rows.h"

namespace berth::device_rows {
namespace {

constexpr std::array kProcessorModels{
    // "Intel Haswell 2300" of the papers: 18 cores at 2.3 GHz. 650 GFLOP/s and 68 GB/s as in exprimo's machine files (4
    // channels of DDR4-2133 are 68.3); AVX2 with FMA could do 1.32 TFLOP/s in f32 on paper, which the TensorFlow of the
    // time came nowhere near. Memory assumed; 145 W is that of a Xeon E5-2699 v3.
    DeviceModel{.name = "haswell-18c",
                .summary = "Intel Haswell, 18 cores at 2.3 GHz (2014)",
                .kind = kCpu,
                .memory = 128 * GiB,
                .peak = {.f32 = 650 * G},
                .bytes_per_s = 68 * G,
                .launch_s = kCpuLaunch,
                .watts = 145,
                .idle_watts = 30},
    // CPUs below: peak = cores x base clock x flop per clock (AVX2 32, AVX-512 64, f32), bandwidth = channels x
    // transfer rate. Two sockets of one host are one device here. Xeon E5-2650 v4, 12 cores at 2.2 GHz, 4 x DDR4-2400,
    // 105 W; 256 GB as in exprimo's machine with P100s.
    DeviceModel{.name = "xeon-2650v4",
                .summary = "Intel Xeon E5-2650 v4, 12 cores (2016)",
                .kind = kCpu,
                .memory = 256 * GiB,
                .peak = {.f32 = 845 * G},
                .bytes_per_s = 76.8 * G,
                .launch_s = kCpuLaunch,
                .watts = 105,
                .idle_watts = 25},
    // 2 x Xeon E5-2698 v4, 20 cores at 2.2 GHz, 4 x DDR4-2400 each, 135 W each; 512 GB: the host of a DGX-1.
    DeviceModel{.name = "xeon-2698v4-x2",
                .summary = "two Intel Xeon E5-2698 v4, 40 cores (2016)",
                .kind = kCpu,
                .memory = 512 * GiB,
                .peak = {.f32 = 2.8 * T},
                .bytes_per_s = 153.6 * G,
                .launch_s = kCpuLaunch,
                .watts = 270,
                .idle_watts = 60},
    // Xeon Gold 6132: 1.8 TFLOP/s, 76.8 GB/s and 395 GB as in exprimo's machine with V100s; 140 W.
    DeviceModel{.name = "xeon-6132",
                .summary = "Intel Xeon Gold 6132, 14 cores (2017)",
                .kind = kCpu,
                .memory = 368 * GiB,
                .peak = {.f32 = 1.8 * T},
                .bytes_per_s = 76.8 * G,
                .launch_s = kCpuLaunch,
                .watts = 140,
                .idle_watts = 35},
    // Host of a Cloud TPU v3-8: 96 virtual CPUs (48 Skylake cores at 2 GHz), 340 GB; bandwidth of 2 x 6 channels
    // DDR4-2666 and watts assumed.
    DeviceModel{.name = "skylake-48c",
                .summary = "host of a Cloud TPU v3-8, 48 Skylake cores (2018)",
                .kind = kCpu,
                .memory = 316 * GiB,
                .peak = {.f32 = 6.1 * T},
                .bytes_per_s = 256 * G,
                .launch_s = kCpuLaunch,
                .watts = 330,
                .idle_watts = 80},
    // EPYC 7742, 64 cores at 2.25 GHz, 8 x DDR4-3200, 225 W. Two of them with 2 TB are the host of a DGX A100.
    DeviceModel{.name = "epyc-7742",
                .summary = "AMD EPYC 7742, 64 cores (2019)",
                .kind = kCpu,
                .memory = 512 * GiB,
                .peak = {.f32 = 4.6 * T},
                .bytes_per_s = 204.8 * G,
                .launch_s = kCpuLaunch,
                .watts = 225,
                .idle_watts = 60},
    DeviceModel{.name = "epyc-7742-x2",
                .summary = "two AMD EPYC 7742, 128 cores (2019)",
                .kind = kCpu,
                .memory = 2048 * GiB,
                .peak = {.f32 = 9.2 * T},
                .bytes_per_s = 409.6 * G,
                .launch_s = kCpuLaunch,
                .watts = 450,
                .idle_watts = 120},
    // 2 x Xeon Platinum 8480C, 56 cores at 2.0 GHz, 8 x DDR5-4800 each, 350 W each; 2 TB: the host of a DGX H100.
    DeviceModel{.name = "xeon-8480c-x2",
                .summary = "two Intel Xeon Platinum 8480C, 112 cores (2023)",
                .kind = kCpu,
                .memory = 2048 * GiB,
                .peak = {.f32 = 14.3 * T},
                .bytes_per_s = 614.4 * G,
                .launch_s = kCpuLaunch,
                .watts = 700,
                .idle_watts = 200},
    // Host of the H200: 16 virtual CPUs of an Emerald Rapids Xeon at 2.1 GHz with 128 GB. Measured: an f32 product of
    // 4096^3 at 1.30 TFLOP/s (the captured graphs reach 1.58), adding two arrays at 79 GB/s (105 with the lines that a
    // write fetches first), the fastest op 3.48 us. Watts assumed: its share of a 350 W socket.
    DeviceModel{.name = "xeon-16c",
                .summary = "16 cores of an Intel Xeon at 2.1 GHz, host of the H200 (2023)",
                .kind = kCpu,
                .memory = 128 * GiB,
                .peak = {.f32 = 2.15 * T},
                .bytes_per_s = 105 * G,
                .launch_s = kCpuLaunch,
                .watts = 110,
                .idle_watts = 30},
    // Core i9-12900K: 8 P-cores x 4.9 GHz x 32 + 8 E-cores x 3.7 GHz x 16, 2 x DDR5-4800, 241 W in turbo; memory
    // assumed.
    DeviceModel{.name = "i9-12900k",
                .summary = "Intel Core i9-12900K, 8 + 8 cores (2021)",
                .kind = kCpu,
                .memory = 64 * GiB,
                .peak = {.f32 = 1.7 * T},
                .bytes_per_s = 76.8 * G,
                .launch_s = kCpuLaunch,
                .watts = 241,
                .idle_watts = 15},
    // Ryzen 9 7950X: 16 cores at 4.5 GHz, 2 x DDR5-5200, 170 W; memory assumed.
    DeviceModel{.name = "ryzen-7950x",
                .summary = "AMD Ryzen 9 7950X, 16 cores (2022)",
                .kind = kCpu,
                .memory = 64 * GiB,
                .peak = {.f32 = 2.3 * T},
                .bytes_per_s = 83.2 * G,
                .launch_s = kCpuLaunch,
                .watts = 170,
                .idle_watts = 25},
    // Core Ultra 7 155H: 6 P-cores x 3.8 GHz x 32 + 8 E-cores x 3 GHz x 16 (sustained clocks assumed), 28 W base power.
    DeviceModel{.name = "core-ultra-cpu",
                .summary = "CPU of an Intel Core Ultra 7 155H, 6 + 8 cores (2023)",
                .kind = kCpu,
                .memory = 32 * GiB,
                .peak = {.f32 = 1.1 * T},
                .bytes_per_s = 119.5 * G,
                .launch_s = kCpuLaunch,
                .watts = 28,
                .idle_watts = 3},
    // CPUs beside a GPU on one chip: cores x assumed clocks x flop per clock (Arm and Apple 32, AVX-512 64), the memory
    // of the whole chip. Clocks and watts were not looked up.
    DeviceModel{.name = "gb10-cpu",
                .summary = "CPU of a DGX Spark, 20 Arm cores (2025)",
                .kind = kCpu,
                .memory = 128 * GiB,
                .peak = {.f32 = 2.1 * T},
                .bytes_per_s = 273 * G,
                .launch_s = kCpuLaunch,
                .watts = 60,
                .idle_watts = 10},
    DeviceModel{.name = "ryzen-ai-max-395",
                .summary = "AMD Ryzen AI Max+ 395, 16 cores (2025)",
                .kind = kCpu,
                .memory = 128 * GiB,
                .peak = {.f32 = 4.1 * T},
                .bytes_per_s = 256 * G,
                .launch_s = kCpuLaunch,
                .watts = 100,
                .idle_watts = 8},
    DeviceModel{.name = "apple-max-cpu",
                .summary = "CPU of an Apple M1 to M4 Max, performance cores (2021)",
                .kind = kCpu,
                .memory = 64 * GiB,
                .peak = {.f32 = 0.82 * T},
                .bytes_per_s = 200 * G,
                .launch_s = kCpuLaunch,
                .watts = 40,
                .idle_watts = 2},
    DeviceModel{.name = "apple-ultra-cpu",
                .summary = "CPU of an Apple M2 or M3 Ultra, performance cores (2023)",
                .kind = kCpu,
                .memory = 192 * GiB,
                .peak = {.f32 = 1.64 * T},
                .bytes_per_s = 400 * G,
                .launch_s = kCpuLaunch,
                .watts = 80,
                .idle_watts = 4},
};

}  // namespace

std::span<const DeviceModel> processors() { return kProcessorModels; }

}  // namespace berth::device_rows
