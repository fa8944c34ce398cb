// SPDX-License-Identifier: Apache-2.0
#include "import/aten/aten_outputs.h"

#include <algorithm>

namespace berth {

void AtenOutputs::add(std::vector<TensorSpec> tensors, std::vector<bool> mask) {
  const auto existing = static_cast<std::size_t>(std::count(mask.begin(), mask.end(), true));
  const bool is_output_mask = existing == tensors.size() && existing < mask.size();
  ops_.push_back({std::move(tensors), is_output_mask ? std::move(mask) : std::vector<bool>()});
}

const TensorSpec& AtenOutputs::tensor(OutputRef ref) const {
  return ops_[index(ref.op)].tensors[static_cast<std::size_t>(ref.output)];
}

Bytes AtenOutputs::bytes(OutputRef ref) const { return std::max<Bytes>(tensor_bytes(tensor(ref)), 0); }

void AtenOutputs::append_all(OpId op, std::vector<OutputRef>& refs) const {
  const int count = static_cast<int>(ops_[index(op)].tensors.size());
  for (int i = 0; i < count; ++i) refs.push_back({op, i});
}

std::optional<OutputRef> AtenOutputs::pick(OpId op, std::int64_t number) const {
  const Outputs& outputs = ops_[index(op)];
  std::int64_t position = number;
  if (!outputs.mask.empty()) {
    if (number >= std::ssize(outputs.mask) || !outputs.mask[static_cast<std::size_t>(number)]) return std::nullopt;
    position = std::count(outputs.mask.begin(), outputs.mask.begin() + number, true);
  }
  if (position >= std::ssize(outputs.tensors)) return std::nullopt;
  return OutputRef{op, static_cast<int>(position)};
}

}  // namespace berth
