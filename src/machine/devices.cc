// SPDX-License-Identifier: Apache-2.0
// Figures are peaks as the vendor states them; what is achieved of them is the cost model's business. Where a comment
// says "assumed", nobody measured it for us. Idle watts are assumed unless said otherwise.
#include "machine/devices.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "base/text.h"

namespace berth {
namespace {

// These round like the unit parser's, so that "15 us" in a file is the same number as 15 * us here.
constexpr double T = 1e12, G = 1e9;  // NOLINT(readability-identifier-naming): FLOP/s and bytes/s
struct Microsecond {};
constexpr Microsecond us;  // NOLINT(readability-identifier-naming)
constexpr double operator*(double count, Microsecond) { return count / 1e6; }
constexpr Bytes MiB = Bytes{1} << 20;  // NOLINT(readability-identifier-naming)
constexpr Bytes GiB = Bytes{1} << 30;  // NOLINT(readability-identifier-naming)

constexpr auto kCpu = DeviceKind::kCpu;
constexpr auto kGpu = DeviceKind::kGpu;

// Eager launch from Python, launches queued back to back, measured on the H200's host. The host bounds it, so it is
// assumed for every other card from Pascal on.
constexpr double kEagerLaunch = 7.39 * us;
// Time a K80 stays busy after an op of non-zero cost in the published Placeto simulator, which was fitted to AWS p2
// machines; assumed for the K40.
constexpr double kKeplerLaunch = 5.7 * us;
// The fastest op of the captured graphs on the 16-core Xeon (3.48 us); assumed for every CPU.
constexpr double kCpuLaunch = 3.5 * us;

constexpr std::array kModels{
    // NVIDIA Tesla K40 board specification: 15 SMX x 192 cores x 2 x 745 MHz = 4.29 TFLOP/s (boost 875 MHz not
    // counted), f64 a
    // third, 12 GB GDDR5 (11.2 GiB are left with ECC on), 288 GB/s, 235 W.
    DeviceModel{.name = "k40",
                .summary = "NVIDIA Tesla K40, 12 GB (2013)",
                .kind = kGpu,
                .memory = 12 * GiB,
                .peak = {.f32 = 4.29 * T, .f64 = 1.43 * T},
                .bytes_per_s = 288 * G,
                .launch_s = kKeplerLaunch,
                .watts = 235,
                .idle_watts = 20,
                .family = DeviceFamily::kNvidiaCard},
    // One of the two dies of an NVIDIA Tesla K80: 13 SMX x 192 x 2 x 562 MHz = 2.8 TFLOP/s (4.1 at 824 MHz boost), 12
    // GB,
    // 240.6 GB/s; the board draws 300 W.
    DeviceModel{.name = "k80",
                .summary = "one die of an NVIDIA Tesla K80, 12 GB (2014)",
                .kind = kGpu,
                .memory = 12 * GiB,
                .peak = {.f32 = 2.8 * T, .f64 = 0.93 * T},
                .bytes_per_s = 240.6 * G,
                .launch_s = kKeplerLaunch,
                .watts = 150,
                .idle_watts = 15,
                .family = DeviceFamily::kNvidiaCard},
    // NVIDIA Tesla P100 PCIe datasheet: 9.3 / 18.7 / 4.7 TFLOP/s, 16 GB, 732 GB/s, 250 W.
    DeviceModel{.name = "p100",
                .summary = "NVIDIA Tesla P100 PCIe, 16 GB (2016)",
                .kind = kGpu,
                .memory = 16 * GiB,
                .peak = {.f32 = 9.3 * T, .f64 = 4.7 * T, .f16 = 18.7 * T},
                .bytes_per_s = 732 * G,
                .launch_s = kEagerLaunch,
                .watts = 250,
                .idle_watts = 30,
                .family = DeviceFamily::kNvidiaServer},
    // NVIDIA Tesla V100 datasheet, SXM2 and PCIe columns (the f16 peak is the tensor cores').
    DeviceModel{.name = "v100",
                .summary = "NVIDIA Tesla V100 SXM2, 32 GB (2018)",
                .kind = kGpu,
                .memory = 32 * GiB,
                .peak = {.f32 = 15.7 * T, .f64 = 7.8 * T, .f16 = 125 * T},
                .bytes_per_s = 900 * G,
                .launch_s = kEagerLaunch,
                .watts = 300,
                .idle_watts = 40,
                .family = DeviceFamily::kNvidiaServer},
    DeviceModel{.name = "v100-pcie",
                .summary = "NVIDIA Tesla V100 PCIe, 32 GB (2018)",
                .kind = kGpu,
                .memory = 32 * GiB,
                .peak = {.f32 = 14 * T, .f64 = 7 * T, .f16 = 112 * T},
                .bytes_per_s = 900 * G,
                .launch_s = kEagerLaunch,
                .watts = 250,
                .idle_watts = 26,
                .family = DeviceFamily::kNvidiaServer},
    // NVIDIA A100 datasheet: SXM 40 GB, SXM 80 GB and PCIe 80 GB columns.
    DeviceModel{
        .name = "a100-40gb",
        .summary = "NVIDIA A100 SXM, 40 GB (2020)",
        .kind = kGpu,
        .memory = 40 * GiB,
        .peak = {.f32 = 19.5 * T, .f64 = 9.7 * T, .tf32 = 156 * T, .f16 = 312 * T, .bf16 = 312 * T, .i8 = 624 * T},
        .bytes_per_s = 1555 * G,
        .launch_s = kEagerLaunch,
        .watts = 400,
        .idle_watts = 50,
        .family = DeviceFamily::kNvidiaServer},
    DeviceModel{
        .name = "a100",
        .summary = "NVIDIA A100 SXM, 80 GB (2020)",
        .kind = kGpu,
        .memory = 80 * GiB,
        .peak = {.f32 = 19.5 * T, .f64 = 9.7 * T, .tf32 = 156 * T, .f16 = 312 * T, .bf16 = 312 * T, .i8 = 624 * T},
        .bytes_per_s = 2039 * G,
        .launch_s = kEagerLaunch,
        .watts = 400,
        .idle_watts = 60,
        .family = DeviceFamily::kNvidiaServer},
    DeviceModel{
        .name = "a100-pcie",
        .summary = "NVIDIA A100 PCIe, 80 GB (2021)",
        .kind = kGpu,
        .memory = 80 * GiB,
        .peak = {.f32 = 19.5 * T, .f64 = 9.7 * T, .tf32 = 156 * T, .f16 = 312 * T, .bf16 = 312 * T, .i8 = 624 * T},
        .bytes_per_s = 1935 * G,
        .launch_s = kEagerLaunch,
        .watts = 300,
        .idle_watts = 50,
        .family = DeviceFamily::kNvidiaServer},
    // NVIDIA H100 datasheet, SXM5 column, without sparsity.
    DeviceModel{.name = "h100",
                .summary = "NVIDIA H100 SXM5, 80 GB (2022)",
                .kind = kGpu,
                .memory = 80 * GiB,
                .peak = {.f32 = 67 * T,
                         .f64 = 34 * T,
                         .tf32 = 494 * T,
                         .f16 = 989 * T,
                         .bf16 = 989 * T,
                         .f8 = 1979 * T,
                         .i8 = 1979 * T},
                .bytes_per_s = 3350 * G,
                .launch_s = kEagerLaunch,
                .watts = 700,
                .idle_watts = 70,
                .family = DeviceFamily::kNvidiaServer},
    // NVIDIA H200 datasheet: the H100's arithmetic, 4.8 TB/s, 700 W. Measured: the memory (what the driver reports as
    // total),
    // the launch, 124 W idle. It reached 51 TFLOP/s in an f32 product of 4096^3 and 4.2 TB/s in a copy.
    DeviceModel{.name = "h200",
                .summary = "NVIDIA H200 SXM, 141 GB (2024)",
                .kind = kGpu,
                .memory = 143'155 * MiB,
                .peak = {.f32 = 67 * T,
                         .f64 = 34 * T,
                         .tf32 = 494 * T,
                         .f16 = 989 * T,
                         .bf16 = 989 * T,
                         .f8 = 1979 * T,
                         .i8 = 1979 * T},
                .bytes_per_s = 4800 * G,
                .launch_s = kEagerLaunch,
                .watts = 700,
                .idle_watts = 124,
                .family = DeviceFamily::kNvidiaServer},
    // NVIDIA Ada and Ampere GA102 whitepapers; tensor peaks with f32 accumulation.
    DeviceModel{.name = "rtx4090",
                .summary = "NVIDIA GeForce RTX 4090, 24 GB (2022)",
                .kind = kGpu,
                .memory = 24 * GiB,
                .peak = {.f32 = 82.6 * T,
                         .f64 = 1.29 * T,
                         .tf32 = 82.6 * T,
                         .f16 = 165.2 * T,
                         .bf16 = 165.2 * T,
                         .f8 = 330.3 * T,
                         .i8 = 660.6 * T},
                .bytes_per_s = 1008 * G,
                .launch_s = kEagerLaunch,
                .watts = 450,
                .idle_watts = 20,
                .family = DeviceFamily::kNvidiaCard,
                .seen_as = "rtx 4090"},
    DeviceModel{
        .name = "rtx3060",
        .summary = "NVIDIA GeForce RTX 3060, 12 GB (2021)",
        .kind = kGpu,
        .memory = 12 * GiB,
        .peak = {.f32 = 12.7 * T, .f64 = 0.2 * T, .tf32 = 12.7 * T, .f16 = 25.5 * T, .bf16 = 25.5 * T, .i8 = 102 * T},
        .bytes_per_s = 360 * G,
        .launch_s = kEagerLaunch,
        .watts = 170,
        .idle_watts = 13,
        .family = DeviceFamily::kNvidiaCard,
        .seen_as = "rtx 3060"},
    // GeForce RTX 3090: f32, the f16 peak of its matrix units (142, with f16 sums), bandwidth and watts as in Tom's
    // Hardware's table; sums in f32 run at half of that, products of i8 at twice (NVIDIA Ampere GA102 whitepaper).
    DeviceModel{
        .name = "rtx3090",
        .summary = "NVIDIA GeForce RTX 3090, 24 GB (2020)",
        .kind = kGpu,
        .memory = 24 * GiB,
        .peak = {.f32 = 35.6 * T, .f64 = 0.56 * T, .tf32 = 35.6 * T, .f16 = 71 * T, .bf16 = 71 * T, .i8 = 284 * T},
        .bytes_per_s = 936 * G,
        .launch_s = kEagerLaunch,
        .watts = 350,
        .idle_watts = 20,
        .family = DeviceFamily::kNvidiaCard,
        .seen_as = "rtx 3090"},
    // GeForce RTX 4080: the same table: 48.7 TFLOP/s, 390 for f16 with sparsity (so 195 without, half of it with f32
    // sums), twice that for f8, 717 GB/s, 320 W.
    DeviceModel{.name = "rtx4080",
                .summary = "NVIDIA GeForce RTX 4080, 16 GB (2022)",
                .kind = kGpu,
                .memory = 16 * GiB,
                .peak = {.f32 = 48.7 * T,
                         .f64 = 0.76 * T,
                         .tf32 = 48.7 * T,
                         .f16 = 97.5 * T,
                         .bf16 = 97.5 * T,
                         .f8 = 195 * T,
                         .i8 = 390 * T},
                .bytes_per_s = 717 * G,
                .launch_s = kEagerLaunch,
                .watts = 320,
                .idle_watts = 15,
                .family = DeviceFamily::kNvidiaCard,
                .seen_as = "rtx 4080"},
    // GeForce RTX 5070 Ti: 8,960 cores (published); clock, bandwidth (256 bits at 28 Gbit/s) and watts not looked up,
    // and
    // peaks in the ratios of the RTX 5090.
    DeviceModel{.name = "rtx5070ti",
                .summary = "NVIDIA GeForce RTX 5070 Ti, 16 GB (2025)",
                .kind = kGpu,
                .memory = 16 * GiB,
                .peak = {.f32 = 43.9 * T,
                         .f64 = 0.69 * T,
                         .tf32 = 43.9 * T,
                         .f16 = 87.9 * T,
                         .bf16 = 87.9 * T,
                         .f8 = 175.8 * T,
                         .i8 = 351.5 * T},
                .bytes_per_s = 896 * G,
                .launch_s = kEagerLaunch,
                .watts = 300,
                .idle_watts = 15,
                .family = DeviceFamily::kNvidiaCard,
                .seen_as = "rtx 5070 ti"},
    // GeForce RTX 5090: 104 TFLOP/s, 1,792 GB/s, 575 W (Linux Format, May 2025); 209.5 for f16 without sparsity
    // (codesota.com,
    // from the datasheet), 838 for f16 with sparsity and f16 sums; f8 and i8 in the ratios of the RTX 4090.
    DeviceModel{.name = "rtx5090",
                .summary = "NVIDIA GeForce RTX 5090, 32 GB (2025)",
                .kind = kGpu,
                .memory = 32 * GiB,
                .peak = {.f32 = 104.8 * T,
                         .f64 = 1.64 * T,
                         .tf32 = 104.8 * T,
                         .f16 = 209.5 * T,
                         .bf16 = 209.5 * T,
                         .f8 = 419 * T,
                         .i8 = 838 * T},
                .bytes_per_s = 1792 * G,
                .launch_s = kEagerLaunch,
                .watts = 575,
                .idle_watts = 30,
                .family = DeviceFamily::kNvidiaCard,
                .seen_as = "rtx 5090"},
    // RTX PRO 6000 Blackwell Workstation Edition: 125 TFLOP/s, 4,000 for f4 with sparsity, 96 GB, 1,792 GB/s, 600 W
    // (announcement of March 2025); f8 is a quarter of 4,000, f16 an eighth: no half rate here.
    DeviceModel{.name = "rtx-pro-6000",
                .summary = "NVIDIA RTX PRO 6000 Blackwell, 96 GB (2025)",
                .kind = kGpu,
                .memory = 96 * GiB,
                .peak = {.f32 = 125 * T,
                         .f64 = 1.95 * T,
                         .tf32 = 250 * T,
                         .f16 = 500 * T,
                         .bf16 = 500 * T,
                         .f8 = 1000 * T,
                         .i8 = 1000 * T},
                .bytes_per_s = 1792 * G,
                .launch_s = kEagerLaunch,
                .watts = 600,
                .idle_watts = 30,
                .family = DeviceFamily::kNvidiaCard,
                .seen_as = "rtx pro 6000"},
    // The GPU of a DGX Spark: 6,144 cores, 1,000 TFLOP/s for f4 with sparsity, 128 GB at 273 GB/s that it shares with
    // 20
    // Arm cores (NVIDIA's sheet, as repeated everywhere); f16 with f32 sums in the ratio of the RTX 5090, f32 at 2.5
    // GHz:
    // worked out. Launch and watts assumed.
    DeviceModel{.name = "gb10",
                .summary = "NVIDIA GB10, the GPU of a DGX Spark, 128 GB shared (2025)",
                .kind = kGpu,
                .memory = 128 * GiB,
                .peak = {.f32 = 30.7 * T,
                         .f64 = 0.48 * T,
                         .tf32 = 30.7 * T,
                         .f16 = 62.5 * T,
                         .bf16 = 62.5 * T,
                         .f8 = 125 * T,
                         .i8 = 250 * T},
                .bytes_per_s = 273 * G,
                .launch_s = kEagerLaunch,
                .watts = 100,
                .idle_watts = 10,
                .family = DeviceFamily::kNvidiaUnified},
    // Radeon RX 7900 XTX: 61.4 TFLOP/s, 960 GB/s, 355 W (Guru3D's table of the launch); f16 and bf16 at twice the f32
    // peak (AMD, 122.8), i8 the same.
    DeviceModel{.name = "rx7900xtx",
                .summary = "AMD Radeon RX 7900 XTX, 24 GB (2022)",
                .kind = kGpu,
                .memory = 24 * GiB,
                .peak = {.f32 = 61.4 * T, .f64 = 1.92 * T, .f16 = 122.8 * T, .bf16 = 122.8 * T, .i8 = 122.8 * T},
                .bytes_per_s = 960 * G,
                .launch_s = kEagerLaunch,
                .watts = 355,
                .idle_watts = 20,
                .family = DeviceFamily::kRadeon,
                .seen_as = "7900 xtx"},
    // Instinct MI300X: 163.4 / 1,307 / 2,614 TFLOP/s, 5.3 TB/s, 192 GB (hmc-tech.com, aiwiki.ai after AMD's data
    // sheet),
    // 750 W.
    DeviceModel{.name = "mi300x",
                .summary = "AMD Instinct MI300X, 192 GB (2023)",
                .kind = kGpu,
                .memory = 192 * GiB,
                .peak = {.f32 = 163.4 * T,
                         .f64 = 81.7 * T,
                         .tf32 = 653.7 * T,
                         .f16 = 1307 * T,
                         .bf16 = 1307 * T,
                         .f8 = 2614 * T,
                         .i8 = 2614 * T},
                .bytes_per_s = 5300 * G,
                .launch_s = kEagerLaunch,
                .watts = 750,
                .idle_watts = 140,
                .family = DeviceFamily::kInstinct},
    // Radeon 8060S of a Ryzen AI Max+ 395 (Strix Halo): 40 units x 512 flop x 2.9 GHz = 59.4 TFLOP/s in f16
    // (llm-tracker.info),
    // half of it in f32; LPDDR5X-8000 on 256 bits, 256 GB/s (212 measured there). Watts assumed.
    DeviceModel{.name = "radeon-8060s",
                .summary = "AMD Radeon 8060S, the GPU of a Ryzen AI Max+ 395, memory shared (2025)",
                .kind = kGpu,
                .memory = 128 * GiB,
                .peak = {.f32 = 29.7 * T, .f16 = 59.4 * T, .bf16 = 59.4 * T, .i8 = 59.4 * T},
                .bytes_per_s = 256 * G,
                .launch_s = kEagerLaunch,
                .watts = 100,
                .idle_watts = 8,
                .family = DeviceFamily::kRadeonUnified,
                .seen_as = "8060s"},
    // Arc B580: 13.67 TFLOP/s, 456 GB/s, 190 W (fpsbench.com); 437 TFLOP/s for i4 on its matrix units (hmc-tech.com),
    // so half of it
    // for i8 and a quarter for f16. Launch assumed.
    DeviceModel{.name = "arc-b580",
                .summary = "Intel Arc B580, 12 GB (2024)",
                .kind = kGpu,
                .memory = 12 * GiB,
                .peak = {.f32 = 13.67 * T, .f64 = 1.71 * T, .f16 = 109 * T, .bf16 = 109 * T, .i8 = 218 * T},
                .bytes_per_s = 456 * G,
                .launch_s = 10 * us,
                .watts = 190,
                .idle_watts = 20,
                .family = DeviceFamily::kIntel,
                .seen_as = "b580"},
    // GPUs of Apple's chips: f32 peaks and bandwidth of M1 Max from akunu's table of generations, M3 Max (14.3 at 1.4
    // GHz)
    // and M4 Max (13.74 with 32 cores, 546 GB/s) from hmc-tech.com and Apple's announcement; M2 Ultra 800 GB/s, its
    // peak
    // twice that of an M2 Max, and the M3 Ultra, twice an M3 Max with 819 GB/s, were not looked up. Products in f16 run
    // at the
    // f32 rate. Launch and watts assumed. Memory: the largest that is sold; machines say what they have.
    DeviceModel{.name = "m1-max-gpu",
                .summary = "GPU of an Apple M1 Max, 32 cores (2021)",
                .kind = kGpu,
                .memory = 64 * GiB,
                .peak = {.f32 = 10.4 * T, .f16 = 10.4 * T, .bf16 = 10.4 * T},
                .bytes_per_s = 400 * G,
                .launch_s = 10 * us,
                .watts = 60,
                .idle_watts = 2,
                .family = DeviceFamily::kApple},
    DeviceModel{.name = "m2-ultra-gpu",
                .summary = "GPU of an Apple M2 Ultra, 76 cores (2023)",
                .kind = kGpu,
                .memory = 192 * GiB,
                .peak = {.f32 = 27.2 * T, .f16 = 27.2 * T, .bf16 = 27.2 * T},
                .bytes_per_s = 800 * G,
                .launch_s = 10 * us,
                .watts = 120,
                .idle_watts = 4,
                .family = DeviceFamily::kApple},
    DeviceModel{.name = "m3-max-gpu",
                .summary = "GPU of an Apple M3 Max, 40 cores (2023)",
                .kind = kGpu,
                .memory = 128 * GiB,
                .peak = {.f32 = 14.3 * T, .f16 = 14.3 * T, .bf16 = 14.3 * T},
                .bytes_per_s = 400 * G,
                .launch_s = 10 * us,
                .watts = 60,
                .idle_watts = 2,
                .family = DeviceFamily::kApple},
    DeviceModel{.name = "m4-max-gpu",
                .summary = "GPU of an Apple M4 Max, 40 cores (2024)",
                .kind = kGpu,
                .memory = 128 * GiB,
                .peak = {.f32 = 17.2 * T, .f16 = 17.2 * T, .bf16 = 17.2 * T},
                .bytes_per_s = 546 * G,
                .launch_s = 10 * us,
                .watts = 60,
                .idle_watts = 2,
                .family = DeviceFamily::kApple},
    DeviceModel{.name = "m3-ultra-gpu",
                .summary = "GPU of an Apple M3 Ultra, 80 cores (2025)",
                .kind = kGpu,
                .memory = 512 * GiB,
                .peak = {.f32 = 28.6 * T, .f16 = 28.6 * T, .bf16 = 28.6 * T},
                .bytes_per_s = 819 * G,
                .launch_s = 10 * us,
                .watts = 140,
                .idle_watts = 4,
                .family = DeviceFamily::kApple},
    // Intel Data Center GPU Flex 170 product brief (16 / 128 / 256) and product page (576 GB/s, 150 W), recollected.
    // Launch assumed.
    DeviceModel{.name = "flex170",
                .summary = "Intel Data Center GPU Flex 170, 16 GB (2022)",
                .kind = kGpu,
                .memory = 16 * GiB,
                .peak = {.f32 = 16 * T, .f16 = 128 * T, .bf16 = 128 * T, .i8 = 256 * T},
                .bytes_per_s = 576 * G,
                .launch_s = 10 * us,
                .watts = 150,
                .idle_watts = 30,
                .family = DeviceFamily::kIntel},
    // Half of a chip, from the page "TPU v3" of the Cloud TPU documentation: 123 TFLOP/s (bf16), 32 GiB, 900 GB/s,
    // power
    // min/mean/max 123/220/262 W. f32 products run through the bf16 units at default precision. Steps are compiled, so
    // ops
    // start without the host: launch assumed.
    DeviceModel{.name = "tpu-v3",
                .summary = "one of two cores of a Google TPU v3 chip, 16 GiB (2018)",
                .kind = DeviceKind::kTpu,
                .memory = 16 * GiB,
                .peak = {.f32 = 61.5 * T, .bf16 = 61.5 * T},
                .bytes_per_s = 450 * G,
                .launch_s = 1 * us,
                .watts = 131,
                .idle_watts = 61.5},
    // Integrated GPU of the Core Ultra 7 155H: 8 Xe cores x 16 engines x 8 lanes x 2 x 2.25 GHz; f16 twice, i8 four
    // times that.
    // It shares 128-bit LPDDR5X-7467 (119.5 GB/s) with CPU and NPU. Launch and watts assumed.
    DeviceModel{.name = "core-ultra-gpu",
                .summary = "integrated GPU of an Intel Core Ultra 7 155H, 8 Xe cores (2023)",
                .kind = kGpu,
                .memory = 16 * GiB,
                .peak = {.f32 = 4.6 * T, .f16 = 9.2 * T, .i8 = 18.4 * T},
                .bytes_per_s = 119.5 * G,
                .launch_s = 10 * us,
                .watts = 20,
                .idle_watts = 1,
                .family = DeviceFamily::kIntel},
    // Its neural unit: 11 TOPS for 8-bit integers as announced, f16 at half of it, and f32 graphs are run in f16.
    // Launch and
    // watts assumed.
    DeviceModel{.name = "core-ultra-npu",
                .summary = "NPU of an Intel Core Ultra 7 155H (2023)",
                .kind = DeviceKind::kNpu,
                .memory = 16 * GiB,
                .peak = {.f32 = 5.5 * T, .f16 = 5.5 * T, .i8 = 11 * T},
                .bytes_per_s = 119.5 * G,
                .launch_s = 20 * us,
                .watts = 8,
                .idle_watts = 0.5},
    // "Intel Haswell 2300" of the papers: 18 cores at 2.3 GHz. 650 GFLOP/s and 68 GB/s as in exprimo's machine files (4
    // channels
    // of DDR4-2133 are 68.3); AVX2 with FMA could do 1.32 TFLOP/s in f32 on paper, which the TensorFlow of the time
    // came
    // nowhere near. Memory assumed; 145 W is that of a Xeon E5-2699 v3.
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
    // transfer rate.
    // Two sockets of one host are one device here.
    // Xeon E5-2650 v4, 12 cores at 2.2 GHz, 4 x DDR4-2400, 105 W; 256 GB as in exprimo's machine with P100s.
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
    // DDR4-2666 and
    // watts assumed.
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
    // 4096^3 at
    // 1.30 TFLOP/s (the captured graphs reach 1.58), adding two arrays at 79 GB/s (105 with the lines that a write
    // fetches
    // first), the fastest op 3.48 us. Watts assumed: its share of a 350 W socket.
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
    // of
    // the whole chip. Clocks and watts were not looked up.
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

std::span<const DeviceModel> device_models() { return kModels; }

const DeviceModel* find_device_model(std::string_view name) {
  for (const DeviceModel& model : kModels) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

DeviceFamily family_of(std::string_view model) {
  const DeviceModel* known = find_device_model(model);
  return known == nullptr ? DeviceFamily::kUnknown : known->family;
}

namespace {

// "NVIDIA GeForce RTX 3090 Ti" is no RTX 3090.
bool means(std::string_view lower, std::string_view word) {
  const std::size_t at = lower.find(word);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = lower.substr(at + word.size());
  return std::ranges::none_of(std::array{" ti", " super", " laptop", " max-q", " d "},
                              [&](std::string_view other) { return rest.starts_with(other); });
}

}  // namespace

const DeviceModel* device_model_seen_as(std::string_view driver_name) {
  std::string lower(driver_name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const DeviceModel* best = nullptr;
  std::size_t longest = 0;
  for (const DeviceModel& model : kModels) {
    const std::string_view word = model.seen_as.empty() ? model.name : model.seen_as;
    if (model.kind != kGpu || word.size() <= longest || !means(lower, word)) continue;
    best = &model;
    longest = word.size();
  }
  return best;
}

std::string suggest_device_model(std::string_view name) {
  std::vector<std::string_view> names;
  for (const DeviceModel& model : kModels) names.push_back(model.name);
  return did_you_mean(name, names);
}

Device make_device(const DeviceModel& model, std::string name) {
  Device device;
  device.name = std::move(name);
  device.model = model.name;
  device.kind = model.kind;
  device.memory = model.memory;
  const std::array<std::pair<DType, double>, 7> peaks{{{DType::kF32, model.peak.f32},
                                                       {DType::kF64, model.peak.f64},
                                                       {DType::kTF32, model.peak.tf32},
                                                       {DType::kF16, model.peak.f16},
                                                       {DType::kBF16, model.peak.bf16},
                                                       {DType::kF8, model.peak.f8},
                                                       {DType::kI8, model.peak.i8}}};
  for (const auto& [dtype, peak] : peaks) {
    if (peak > 0) device.flops_per_s[dtype] = peak;
  }
  device.bytes_per_s = model.bytes_per_s;
  device.launch_s = model.launch_s;
  device.async = model.kind != DeviceKind::kCpu;
  device.watts = model.watts;
  device.idle_watts = model.idle_watts;
  return device;
}

Device plain_device(std::string name, DeviceKind kind) {
  Device device;
  device.name = std::move(name);
  device.model = "plain";
  device.kind = kind;
  device.memory = kUnlimitedMemory;
  device.flops_per_s = {{DType::kF32, 1 * T}};
  device.bytes_per_s = 1000 * G;
  return device;
}

}  // namespace berth
