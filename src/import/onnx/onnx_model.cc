// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_model.h"

#include <algorithm>

#include "files/protobuf/wire.h"
#include "import/onnx/onnx_graph.h"

namespace berth {
namespace {

constexpr std::uint64_t kOldestIr = 3;
// What calls of functions may write out: a part for every file, more for larger ones, and an end to it.
constexpr std::size_t kFreeWrittenOut = std::size_t{4} << 20, kWrittenOutPerByte = 64;
constexpr std::size_t kMostWrittenOut = std::size_t{128} << 20;

}  // namespace

Result<Model> read_onnx_model(std::string_view bytes, std::string title) {
  std::string_view graph;
  std::uint64_t ir_version = 0;
  OnnxFile file;
  file.most_written_out = std::min(kFreeWrittenOut + kWrittenOutPerByte * bytes.size(), kMostWrittenOut);
  WireReader field(bytes);
  while (field.next()) {
    if (field.is(1, WireType::kVarint)) ir_version = field.varint();
    if (field.is(7, WireType::kBytes)) graph = field.bytes();
    if (field.is(25, WireType::kBytes)) BERTH_RETURN_IF_ERROR(read_onnx_function(field.bytes(), file.functions));
  }
  if (field.error()) return *field.error();
  if (graph.empty()) return bad_input("it is no ONNX model: it has no graph");
  if (ir_version < kOldestIr) {
    return bad_input("its IR version is {}; versions from {} (2017) on are read: export it again with newer tools",
                     ir_version, kOldestIr);
  }
  BERTH_TRY(OnnxGraph read, read_onnx_graph(graph, file, {}));
  read.model.title = std::move(title);
  return std::move(read.model);
}

}  // namespace berth
