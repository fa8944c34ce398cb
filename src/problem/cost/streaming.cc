// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/streaming.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace berth {
namespace {

constexpr auto kStreamProduct = StreamedOp::kProduct;
constexpr auto kStreamExperts = StreamedOp::kExperts;
constexpr auto kStreamAttention = StreamedOp::kAttention;
constexpr auto kBits16 = WeightBits::kHalf;
constexpr auto kBits8 = WeightBits::kEight;
constexpr auto kBits4 = WeightBits::kFour;

// Columns: op, weights, share of the matrix peak, share of the bandwidth, fixed seconds, narrow, vector.
// clang-format off
constexpr std::array kCardRows{
    StreamingRow{kStreamProduct,   kBits16, 0.93, 0.93, 7.5e-06, 48, 2},
    StreamingRow{kStreamProduct,   kBits8,  0.82, 0.93, 7.5e-06, 48, 2},
    StreamingRow{kStreamProduct,   kBits4,  0.82, 0.93, 7.5e-06, 48, 2},
    StreamingRow{kStreamAttention, kBits16, 0.55, 0.65, 7.5e-06, 0,  1},
};
constexpr std::array kServerRows{
    StreamingRow{kStreamProduct,   kBits16, 0.39, 0.62, 1.6e-05, 48, 2},
    StreamingRow{kStreamProduct,   kBits8,  0.34, 0.62, 1.6e-05, 48, 2},
    StreamingRow{kStreamProduct,   kBits4,  0.34, 0.62, 1.6e-05, 48, 2},
    StreamingRow{kStreamAttention, kBits16, 0.25, 0.50, 1.6e-05, 0,  1},
};
constexpr std::array kUnifiedRows{
    StreamingRow{kStreamProduct,   kBits16, 0.52, 0.93, 7.5e-06, 48, 2},
    StreamingRow{kStreamProduct,   kBits8,  0.48, 0.93, 7.5e-06, 48, 2},
    StreamingRow{kStreamProduct,   kBits4,  0.48, 0.93, 7.5e-06, 48, 2},
    StreamingRow{kStreamAttention, kBits16, 0.55, 0.65, 7.5e-06, 0,  1},
};
constexpr std::array kAppleRows{
    StreamingRow{kStreamProduct,   kBits16, 0.74, 0.87, 2.8e-05, 48, 2},
    StreamingRow{kStreamProduct,   kBits8,  0.68, 0.82, 2.8e-05, 48, 2},
    StreamingRow{kStreamProduct,   kBits4,  0.62, 0.76, 2.8e-05, 48, 2},
    StreamingRow{kStreamAttention, kBits16, 0.50, 0.60, 2.8e-05, 0,  1},
};
constexpr std::array kAmdRows{
    StreamingRow{kStreamProduct,   kBits16, 0.45, 0.75, 1.4e-05, 48, 2},
    StreamingRow{kStreamProduct,   kBits8,  0.40, 0.75, 1.4e-05, 48, 2},
    StreamingRow{kStreamProduct,   kBits4,  0.40, 0.75, 1.4e-05, 48, 2},
    StreamingRow{kStreamAttention, kBits16, 0.29, 0.65, 1.4e-05, 0,  1},
};
constexpr std::array kAmdUnifiedRows{
    StreamingRow{kStreamProduct,   kBits16, 0.24, 0.75, 1.4e-05, 48, 2},
    StreamingRow{kStreamProduct,   kBits8,  0.24, 0.78, 1.4e-05, 48, 2},
    StreamingRow{kStreamProduct,   kBits4,  0.20, 0.78, 1.4e-05, 48, 2},
    StreamingRow{kStreamAttention, kBits16, 0.20, 0.65, 1.4e-05, 0,  1},
};
constexpr std::array kOtherRows{
    StreamingRow{kStreamProduct,   kBits16, 0.36, 0.75, 1.4e-05, 48, 2},
    StreamingRow{kStreamProduct,   kBits8,  0.31, 0.75, 1.4e-05, 48, 2},
    StreamingRow{kStreamProduct,   kBits4,  0.31, 0.75, 1.4e-05, 48, 2},
    StreamingRow{kStreamAttention, kBits16, 0.30, 0.60, 1.4e-05, 0,  1},
};
// Between three computers: four and two cores with AVX2, one with AVX-512, which helps weights of half precision and not
// those of 8 bits. One core alone reads less than the bandwidth that a probe finds by reading and writing. Experts are
// multiplied row by row for a prompt too, by kernels for vectors, with 4 bits by tiles (llama.cpp's mul_mat_id).
constexpr std::array kProcessorRows{
    StreamingRow{kStreamProduct,   kBits16, 0.75, 0.76, 3.0e-06, 4,  0.6},
    StreamingRow{kStreamProduct,   kBits8,  0.70, 0.82, 3.0e-06, 4,  1.4},
    StreamingRow{kStreamProduct,   kBits4,  0.92, 0.74, 3.0e-06, 4,  0.5},
    StreamingRow{kStreamExperts,   kBits16, 0.30, 0.55, 1.0e-05, 4,  0.6},
    StreamingRow{kStreamExperts,   kBits8,  0.30, 0.75, 1.0e-05, 4,  1.0},
    StreamingRow{kStreamExperts,   kBits4,  0.47, 0.50, 1.0e-05, 4,  0.6},
    StreamingRow{kStreamAttention, kBits16, 0.28, 0.60, 3.0e-06, 64, 3.6},
};

constexpr std::array kStreamingTables{
    StreamingTable{"NVIDIA cards", "RTX 3070 to 4090, A6000 and 6000 Ada (XiongjieDai, May 2024); RTX 3090, 4080, 4090 and 5090 with gpt-oss-20b and 8B (llama.cpp pull requests 17505, 20586, 24127; pavlokhmel.com, June 2026)",
                   2.0, 0.0, kCardRows},
    StreamingTable{"NVIDIA servers", "A100 PCIe and SXM, H100 PCIe (XiongjieDai, May 2024); A100 and H200 with gpt-oss-20b (pavlokhmel.com, June 2026)",
                   0.0, 4e14, kServerRows},
    StreamingTable{"NVIDIA, shared memory", "DGX Spark (llama.cpp, benches/dgx-spark.md)", 2.0, 0.0, kUnifiedRows},
    StreamingTable{"Apple", "M1 Max, M2 Ultra, M3 Max (XiongjieDai, May 2024)", 0.0, 0.0, kAppleRows},
    StreamingTable{"AMD", "RX 7900 XTX (llama.cpp pull request 26284)", 0.0, 4e14, kAmdRows},
    StreamingTable{"AMD, shared memory", "Ryzen AI Max+ 395 (community.frame.work 73280, public notes on a MS-S1 MAX)", 0.0, 0.0, kAmdUnifiedRows},
    StreamingTable{"Intel and others", "Arc B580 (intel/ipex-llm issue 12991); taken for cards that nobody knows", 0.0, 0.0, kOtherRows},
    StreamingTable{"CPUs", "Ryzen 9 7950X (ik_llama.cpp, README of July 2024), two cores of a Xeon (llama-cpp-python 0.3.36, measured), one core of an EPYC with AVX-512 (bench/llm_reality, models of medium size; experts too)",
                   0.0, 0.0, kProcessorRows, false},
};
// clang-format on

// Experts without a row of their own are products.
const StreamingRow& row_of(const StreamingTable& table, StreamedType type) {
  for (const StreamedOp op : {type.op, StreamedOp::kProduct}) {
    for (const StreamingRow& row : table.rows) {
      if (row.op == op && row.bits == type.bits) return row;
    }
  }
  BERTH_CHECK(false);
  return table.rows.front();
}

// Arithmetic for so many rows beside that of the widest products. Where kernels for one row are the faster ones, they
// are for few.
double effort_of(const StreamingRow& row, double rows) {
  constexpr double kFewRows = 8.0;
  const double effort = 1.0 + row.narrow / rows;
  return row.vector < 1.0 && rows >= kFewRows ? effort : std::min(row.vector, effort);
}

}  // namespace

