// SPDX-License-Identifier: Apache-2.0
// What a file is, whatever it is called: its first bytes decide, decompressed if they are gzip's. Where they leave it
// open, the ending of its name does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth {

enum class FileKind : std::uint8_t {
  kOther,  // JSON, the text of a public problem, or nothing that is known
  kOnnx,
  kExportedProgram,  // of PyTorch, .pt2
  kOpenVino,
  kTensorFlow,      // GraphDef, MetaGraphDef or SavedModel
  kTensorFlowText,  // the same as text
  kGguf,
};

// By the ending alone, with or without .gz behind it.
FileKind kind_of_name(std::string_view name);

// "resnet" of "resnet.onnx", "graph" of "graph.json.gz": the name without the endings of files that hold a graph.
std::string_view without_endings(std::string_view name);

// Of a file that is called `name` and begins with `start`, which is not compressed:
//   "PK" and two more bytes of a zip file    an exported program
//   "GGUF"                                   a language model
//   an IR version, then a graph as field 7   ONNX
//   a node with name and op as field 1, or a schema version and a graph of a SavedModel   TensorFlow
//   "{" or "["                               JSON; "<net" within "<...>": OpenVINO; "node {" and the like: TensorFlow
// Anything else is what its name says.
FileKind kind_of(std::string_view start, std::string_view name);

// Pipes, devices and what cannot be opened are judged by name: to look at a pipe would take bytes out of it.
FileKind kind_of_file(const std::string& path);

// Every kind of file that holds a graph, for errors.
inline constexpr std::string_view kReadableFiles =
    "what is read: models (.onnx, .pt2, OpenVINO's .xml, TensorFlow's .pb, .pbtxt and .meta, .gguf), JSON graphs "
    "(berth-graph/1, aten-graph/1) and problems (berth-problem/1, msr, stg, heft, pipedream), plain or gzip; "
    "berth help formats describes them";

}  // namespace berth
