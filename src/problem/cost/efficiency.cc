// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/efficiency.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/check.h"

namespace berth {
namespace {

// The numbers of the table. kGpuRows and kCpuRows are printed by berth-fit-costs (docs/cost-model.md has the command):
// paste, do not edit. kGpuAssumedRows is written by hand. Columns: class, units, origin, arithmetic, traffic, fixed_s,
// narrow, slice_bytes_per_s, spill, row_s.
// clang-format off
constexpr std::string_view kGpuOrigin =
    "11 PyTorch graphs measured on one NVIDIA H200 (gpt2.train and nmt4.train held out), shares of 67 TFLOP/s f32, 494 TFLOP/s "
    "tf32, 4.8 TB/s";
constexpr std::array kGpuRows{
    Efficiency{CostClass::kMatmul,               Units::kPlain,   Origin::kFitted,  0.795, 0.82, 4.36e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kConvPointwise,        Units::kTensor,  Origin::kFitted,  0.425, 1.44, 1.43e-05, 6.4, 0, 0, 0},
    Efficiency{CostClass::kConvWindowed,         Units::kTensor,  Origin::kFitted,  0.989, 0.283, 1.73e-05, 51.1, 0, 0, 0},
    Efficiency{CostClass::kConvGradPointwise,    Units::kTensor,  Origin::kFitted,  0.316, 1.61, 2.02e-05, 4.26, 0, 0, 0},
    Efficiency{CostClass::kConvGradWindowed,     Units::kTensor,  Origin::kFitted,  0.735, 0.497, 4.69e-05, 137, 0, 0, 0},
    Efficiency{CostClass::kAttention,            Units::kPlain,   Origin::kAssumed, 0.795, 0.82, 4.36e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kElementwise,          Units::kPlain,   Origin::kFitted,  0, 0.887, 2.06e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kRandom,               Units::kPlain,   Origin::kFitted,  0, 0.659, 2.37e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kUpdate,               Units::kPlain,   Origin::kAssumed, 0, 0.887, 2.06e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kCopy,                 Units::kPlain,   Origin::kFitted,  0, 0.649, 2.23e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kFill,                 Units::kPlain,   Origin::kFitted,  0, 0.859, 1.85e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kReduction,            Units::kPlain,   Origin::kFitted,  0, 0.833, 4.23e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kSoftmax,              Units::kPlain,   Origin::kFitted,  0, 0.6, 3.29e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kSoftmaxGrad,          Units::kPlain,   Origin::kFitted,  0, 0.591, 3.68e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kBatchNorm,            Units::kPlain,   Origin::kFitted,  0, 0.546, 8.96e-06, 0, 1e+10, 0, 6.26e-10},
    Efficiency{CostClass::kBatchNormInference,   Units::kPlain,   Origin::kFitted,  0, 0.691, 4.95e-06, 0, 3.42e+11, 0, 4.95e-10},
    Efficiency{CostClass::kBatchNormGrad,        Units::kPlain,   Origin::kFitted,  0, 0.573, 1.01e-07, 0, 8.16e+09, 0, 8.21e-11},
    Efficiency{CostClass::kLayerNorm,            Units::kPlain,   Origin::kAssumed, 0, 0.6, 3.29e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kLayerNormGrad,        Units::kPlain,   Origin::kAssumed, 0, 0.591, 3.68e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kPool,                 Units::kPlain,   Origin::kFitted,  0, 0.419, 3.65e-05, 0, 0, 0, 0},
    Efficiency{CostClass::kPoolGrad,             Units::kPlain,   Origin::kFitted,  0, 0.143, 6.72e-05, 0, 0, 0, 0},
    Efficiency{CostClass::kGather,               Units::kPlain,   Origin::kFitted,  0, 2, 2.77e-06, 0, 0, 0, 4.3e-10},
    Efficiency{CostClass::kScatter,              Units::kPlain,   Origin::kFitted,  0, 0.915, 8.15e-06, 0, 0, 0, 2.92e-08},
    Efficiency{CostClass::kLossGrad,             Units::kPlain,   Origin::kFitted,  0, 0.887, 4.5e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kNothing,              Units::kPlain,   Origin::kAssumed, 0, 0, 0, 0, 0, 0, 0},
};

// What no measured graph ran: products of half precision on matrix units, and convolutions on ordinary units, which need no
// change of layout and so less fixed time and traffic, as on GPUs before 2017 or in full f32.
constexpr std::string_view kGpuAssumedOrigin = "assumed";
constexpr std::array kGpuAssumedRows{
    Efficiency{CostClass::kMatmul,            Units::kTensor,  Origin::kAssumed, 0.6, 0.8, 5e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kAttention,         Units::kTensor,  Origin::kAssumed, 0.4, 0.8, 5e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kConvPointwise,     Units::kPlain,   Origin::kAssumed, 0.7, 0.8, 5e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kConvWindowed,      Units::kPlain,   Origin::kAssumed, 0.6, 0.6, 1e-05, 16, 0, 0, 0},
    Efficiency{CostClass::kConvGradPointwise, Units::kPlain,   Origin::kAssumed, 0.6, 0.8, 5e-06, 0, 0, 0, 0},
    Efficiency{CostClass::kConvGradWindowed,  Units::kPlain,   Origin::kAssumed, 0.5, 0.6, 1e-05, 16, 0, 0, 0},
};

constexpr std::string_view kCpuOrigin =
    "11 PyTorch graphs measured on 16 cores of a Xeon (gpt2.train and nmt4.train held out), one factor per graph, shares of "
    "2.15 TFLOP/s f32, 105 GB/s";
constexpr std::array kCpuRows{
    Efficiency{CostClass::kMatmul,               Units::kPlain,   Origin::kFitted,  0.49, 2, 3.62e-06, 0, 0, 0.121, 0},
    Efficiency{CostClass::kConvPointwise,        Units::kPlain,   Origin::kFitted,  0.873, 0.195, 3e-06, 84.3, 0, 0.0639, 0},
    Efficiency{CostClass::kConvWindowed,         Units::kPlain,   Origin::kFitted,  0.989, 0.0838, 3e-06, 3.76, 0, 0.0681, 0},
    Efficiency{CostClass::kConvGradPointwise,    Units::kPlain,   Origin::kFitted,  0.989, 0.221, 3e-06, 25.7, 0, 0.829, 0},
    Efficiency{CostClass::kConvGradWindowed,     Units::kPlain,   Origin::kFitted,  0.989, 0.0812, 3e-06, 3.94, 0, 0.0316, 0},
    Efficiency{CostClass::kAttention,            Units::kPlain,   Origin::kAssumed, 0.49, 2, 3.62e-06, 0, 0, 0.121, 0},
    Efficiency{CostClass::kElementwise,          Units::kPlain,   Origin::kFitted,  0, 2, 1.56e-06, 0, 0, 2.18, 0},
    Efficiency{CostClass::kRandom,               Units::kPlain,   Origin::kFitted,  0, 0.00677, 3e-06, 0, 0, 0.086, 0},
    Efficiency{CostClass::kUpdate,               Units::kPlain,   Origin::kAssumed, 0, 2, 1.56e-06, 0, 0, 2.18, 0},
    Efficiency{CostClass::kCopy,                 Units::kPlain,   Origin::kFitted,  0, 2, 1.5e-05, 0, 0, 2.02, 0},
    Efficiency{CostClass::kFill,                 Units::kPlain,   Origin::kFitted,  0, 0.555, 1.85e-06, 0, 0, 1, 0},
    Efficiency{CostClass::kReduction,            Units::kPlain,   Origin::kFitted,  0, 1.94, 2.3e-06, 0, 0, 0.677, 0},
    Efficiency{CostClass::kSoftmax,              Units::kPlain,   Origin::kFitted,  0, 2, 8.41e-06, 0, 0, 10.3, 0},
    Efficiency{CostClass::kSoftmaxGrad,          Units::kPlain,   Origin::kFitted,  0, 2, 8.15e-06, 0, 0, 3.6, 0},
    Efficiency{CostClass::kBatchNorm,            Units::kPlain,   Origin::kFitted,  0, 0.6, 6.72e-05, 0, 3.3e+09, 1.13, 9.25e-10},
    Efficiency{CostClass::kBatchNormInference,   Units::kPlain,   Origin::kFitted,  0, 2, 3e-06, 0, 4.85e+10, 4.92, 5.52e-10},
    Efficiency{CostClass::kBatchNormGrad,        Units::kPlain,   Origin::kFitted,  0, 2, 5.13e-07, 0, 1.14e+11, 4.08, 7.59e-11},
    Efficiency{CostClass::kLayerNorm,            Units::kPlain,   Origin::kAssumed, 0, 2, 8.41e-06, 0, 0, 10.3, 0},
    Efficiency{CostClass::kLayerNormGrad,        Units::kPlain,   Origin::kAssumed, 0, 2, 8.15e-06, 0, 0, 3.6, 0},
    Efficiency{CostClass::kPool,                 Units::kPlain,   Origin::kFitted,  0, 0.0642, 3e-06, 0, 0, 0.743, 0},
    Efficiency{CostClass::kPoolGrad,             Units::kPlain,   Origin::kFitted,  0, 0.0763, 3e-06, 0, 0, 0.925, 0},
    Efficiency{CostClass::kGather,               Units::kPlain,   Origin::kFitted,  0, 2, 2.13e-06, 0, 0, 0.0759, 4.28e-09},
    Efficiency{CostClass::kScatter,              Units::kPlain,   Origin::kFitted,  0, 0.701, 2.34e-06, 0, 0, 6.73, 1e-09},
    Efficiency{CostClass::kLossGrad,             Units::kPlain,   Origin::kFitted,  0, 1.66, 6.45e-06, 0, 0, 2.22, 0},
    Efficiency{CostClass::kNothing,              Units::kPlain,   Origin::kAssumed, 0, 0, 0, 0, 0, 0, 0},
};
// clang-format on

constexpr std::array kTables{
    EfficiencyTable{DeviceKind::kGpu, kGpuOrigin, kGpuRows},
    EfficiencyTable{DeviceKind::kGpu, kGpuAssumedOrigin, kGpuAssumedRows},
    EfficiencyTable{DeviceKind::kCpu, kCpuOrigin, kCpuRows},
};

// Rows by class and units, so that pricing an op is one load.
class Lookup {
 public:
  explicit Lookup(DeviceKind kind) {
    for (const EfficiencyTable& table : kTables) {
      if (table.kind != kind) continue;
      for (const Efficiency& row : table.rows) at(row.cost_class, row.units) = &row;
    }
    for (int i = 0; i < kCostClasses; ++i) {
      const auto cost_class = static_cast<CostClass>(i);
      BERTH_CHECK(at(cost_class, Units::kPlain) != nullptr);
      if (at(cost_class, Units::kTensor) == nullptr) at(cost_class, Units::kTensor) = at(cost_class, Units::kPlain);
    }
  }
  const Efficiency*& at(CostClass cost_class, Units units) {
    return rows_[2 * static_cast<std::size_t>(cost_class) + static_cast<std::size_t>(units)];
  }
  [[nodiscard]] const Efficiency& row(CostClass cost_class, Units units) const {
    return *rows_[2 * static_cast<std::size_t>(cost_class) + static_cast<std::size_t>(units)];
  }

 private:
  std::array<const Efficiency*, 2 * kCostClasses> rows_{};
};

}  // namespace

std::span<const EfficiencyTable> efficiency_tables() { return kTables; }

const Efficiency& efficiency(DeviceKind kind, CostClass cost_class, Units units) {
  static const Lookup gpu(DeviceKind::kGpu), cpu(DeviceKind::kCpu);
  return (kind == DeviceKind::kCpu ? cpu : gpu).row(cost_class, units);
}

}  // namespace berth
