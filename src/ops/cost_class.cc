// SPDX-License-Identifier: Apache-2.0
#include "ops/cost_class.h"

#include <array>

namespace berth {
namespace {

constexpr std::array<std::string_view, kCostClasses> kClassNames{"matmul",
                                                                 "conv pointwise",
                                                                 "conv windowed",
                                                                 "conv grad pointwise",
                                                                 "conv grad windowed",
                                                                 "attention",
                                                                 "elementwise",
                                                                 "random",
                                                                 "update",
                                                                 "copy",
                                                                 "fill",
                                                                 "reduction",
                                                                 "softmax",
                                                                 "softmax grad",
                                                                 "batch norm",
                                                                 "batch norm inference",
                                                                 "batch norm grad",
                                                                 "layer norm",
                                                                 "layer norm grad",
                                                                 "pool",
                                                                 "pool grad",
                                                                 "gather",
                                                                 "scatter",
                                                                 "loss grad",
                                                                 "nothing"};

}  // namespace

std::string_view name_of(CostClass cost_class) { return kClassNames[static_cast<std::size_t>(cost_class)]; }

}  // namespace berth
