// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_writer.h"

#include <algorithm>

#include "base/units.h"
#include "files/mapped_file.h"
#include "files/protobuf/wire.h"
#include "files/protobuf/wire_parts.h"

namespace berth {
namespace {

constexpr std::uint32_t kGraphNode = 1;

using Edited = Result<std::optional<WireParts>>;  // nothing: it stays as it is

class OnnxRewriter {
 public:
  OnnxRewriter(std::string_view file, const OnnxEditor& edit, const OnnxLocations& locations)
      : file_(file), edit_(edit), locations_(locations) {}

  [[nodiscard]] Edited edit_model() const {
    return edit_fields(file_, OnnxMessage::kModel, kModelGraph, &OnnxRewriter::edit_graph);
  }

 private:
  // A message of which one kind of field is edited here; in the others only names of files may change.
  using EditField = Edited (OnnxRewriter::*)(std::string_view) const;
  [[nodiscard]] Edited edit_fields(std::string_view message, OnnxMessage kind, std::uint32_t number,
                                   EditField edit_field) const {
    WireParts parts(file_);
    bool has_changed = false;
    WireReader field(message);
    while (field.next()) {
      BERTH_TRY(std::optional<WireParts> edited, field.is(number, WireType::kBytes)
                                                     ? (this->*edit_field)(field.bytes())
                                                     : rename_onnx_locations(file_, field, kind, locations_));
      has_changed = has_changed || edited.has_value();
      add(field, std::move(edited), parts);
    }
    if (field.error()) return *field.error();
    return has_changed ? std::optional(std::move(parts)) : std::nullopt;
  }

  static void add(const WireReader& field, std::optional<WireParts> edited, WireParts& parts) {
    if (edited) {
      parts.add(field.field(), *std::move(edited));
    } else {
      parts.keep(field.whole());
    }
  }

  [[nodiscard]] Edited edit_graph(std::string_view bytes) const {
    return edit_fields(bytes, OnnxMessage::kGraph, kGraphNode, &OnnxRewriter::edit_node);
  }

  [[nodiscard]] Edited edit_node(std::string_view bytes) const {
    BERTH_TRY(const OnnxNode node, read_onnx_node(bytes));
    const OnnxNodeEdit edit = edit_(node);
    bool has_changed = edit.name || !edit.metadata.empty();
    WireParts parts(file_);
    WireReader field(bytes);
    while (field.next()) {
      BERTH_TRY(const bool is_replaced, replaces(edit, field));
      if (is_replaced) continue;
      BERTH_TRY(auto renamed, rename_onnx_locations(file_, field, OnnxMessage::kNode, locations_));
      has_changed = has_changed || renamed.has_value();
      add(field, std::move(renamed), parts);
    }
    if (field.error()) return *field.error();
    if (!has_changed) return std::optional<WireParts>();
    if (edit.name) parts.add(wire_field(3, *edit.name));
    for (const auto& [key, value] : edit.metadata) parts.add(wire_field(9, wire_field(1, key) + wire_field(2, value)));
    return std::optional(std::move(parts));
  }

  static Result<bool> replaces(const OnnxNodeEdit& edit, const WireReader& field) {
    if (field.is(3, WireType::kBytes)) return edit.name.has_value();
    if (!field.is(9, WireType::kBytes)) return false;
    BERTH_TRY(const auto entry, read_onnx_entry(field.bytes()));
    return std::ranges::any_of(edit.metadata, [&](const auto& wanted) { return wanted.first == entry.first; });
  }

  std::string_view file_;
  const OnnxEditor& edit_;
  const OnnxLocations& locations_;
};

}  // namespace

Result<std::vector<FilePart>> edit_onnx_model(std::string_view file, const OnnxEditor& edit,
                                              const OnnxLocations& locations) {
  BERTH_TRY(std::optional<WireParts> edited, OnnxRewriter(file, edit, locations).edit_model());
  if (!edited) edited.emplace(file).keep(file);
  return (*std::move(edited)).take();
}

Status write_onnx_model(const std::string& source, const std::string& path, const OnnxEditor& edit) {
  BERTH_TRY(const MappedFile file, MappedFile::open(source));
  const auto parts = edit_onnx_model(file.bytes(), edit);
  if (!parts) return in_file(source, parts.error());
  if (const std::size_t size = size_of(*parts); size > kMostMessageBytes) {
    return in_file(path, bad_input("it would be {}, and protobuf reads less than 2 GiB; move the weights out of {}",
                                   format_bytes(static_cast<Bytes>(size)), source));
  }
  return write_parts_atomically(path, source, *parts);
}

}  // namespace berth
