// SPDX-License-Identifier: Apache-2.0
#include "model/weights.h"

#include <algorithm>

namespace berth {

Role role_of_stored(const Value& value) {
  if (!value.dtype || !value.shape) return Role::kConstant;
  const bool has_one = std::ranges::all_of(*value.shape, [](const Dim& dim) { return dim.size == 1; });
  const bool is_narrow = bits_of(*value.dtype) <= 8 && *value.dtype != DType::kBool;
  const bool is_weight = is_floating(*value.dtype) || (is_narrow && value.shape->size() >= 2);
  return is_weight && !has_one ? Role::kParameter : Role::kConstant;
}

}  // namespace berth
