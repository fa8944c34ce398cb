// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_locations.h"

#include <algorithm>
#include <array>

#include "import/onnx/onnx_node.h"

namespace berth {
namespace {

constexpr int kDeepestMessage = 256;         // messages inside each other: four for every subgraph inside another
constexpr std::uint32_t kExternalData = 13;  // of TensorProto
constexpr std::string_view kLocation = "location";

struct Inside {
  OnnxMessage around;
  std::uint32_t field;
  OnnxMessage kind;
};

// Fields of onnx.proto by which a tensor can be reached.
constexpr std::array kInside{
    Inside{OnnxMessage::kModel, 7, OnnxMessage::kGraph},
    Inside{OnnxMessage::kModel, 20, OnnxMessage::kTraining},
    Inside{OnnxMessage::kModel, 25, OnnxMessage::kFunction},
    Inside{OnnxMessage::kGraph, 1, OnnxMessage::kNode},
    Inside{OnnxMessage::kGraph, 5, OnnxMessage::kTensor},
    Inside{OnnxMessage::kGraph, 15, OnnxMessage::kSparseTensor},
    Inside{OnnxMessage::kNode, 5, OnnxMessage::kAttribute},
    Inside{OnnxMessage::kAttribute, 5, OnnxMessage::kTensor},
    Inside{OnnxMessage::kAttribute, 6, OnnxMessage::kGraph},
    Inside{OnnxMessage::kAttribute, 10, OnnxMessage::kTensor},
    Inside{OnnxMessage::kAttribute, 11, OnnxMessage::kGraph},
    Inside{OnnxMessage::kAttribute, 22, OnnxMessage::kSparseTensor},
    Inside{OnnxMessage::kAttribute, 23, OnnxMessage::kSparseTensor},
    Inside{OnnxMessage::kSparseTensor, 1, OnnxMessage::kTensor},
    Inside{OnnxMessage::kSparseTensor, 2, OnnxMessage::kTensor},
    Inside{OnnxMessage::kFunction, 7, OnnxMessage::kNode},
    Inside{OnnxMessage::kFunction, 11, OnnxMessage::kAttribute},
    Inside{OnnxMessage::kTraining, 1, OnnxMessage::kGraph},
    Inside{OnnxMessage::kTraining, 2, OnnxMessage::kGraph},
};

const Inside* inside(OnnxMessage around, const WireReader& field) {
  if (field.type() != WireType::kBytes) return nullptr;
  const auto* const found = std::ranges::find_if(
      kInside, [&](const Inside& row) { return row.around == around && row.field == field.field(); });
  return found != kInside.end() ? found : nullptr;
}

bool is_entry(OnnxMessage kind, const WireReader& field) {
  return kind == OnnxMessage::kTensor && field.is(kExternalData, WireType::kBytes);
}

Status find(std::string_view message, OnnxMessage kind, int depth, std::set<std::string, std::less<>>& found) {
  if (depth > kDeepestMessage) return bad_input("its subgraphs are nested too deeply");
  WireReader field(message);
  while (field.next()) {
    if (is_entry(kind, field)) {
      BERTH_TRY(const auto entry, read_onnx_entry(field.bytes()));
      if (entry.first == kLocation) found.insert(entry.second);
    } else if (const Inside* const next = inside(kind, field)) {
      BERTH_RETURN_IF_ERROR(find(field.bytes(), next->kind, depth + 1, found));
    }
  }
  if (field.error()) return *field.error();
  return {};
}

class Renaming {
 public:
  using Renamed = Result<std::optional<WireParts>>;
  Renaming(std::string_view file, const OnnxLocations& names) : file_(file), names_(names) {}

  [[nodiscard]] Renamed message(std::string_view bytes, OnnxMessage kind, int depth) const {
    if (depth > kDeepestMessage) return bad_input("its subgraphs are nested too deeply");
    WireParts parts(file_);
    bool has_changed = false;
    WireReader reader(bytes);
    while (reader.next()) {
      BERTH_TRY(std::optional<WireParts> renamed, field(reader, kind, depth));
      has_changed = has_changed || renamed.has_value();
      if (renamed) {
        parts.add(reader.field(), *std::move(renamed));
      } else {
        parts.keep(reader.whole());
      }
    }
    if (reader.error()) return *reader.error();
    return has_changed ? std::optional(std::move(parts)) : std::nullopt;
  }

  [[nodiscard]] Renamed field(const WireReader& reader, OnnxMessage kind, int depth) const {
    if (is_entry(kind, reader)) return entry(reader.bytes());
    const Inside* const next = inside(kind, reader);
    if (next == nullptr) return std::optional<WireParts>();
    return message(reader.bytes(), next->kind, depth + 1);
  }

 private:
  [[nodiscard]] Renamed entry(std::string_view bytes) const {
    BERTH_TRY(const auto read, read_onnx_entry(bytes));
    const auto name = read.first == kLocation ? names_.find(read.second) : names_.end();
    if (name == names_.end()) return std::optional<WireParts>();
    WireParts parts(file_);
    parts.add(wire_field(1, kLocation) + wire_field(2, name->second));
    return std::optional(std::move(parts));
  }

  std::string_view file_;
  const OnnxLocations& names_;
};

}  // namespace

Status find_onnx_locations(std::string_view message, OnnxMessage kind, std::set<std::string, std::less<>>& found) {
  return find(message, kind, 0, found);
}

Result<std::optional<WireParts>> rename_onnx_locations(std::string_view file, const WireReader& field,
                                                       OnnxMessage around, const OnnxLocations& renamed) {
  if (renamed.empty()) return std::optional<WireParts>();
  return Renaming(file, renamed).field(field, around, 0);
}

}  // namespace berth
