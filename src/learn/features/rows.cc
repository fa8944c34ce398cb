// SPDX-License-Identifier: Apache-2.0
#include "learn/features/rows.h"

namespace berth::learn {

Tensor as_tensor(const Rows& rows) {
  return tensor_of(rows.values, {static_cast<std::int64_t>(rows.count), static_cast<std::int64_t>(rows.width)});
}

}  // namespace berth::learn
