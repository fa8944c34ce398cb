// SPDX-License-Identifier: Apache-2.0
// Flops of one layer from the sizes in its ports, 2 per multiply-add; 0 for whatever is no product. Used inside bodies,
// whose layers do not become ops of their own.
#pragma once

#include "io/openvino/ir_net.h"

namespace berth::openvino {

double product_flops(const IrLayer& layer);  // dynamic sizes count as 1

}  // namespace berth::openvino
