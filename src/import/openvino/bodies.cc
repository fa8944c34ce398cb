// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/bodies.h"

#include <algorithm>
#include <cstdlib>

#include "graph/builder.h"
#include "ops/flops.h"
#include "ops/traffic.h"

namespace berth::openvino {
namespace {

constexpr double kMostFlops = 1e30;
constexpr auto kMostBytes = static_cast<double>(kMaxTotalBytes);
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

std::vector<std::int64_t> known_sizes(const IrPort& port) {
  std::vector<std::int64_t> sizes = port.dims;
  std::ranges::replace(sizes, kDynamic, 1);
  return sizes;
}

OpFacts facts_of(const IrLayer& layer) {
  OpFacts facts;
  for (const IrPort& port : layer.inputs) facts.inputs.emplace_back(known_sizes(port));
  for (const IrPort& port : layer.outputs) facts.outputs.emplace_back(known_sizes(port));
  const std::string* transposed = layer.find("transpose_a");
  facts.first_is_transposed = transposed != nullptr && (*transposed == "true" || *transposed == "1");
  if (const std::string* equation = layer.find("equation")) facts.equation = *equation;
  return facts;
}

// -1: it overflows.
Bytes bytes_of(const IrPort& port) { return tensor_bytes({port.dtype.value_or(DType::kF32), known_sizes(port)}); }

Status check_ports(const IrLayer& layer) {
  for (const auto* ports : {&layer.inputs, &layer.outputs}) {
    const auto large = std::ranges::find_if(*ports, [](const IrPort& port) { return bytes_of(port) < 0; });
    if (large == ports->end()) continue;
    return bad_input("{}: the size of its port {} overflows: {} elements", describe(layer), large->id,
                     fmt::join(known_sizes(*large), " x "));
  }
  return {};
}

double bytes_of(const IrLayer& layer, const OpInfo& info) {
  std::vector<Bytes> inputs;
  Bytes read = 0, written = 0;
  for (const IrPort& port : layer.inputs) {
    inputs.push_back(bytes_of(port));
    read = clamped_sum(read, inputs.back());
  }
  for (const IrPort& port : layer.outputs) written = clamped_sum(written, bytes_of(port));
  const Bytes stated = bytes_touched(info.traffic, inputs, written);
  return static_cast<double>(stated >= 0 ? stated : clamped_sum(read, written));
}

// One turn of a body: its work, and whether all loops inside have known lengths.
Result<BodyWork> one_turn(const IrNet& net, std::int64_t open_turns) {
  BodyWork turn;
  for (const IrLayer& layer : net.layers) {
    BERTH_RETURN_IF_ERROR(check_ports(layer));
    if (layer.bodies.empty()) {
      const OpInfo info = find_op(Dialect::kOpenVino, layer.type).value_or(OpInfo{});
      if (info.flops.formula != Formula::kNone) turn.flops += flops_of(info.flops, facts_of(layer));
      if (!is_constant(layer)) turn.bytes += bytes_of(layer, info);
      continue;
    }
    BERTH_TRY(const BodyWork inner, work_of_bodies(layer, open_turns));
    turn.flops += inner.flops;
    turn.bytes += inner.bytes;
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

Result<BodyWork> work_of_bodies(const IrLayer& layer, std::int64_t open_turns) {
  BodyWork work;
  for (const IrBody& body : layer.bodies) {
    BERTH_TRY(const BodyWork turn, one_turn(body.net, open_turns));
    if (!(turn.flops <= kMostFlops)) return too_large(layer);
    work.flops = std::max(work.flops, turn.flops);
    work.bytes = std::max(work.bytes, turn.bytes);
    work.turns_known = work.turns_known && turn.turns_known;
  }
  if (layer.bodies.size() == 1) {  // a loop; an If has two
    const IrBody& body = layer.bodies.front();
    auto turns = turns_of(layer.inputs, body.inputs);
    if (!turns) turns = turns_of(layer.outputs, body.outputs);
    work.turns_known = work.turns_known && turns.has_value();
    work.turns = turns.value_or(open_turns);
    work.flops *= static_cast<double>(work.turns);
    work.bytes *= static_cast<double>(work.turns);
  }
  if (work.flops > kMostFlops || work.bytes > kMostBytes) return too_large(layer);
  return work;
}

std::vector<BodyConstant> constants_of_bodies(const IrLayer& layer) {
  std::vector<BodyConstant> found;
  collect(layer, short_name(layer), found);
  return found;
}

}  // namespace berth::openvino
