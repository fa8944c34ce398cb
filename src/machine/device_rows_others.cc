// SPDX-License-Identifier: Apache-2.0
// The device models: accelerators of AMD, Intel, Apple and Google.
#include <array>

#include "machine/device_rows.h"

namespace berth::device_rows {
namespace {

constexpr std::array kOtherModels{
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
    // sheet), 750 W.
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
    // (llm-tracker.info), half of it in f32; LPDDR5X-8000 on 256 bits, 256 GB/s (212 measured there). Watts assumed.
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
    // so half of it for i8 and a quarter for f16. Launch assumed.
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
    // GHz) and M4 Max (13.74 with 32 cores, 546 GB/s) from hmc-tech.com and Apple's announcement; M2 Ultra 800 GB/s,
    // its peak twice that of an M2 Max, and the M3 Ultra, twice an M3 Max with 819 GB/s, were not looked up. Products
    // in f16 run at the f32 rate. Launch and watts assumed. Memory: the largest that is sold; machines say what they
    // have.
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
    // power min/mean/max 123/220/262 W. f32 products run through the bf16 units at default precision. Steps are
    // compiled, so ops start without the host: launch assumed.
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
    // times that. It shares 128-bit LPDDR5X-7467 (119.5 GB/s) with CPU and NPU. Launch and watts assumed.
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
    // Launch and watts assumed.
    DeviceModel{.name = "core-ultra-npu",
                .summary = "NPU of an Intel Core Ultra 7 155H (2023)",
                .kind = DeviceKind::kNpu,
                .memory = 16 * GiB,
                .peak = {.f32 = 5.5 * T, .f16 = 5.5 * T, .i8 = 11 * T},
                .bytes_per_s = 119.5 * G,
                .launch_s = 20 * us,
                .watts = 8,
                .idle_watts = 0.5},
};

}  // namespace

std::span<const DeviceModel> other_accelerators() { return kOtherModels; }

}  // namespace berth::device_rows
