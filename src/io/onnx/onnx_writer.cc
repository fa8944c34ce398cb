// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/onnx_writer.h"

#include <algorithm>
#include <iterator>

#include "base/units.h"
#include "io/mapped_file.h"
#include "io/wire.h"

namespace berth {
namespace {

constexpr std::size_t kMostBytes = 0x7fffffff;  // what protobuf reads

// A message put together from stretches of the file and new bytes.
class Parts {
 public:
  explicit Parts(std::string_view file) : file_(file) {}

  void keep(std::string_view stretch) {
    const auto offset = static_cast<std::size_t>(stretch.data() - file_.data());
    size_ += stretch.size();
    const bool continues =
        !parts_.empty() && parts_.back().bytes.empty() && parts_.back().offset + parts_.back().size == offset;
    if (continues) {
      parts_.back().size += stretch.size();
    } else {
      parts_.push_back({.offset = offset, .size = stretch.size()});
    }
  }

  void add(std::string bytes) {
    size_ += bytes.size();
    if (!bytes.empty()) parts_.push_back({.bytes = std::move(bytes)});
  }

  void add(std::uint32_t field, Parts message) {
    add(wire_prefix(field, message.size_));
    size_ += message.size_;
    std::ranges::move(message.parts_, std::back_inserter(parts_));
  }

  [[nodiscard]] std::vector<FilePart> take() && { return std::move(parts_); }

 private:
  std::string_view file_;
  std::vector<FilePart> parts_;
  std::size_t size_ = 0;
};

using Edited = Result<std::optional<Parts>>;  // nothing: it stays as it is

class OnnxRewriter {
 public:
  OnnxRewriter(std::string_view file, const OnnxEditor& edit) : file_(file), edit_(edit) {}

  // A message of which one kind of field may change.
  using EditField = Edited (OnnxRewriter::*)(std::string_view) const;
  [[nodiscard]] Edited edit_fields(std::string_view message, std::uint32_t number, EditField edit_field) const {
    Parts parts(file_);
    bool has_changed = false;
    WireReader field(message);
    while (field.next()) {
      std::optional<Parts> edited;
      if (field.is(number, WireType::kBytes)) {
        BERTH_TRY(edited, (this->*edit_field)(field.bytes()));
      }
      has_changed = has_changed || edited.has_value();
      if (edited) {
        parts.add(number, *std::move(edited));
      } else {
        parts.keep(field.whole());
      }
    }
    if (field.error()) return *field.error();
    return has_changed ? std::optional(std::move(parts)) : std::nullopt;
  }

  [[nodiscard]] Edited edit_model() const { return edit_fields(file_, 7, &OnnxRewriter::edit_graph); }
  [[nodiscard]] Edited edit_graph(std::string_view bytes) const {
    return edit_fields(bytes, 1, &OnnxRewriter::edit_node);
  }

  [[nodiscard]] Edited edit_node(std::string_view bytes) const {
    BERTH_TRY(const OnnxNode node, read_onnx_node(bytes));
    const OnnxNodeEdit edit = edit_(node);
    if (!edit.name && edit.metadata.empty()) return std::optional<Parts>();
    Parts parts(file_);
    WireReader field(bytes);
    while (field.next()) {
      BERTH_TRY(const bool is_replaced, replaces(edit, field));
      if (!is_replaced) parts.keep(field.whole());
    }
    if (field.error()) return *field.error();
    if (edit.name) parts.add(wire_field(3, *edit.name));
    for (const auto& [key, value] : edit.metadata) parts.add(wire_field(9, wire_field(1, key) + wire_field(2, value)));
    return std::optional(std::move(parts));
  }

 private:
  static Result<bool> replaces(const OnnxNodeEdit& edit, const WireReader& field) {
    if (field.is(3, WireType::kBytes)) return edit.name.has_value();
    if (!field.is(9, WireType::kBytes)) return false;
    BERTH_TRY(const auto entry, read_onnx_entry(field.bytes()));
    return std::ranges::any_of(edit.metadata, [&](const auto& wanted) { return wanted.first == entry.first; });
  }

  std::string_view file_;
  const OnnxEditor& edit_;
};

std::size_t size_of(const std::vector<FilePart>& parts) {
  std::size_t size = 0;
  for (const FilePart& part : parts) size += part.bytes.empty() ? part.size : part.bytes.size();
  return size;
}

}  // namespace

Result<std::vector<FilePart>> edit_onnx_model(std::string_view file, const OnnxEditor& edit) {
  BERTH_TRY(std::optional<Parts> edited, OnnxRewriter(file, edit).edit_model());
  if (!edited) edited.emplace(file).keep(file);
  return (*std::move(edited)).take();
}

Status write_onnx_model(const std::string& source, const std::string& path, const OnnxEditor& edit) {
  BERTH_TRY(const MappedFile file, MappedFile::open(source));
  const auto parts = edit_onnx_model(file.bytes(), edit);
  if (!parts) return in_file(source, parts.error());
  if (const std::size_t size = size_of(*parts); size > kMostBytes) {
    return in_file(path, bad_input("it would be {}, and protobuf reads less than 2 GiB; move the weights out of {}",
                                   format_bytes(static_cast<Bytes>(size)), source));
  }
  return write_parts_atomically(path, source, *parts);
}

}  // namespace berth