std::span<const StreamingTable> streaming_tables() { return kStreamingTables; }

const StreamingTable& streaming_table(const Device& device) {
  if (device.kind == DeviceKind::kCpu) return kStreamingTables[7];
  switch (family_of(device.model)) {
    case DeviceFamily::kNvidiaCard:
      return kStreamingTables[0];
    case DeviceFamily::kNvidiaServer:
      return kStreamingTables[1];
    case DeviceFamily::kNvidiaUnified:
      return kStreamingTables[2];
    case DeviceFamily::kApple:
      return kStreamingTables[3];
    case DeviceFamily::kRadeon:
    case DeviceFamily::kInstinct:
      return kStreamingTables[4];
    case DeviceFamily::kRadeonUnified:
      return kStreamingTables[5];
    default:
      return kStreamingTables[6];
  }
}

double matrix_peak(const StreamingTable& table, const Device& device) {
  const double plain = device.peak_flops(DType::kF32);
  if (device.kind == DeviceKind::kCpu) return plain;
  double peak = std::max(plain, device.peak_flops(DType::kF16));
  if (table.most_per_f32 > 0.0) peak = std::min(peak, table.most_per_f32 * plain);
  return table.most_flops > 0.0 ? std::min(peak, table.most_flops) : peak;
}

StreamedWork streamed_work(const OpFeatures& features, const Device& device) {
  const StreamingTable& table = streaming_table(device);
  const StreamingRow& row = row_of(table, features.streamed);
  const double effort = effort_of(row, std::max(1.0, features.rows));
  return {features.flops / matrix_peak(table, device) * effort, features.bytes / device.bytes_per_s, &row};
}

OpCost estimate_streamed(const OpFeatures& features, const Device& device, const ServedShares& shares) {
  const StreamedWork work = streamed_work(features, device);
  OpCost cost;
  cost.compute_s = work.arithmetic_s / (work.row->matrix * shares.arithmetic);
  const double traffic_s = work.traffic_s / (work.row->traffic * shares.memory);
  const bool overlaps = streaming_table(device).overlaps;
  cost.work_s = (overlaps ? std::max(cost.compute_s, traffic_s) : cost.compute_s + traffic_s) + work.row->fixed_s;
  return cost;
}

}  // namespace berth
