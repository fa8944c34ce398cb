// SPDX-License-Identifier: Apache-2.0
// The numbers of the efficiency table. Fitted rows are printed by berth-fit-costs (docs/cost-model.md has the command); assumed
// rows are written by hand, each with its reason. Columns: class, units, origin, arithmetic, traffic, fixed_s, narrow,
// slice_bytes_per_s, index_s.
#pragma once

#include <array>
#include <string_view>

#include "cost/efficiency.h"

namespace berth {

inline constexpr std::string_view kGpuOrigin = "x";
inline constexpr std::string_view kCpuOrigin = "x";

// clang-format off
inline constexpr std::array kGpuRows{
    Efficiency{CostClass::kMatmul,             Units::kPlain,  Origin::kFitted, 0.745, 0.935, 3.85e-6, 0, 0, 0},
    Efficiency{CostClass::kMatmul,             Units::kTensor, Origin::kAssumed, 0.6, 0.935, 3.85e-6, 0, 0, 0},
    Efficiency{CostClass::kAttention,          Units::kPlain,  Origin::kAssumed, 0.6, 0.9, 5e-6, 0, 0, 0},
    Efficiency{CostClass::kConvPointwise,      Units::kTensor, Origin::kFitted, 0.425, 1.38, 14.5e-6, 0, 0, 0},
    Efficiency{CostClass::kConvPointwise,      Units::kPlain,  Origin::kAssumed, 0.65, 0.9, 14.5e-6, 0, 0, 0},
    Efficiency{CostClass::kConvWindowed,       Units::kTensor, Origin::kFitted, 0.987, 0.26, 16.7e-6, 43, 0, 0},
    Efficiency{CostClass::kConvWindowed,       Units::kPlain,  Origin::kAssumed, 0.65, 0.5, 16.7e-6, 10, 0, 0},
    Efficiency{CostClass::kConvGradPointwise,  Units::kTensor, Origin::kFitted, 0.32, 1.67, 21e-6, 0, 0, 0},
    Efficiency{CostClass::kConvGradPointwise,  Units::kPlain,  Origin::kAssumed, 0.5, 1, 21e-6, 0, 0, 0},
    Efficiency{CostClass::kConvGradWindowed,   Units::kTensor, Origin::kFitted, 0.734, 0.493, 47e-6, 136, 0, 0},
    Efficiency{CostClass::kConvGradWindowed,   Units::kPlain,  Origin::kAssumed, 0.5, 0.5, 47e-6, 10, 0, 0},
    Efficiency{CostClass::kElementwise,        Units::kPlain,  Origin::kFitted, 0, 0.879, 2.06e-6, 0, 0, 0},
    Efficiency{CostClass::kUpdate,             Units::kPlain,  Origin::kAssumed, 0, 0.879, 2.06e-6, 0, 0, 0},
    Efficiency{CostClass::kCopy,               Units::kPlain,  Origin::kFitted, 0, 0.653, 2.23e-6, 0, 0, 0},
    Efficiency{CostClass::kFill,               Units::kPlain,  Origin::kFitted, 0, 0.965, 1.88e-6, 0, 0, 0},
    Efficiency{CostClass::kReduction,          Units::kPlain,  Origin::kFitted, 0, 0.674, 3.35e-6, 0, 0, 0},
    Efficiency{CostClass::kSoftmax,            Units::kPlain,  Origin::kFitted, 0, 0.533, 3e-6, 0, 0, 0},
    Efficiency{CostClass::kSoftmaxGrad,        Units::kPlain,  Origin::kFitted, 0, 0.576, 3.7e-6, 0, 0, 0},
    Efficiency{CostClass::kBatchNorm,          Units::kPlain,  Origin::kFitted, 0, 0.328, 12.6e-6, 0, 1.3e10, 0},
    Efficiency{CostClass::kBatchNormInference, Units::kPlain,  Origin::kFitted, 0, 0.558, 6.25e-6, 0, 0, 0},
    Efficiency{CostClass::kBatchNormGrad,      Units::kPlain,  Origin::kFitted, 0, 0.525, 0.48e-6, 0, 8.2e9, 0},
    Efficiency{CostClass::kLayerNorm,          Units::kPlain,  Origin::kFitted, 0, 0.6, 3e-6, 0, 0, 0},
    Efficiency{CostClass::kLayerNormGrad,      Units::kPlain,  Origin::kFitted, 0, 0.4, 3e-6, 0, 0, 0},
    Efficiency{CostClass::kPool,               Units::kPlain,  Origin::kFitted, 0, 0.415, 36e-6, 0, 0, 0},
    Efficiency{CostClass::kPoolGrad,           Units::kPlain,  Origin::kFitted, 0, 0.226, 70e-6, 0, 0, 0},
    Efficiency{CostClass::kGather,             Units::kPlain,  Origin::kFitted, 0, 1.98, 4.7e-6, 0, 0, 0},
    Efficiency{CostClass::kScatter,            Units::kPlain,  Origin::kFitted, 0, 0.865, 6.25e-6, 0, 0, 0},
    Efficiency{CostClass::kLossGrad,           Units::kPlain,  Origin::kFitted, 0, 0.865, 6.25e-6, 0, 0, 0},
    Efficiency{CostClass::kNothing,            Units::kPlain,  Origin::kAssumed, 0, 0, 0, 0, 0, 0},
};

inline constexpr std::array kCpuRows = kGpuRows;
// clang-format on

}  // namespace berth
