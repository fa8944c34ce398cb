// SPDX-License-Identifier: Apache-2.0
// An OpenVINO XML file as plain values: what parse_ir() (ir_xml.h) finds in a model (IR) or in an execution graph,
// which has the same layers and edges. Only ir_xml.cc knows the XML library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/kinds.h"
#include "base/result.h"

namespace berth::openvino {

inline constexpr std::int64_t kDynamic = -1;

struct IrPort {
  std::uint64_t id = 0;
  std::optional<DType> dtype;      // none: not stated, or a type without a size such as STRING
  std::vector<std::int64_t> dims;  // kDynamic: any size. None at all: a scalar, or a rank that is not known
};

// How a value of a layer enters or leaves its body: whole, or with an axis one slice per turn.
struct IrPortMap {
  std::int64_t external_port = 0;  // -1: none, the body's own counter or condition
  std::optional<std::int64_t> axis;
  std::int64_t start = 0, end = -1, part_size = 1;
};

struct IrBody;

struct IrLayer {
  std::uint64_t id = 0;
  std::string name, type, version;
  std::string device;  // affinity that a tool has left in the file; empty: none
  std::vector<std::pair<std::string, std::string>> data;
  std::vector<IrPort> inputs, outputs;
  std::vector<IrBody> bodies;  // Loop and TensorIterator have one, If has two

  [[nodiscard]] const std::string* find(std::string_view attribute) const {
    for (const auto& [name_of_attribute, value] : data) {
      if (name_of_attribute == attribute) return &value;
    }
    return nullptr;
  }
};

struct IrEdge {
  std::uint64_t from_layer = 0, from_port = 0, to_layer = 0, to_port = 0;
};

struct IrNet {
  std::string name;
  std::uint64_t version = 0;  // 0: not stated
  std::vector<IrLayer> layers;
  std::vector<IrEdge> edges;
};

struct IrBody {
  IrNet net;
  std::vector<IrPortMap> inputs, outputs;
};

// Caps that keep hostile files small: no model known comes near them.
inline constexpr std::size_t kMaxXmlBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxXmlTags = 8'000'000;
inline constexpr int kMaxBodyDepth = 32;

// What parse_ir() (ir_xml.h) finds in a model: IR of version 10 or 11, no execution graph.
Result<IrNet> parse_model_ir(std::string_view xml);

// "layer "conv1"", for errors.
std::string describe(const IrLayer& layer);

// The name, or if it is long its beginning and the id: for names that are made of it. A file may have one long name and
// millions of values under it.
std::string short_name(const IrLayer& layer);

bool is_constant(const IrLayer& layer);

}  // namespace berth::openvino
