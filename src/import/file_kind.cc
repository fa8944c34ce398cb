// SPDX-License-Identifier: Apache-2.0
#include "import/file_kind.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "files/gzip.h"
#include "files/protobuf/wire.h"

namespace berth {
namespace {

constexpr std::size_t kLookedAt = std::size_t{64} << 10;
constexpr std::string_view kBlank = " \t\r\n\xef\xbb\xbf";

struct Ending {
  std::string_view ending;
  FileKind kind;
};
constexpr std::array kEndings{
    Ending{".onnx", FileKind::kOnnx},
    Ending{".pt2", FileKind::kExportedProgram},
    Ending{".xml", FileKind::kOpenVino},
    Ending{".pb", FileKind::kTensorFlow},
    Ending{".pbtxt", FileKind::kTensorFlowText},
    Ending{".meta", FileKind::kTensorFlow},
    Ending{".gguf", FileKind::kGguf},
};

bool is_printable(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

// The fields at the top of a message of which only the start may be there: visit(field) until it says false.
template <typename Visit>
void for_each_field(std::string_view start, const Visit& visit) {
  for (WireReader field(start); field.next() && visit(field);) {
  }
}

// The graph itself is longer than the start, so its key and length end what can be read.
bool looks_like_onnx(std::string_view start) {
  constexpr std::uint64_t kOldestIr = 3, kNewestIr = 64;
  constexpr char kGraphKey = 7 << 3 | 2;
  bool has_version = false, has_graph = false;
  std::size_t read = 0;
  for_each_field(start, [&](const WireReader& field) {
    read = static_cast<std::size_t>(field.whole().data() + field.whole().size() - start.data());
    if (field.is(1, WireType::kVarint)) has_version = field.varint() >= kOldestIr && field.varint() <= kNewestIr;
    has_graph = has_graph || field.is(7, WireType::kBytes);
    return has_version && !has_graph;
  });
  return has_version && (has_graph || (read < start.size() && start[read] == kGraphKey));
}

// NodeDef: its name, then its op.
bool looks_like_node(std::string_view start) {
  bool has_name = false, has_op = false;
  for_each_field(start, [&](const WireReader& field) {
    if (!has_name) return has_name = field.is(1, WireType::kBytes) && is_printable(field.bytes());
    has_op = field.is(2, WireType::kBytes) && is_printable(field.bytes());
    return false;
  });
  return has_op;
}

bool looks_like_tensorflow(std::string_view start) {
  constexpr std::string_view kSavedModel("\x08\x01\x12", 3);
  if (start.starts_with(kSavedModel)) return true;
  WireReader first(start);
  return first.next() && first.is(1, WireType::kBytes) && looks_like_node(first.bytes());
}

// The first word behind comments, and what follows it.
bool looks_like_tensorflow_text(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords{"node",          "library",       "versions",
                                                   "meta_info_def", "graph_def",     "meta_graphs",
                                                   "saver_def",     "signature_def", "saved_model_schema_version"};
  while (text.starts_with('#')) {
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  }
  const std::size_t end = std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), text.size());
  const std::size_t next = text.find_first_not_of(kBlank, end);
  return next != std::string_view::npos && (text[next] == '{' || text[next] == ':') &&
         std::ranges::find(kWords, text.substr(0, end)) != kWords.end();
}

// Empty where there is none, or none that may be looked at.
std::string start_of(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  struct stat status {};
  std::string start;
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    start.resize(kLookedAt);
    const ssize_t got = ::pread(file, start.data(), start.size(), 0);
    start.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  ::close(file);
  return is_gzip(start) ? gunzip_start(start, kLookedAt) : start;
}

}  // namespace

FileKind kind_of_name(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  const auto found = std::ranges::find_if(kEndings, [&](const Ending& row) { return name.ends_with(row.ending); });
  return found != kEndings.end() ? found->kind : FileKind::kOther;
}

std::string_view without_endings(std::string_view name) {
  const auto remove = [&](std::string_view ending) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  };
  for (const std::string_view ending : {".gz", ".json", ".stg", ".txt"}) remove(ending);
  for (const Ending& row : kEndings) remove(row.ending);
  return name;
}

FileKind kind_of(std::string_view start, std::string_view name) {
  const FileKind named = kind_of_name(name);
  if (start.starts_with("PK\x03\x04")) return FileKind::kExportedProgram;
  if (start.starts_with("GGUF")) return FileKind::kGguf;
  if (looks_like_onnx(start)) return FileKind::kOnnx;
  if (looks_like_tensorflow(start)) return FileKind::kTensorFlow;
  const std::size_t first = start.find_first_not_of(kBlank);
  // Protobuf's first byte may look like any of these, and its name is all that is left to go by.
  if (first == std::string_view::npos || start.find('\0') != std::string_view::npos) return named;
  const std::string_view text = start.substr(first);
  if (text.front() == '{' || text.front() == '[') return FileKind::kOther;
  if (text.front() == '<') return text.find("<net") != std::string_view::npos ? FileKind::kOpenVino : named;
  return looks_like_tensorflow_text(text) ? FileKind::kTensorFlowText : named;
}

FileKind kind_of_file(const std::string& path) { return kind_of(start_of(path), path); }

}  // namespace berth
