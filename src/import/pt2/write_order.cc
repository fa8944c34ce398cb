// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/write_order.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "ops/op_table.h"

namespace berth {
namespace {

// "add_" of "aten.add_.Tensor".
std::string_view base_name(std::string_view type) {
  const std::size_t begin = type.find('.');
  if (begin == std::string_view::npos) return {};
  type.remove_prefix(begin + 1);
  return type.substr(0, type.find('.'));
}

bool writes_first_input(std::string_view name) { return name.ends_with('_') && !name.starts_with("__"); }

// Its outputs are, or may be, the bytes of its first input. Better one too many than one too few: it is then ordered
// like the original.
bool may_alias(Effect effect) {
  return effect == Effect::kView || effect == Effect::kViewIfSameType || effect == Effect::kViewUnlessTraining ||
         effect == Effect::kViewOfState || effect == Effect::kMayView;
}

// Of those that may alias: whether it may also read the bytes, when the layout in memory or the type wants it.
bool may_copy(std::string_view name, Effect effect) {
  return effect != Effect::kView || name == "flatten" || name == "reshape";
}

}  // namespace

Pt2WriteOrder::Origin Pt2WriteOrder::origin(ValueIndex value) const {
  const auto found = origins_.find(value);
  return found != origins_.end() ? found->second : Origin{.storage = value};
}

void Pt2WriteOrder::add(std::uint32_t index, Node& node) {
  const std::string_view name = base_name(node.type);
  const OpInfo info = find_op(Dialect::kAten, node.type).value_or(OpInfo{});
  const bool writes = writes_first_input(name) && !node.inputs.empty();
  const bool aliases = !writes && may_alias(info.effect) && !node.inputs.empty();
  std::set<std::uint32_t> before;
  for (const ValueIndex input : node.inputs) {
    if (aliases && !may_copy(name, info.effect)) break;  // looks at no bytes; whoever reads its output does
    const Origin from = origin(input);
    Storage& storage = storages_[from.storage];
    if (storage.writer && from.written_by < *storage.writer + 1) before.insert(*storage.writer);
    storage.readers.push_back(index);
  }
  const Origin first = node.inputs.empty() ? Origin{} : origin(node.inputs.front());
  if (writes) {
    Storage& storage = storages_[first.storage];
    before.insert(storage.readers.begin(), storage.readers.end());
    before.erase(index);
    storage = {.writer = index};
  }
  for (const ValueIndex input : node.inputs) {  // waits for their makers anyway
    if (const auto maker = makers_.find(input); maker != makers_.end()) before.erase(maker->second);
  }
  for (const ValueIndex output : node.outputs) {
    makers_[output] = index;
    origins_[output] = aliases ? first : Origin{writes ? first.storage : output, index + 1};
  }
  node.control.assign(before.begin(), before.end());
}

}  // namespace berth
