// SPDX-License-Identifier: Apache-2.0
#include "format/unsupported_table.h"

#include <filesystem>

#include "base/text.h"
#include "files/files.h"
#include "files/text_lines.h"

namespace berth {
namespace {

struct Row {
  std::string_view device, type, reason;
};

// The reason is all the rest, commas and all.
Row row_of(std::string_view line) {
  const auto take = [&line] {
    const std::size_t end = line.find(',');
    const std::string_view cell = trim(line.substr(0, end));
    line = end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
    return cell;
  };
  Row row;
  row.device = take();
  row.type = take();
  row.reason = trim(line);
  return row;
}

bool is_header(const Row& row) { return row.device == "device" || row.device == "device-kind"; }

}  // namespace

Result<std::vector<Demand>> parse_unsupported(std::string_view text, const std::string& path) {
  const std::string file = std::filesystem::path(path).filename().string();
  std::vector<Demand> demands;
  TextLines lines(text, '#');
  bool is_first = true;
  while (const auto line = lines.next()) {
    const Row row = row_of(*line);
    const bool skip = is_first && is_header(row);
    is_first = false;
    if (skip) continue;
    if (row.device.empty() || row.type.empty()) {
      return in_file(path, lines.error("expected a device kind and an op type, for example npu,Resize"));
    }
    if (demands.size() == kMaxTableRows) return in_file(path, bad_input("more than {} lines", kMaxTableRows));
    const std::string why = row.reason.empty() ? "" : fmt::format(" ({})", row.reason);
    demands.push_back(
        {.kind = Demand::Kind::kUnsupported,
         .source = short_source(fmt::format("{}:{} {},{}{}", file, lines.number(), row.device, row.type, why)),
         .ops = {std::string(row.type)},
         .device = std::string(row.device),
         .amount = 0});
  }
  return demands;
}

Result<std::vector<Demand>> load_unsupported(const std::string& path) {
  BERTH_TRY(const std::string text, read_file(path, kMaxTableBytes));
  return parse_unsupported(text, path);
}

}  // namespace berth
