// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/bodies.h"

#include <algorithm>
#include <cstdlib>

#include "io/openvino/layer_flops.h"

namespace berth::openvino {
namespace {

constexpr double kMostFlops = 1e30;
constexpr int kMostTries = 64;  // slices looked at: a file may have millions, each a search

// Size of the sliced axis of a layer's port; none if it is dynamic or there is no such axis.
std::optional<std::int64_t> size_of_axis(const std::vector<IrPort>& ports, const IrPortMap& map) {
  if (map.external_port < 0) return std::nullopt;
  const auto port = std::ranges::find(ports, static_cast<std::uint64_t>(map.external_port), &IrPort::id);
  if (port == ports.end()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(port->dims.size());
  const std::int64_t axis = *map.axis < 0 ? *map.axis + rank : *map.axis;
  if (axis < 0 || axis >= rank) return std::nullopt;
  const std::int64_t size = port->dims[static_cast<std::size_t>(axis)];
  return size == kDynamic ? std::nullopt : std::optional(size);
}

std::optional<std::int64_t> turns_of(const std::vector<IrPort>& ports, const std::vector<IrPortMap>& maps) {
  int tries = 0;
  for (const IrPortMap& map : maps) {
    if (!map.axis) continue;
    if (++tries > kMostTries) break;
    const auto size = size_of_axis(ports, map);
    if (!size) continue;
    if (*size == 0) return 0;
    // Places are counted from the end if negative; both ends belong to the range, which may run backwards.
    const auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + *size : at, 0, *size); };
    const std::int64_t steps = std::min(std::abs(place(map.end) - place(map.start)), *size - 1);
    return (steps + 1) / map.part_size;
  }
  return std::nullopt;
}

Error too_large(const IrLayer& layer) {
  return bad_input("{}: the sizes inside its body are beyond all reason", describe(layer));
}

// One turn of a body: its flops, and whether all loops inside have known lengths.
Result<BodyWork> one_turn(const IrNet& net) {
  BodyWork turn;
  for (const IrLayer& layer : net.layers) {
    if (layer.bodies.empty()) {
      turn.flops += product_flops(layer);
      continue;
    }
    BERTH_TRY(const BodyWork inner, work_of_bodies(layer));
    turn.flops += inner.flops;
    turn.turns_known = turn.turns_known && inner.turns_known;
  }
  return turn;
}

void collect(const IrLayer& layer, const std::string& outermost, std::vector<BodyConstant>& found) {
  for (const IrBody& body : layer.bodies) {
    for (const IrLayer& inner : body.net.layers) {
      if (is_constant(inner)) found.push_back({fmt::format("{}/{}", outermost, short_name(inner)), &inner});
      if (!inner.bodies.empty()) collect(inner, outermost, found);
    }
  }
}

}  // namespace

Result<BodyWork> work_of_bodies(const IrLayer& layer) {
  BodyWork work;
  for (const IrBody& body : layer.bodies) {
    BERTH_TRY(const BodyWork turn, one_turn(body.net));
    if (!(turn.flops <= kMostFlops)) return too_large(layer);
    work.flops = std::max(work.flops, turn.flops);
    work.turns_known = work.turns_known && turn.turns_known;
  }
  if (layer.bodies.size() == 1) {  // a loop; an If has two
    const IrBody& body = layer.bodies.front();
    auto turns = turns_of(layer.inputs, body.inputs);
    if (!turns) turns = turns_of(layer.outputs, body.outputs);
    work.turns_known = work.turns_known && turns.has_value();
    work.turns = turns.value_or(1);
    work.flops *= static_cast<double>(work.turns);
  }
  if (work.flops > kMostFlops) return too_large(layer);
  return work;
}

std::vector<BodyConstant> constants_of_bodies(const IrLayer& layer) {
  std::vector<BodyConstant> found;
  collect(layer, short_name(layer), found);
  return found;
}

}  // namespace berth::openvino
