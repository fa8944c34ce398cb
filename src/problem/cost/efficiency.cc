// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/efficiency.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "problem/cost/efficiency_rows.h"

namespace berth {
namespace {

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
