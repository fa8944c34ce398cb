// SPDX-License-Identifier: Apache-2.0
#include "format/constraints_file.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <span>
#include <utility>

#include "base/text.h"
#include "files/files.h"
#include "files/text_lines.h"
#include "files/toml_fields.h"

namespace berth {
namespace {

using Kind = TomlValue::Kind;

constexpr std::string_view kFormat = "format", kUnsupported = "unsupported";

class ConstraintsReader {
 public:
  ConstraintsReader(const TomlValue& root, const std::string& path)
      : fields_(root, path, ""), file_(std::filesystem::path(path).filename().string()) {}

  Result<ConstraintsFile> read() {
    std::vector<std::string_view> keys{kFormat, kUnsupported};
    for (const DemandForm& form : demand_forms()) keys.push_back(form.name);
    BERTH_RETURN_IF_ERROR(fields_.only(keys));
    BERTH_RETURN_IF_ERROR(fields_.check_format(kConstraintsFormat));
    for (const DemandForm& form : demand_forms()) BERTH_RETURN_IF_ERROR(read_key(form));
    BERTH_RETURN_IF_ERROR(fields_.strings(kUnsupported, result_.tables));
    return std::move(result_);
  }

 private:
  Status read_key(const DemandForm& form) {
    const TomlValue* value = fields_.find(form.name);
    if (value == nullptr) return {};
    if (form.is_switch()) return read_switch(form, *value);
    const bool several = value->kind == Kind::kArray;
    for (const TomlValue& item : several ? std::span(value->items) : std::span(value, 1)) {
      BERTH_RETURN_IF_ERROR(read_item(form, item));
    }
    return {};
  }

  // "resident-weights = true"
  Status read_switch(const DemandForm& form, const TomlValue& value) {
    if (value.kind != Kind::kBool) return fields_.wrong_kind(value, form.name, "true or false");
    return value.boolean ? add(form, "", value.line) : Status();
  }

  Status read_item(const DemandForm& form, const TomlValue& item) {
    const bool is_number = item.kind == Kind::kInteger;
    if (!is_number && item.kind != Kind::kString) {
      return fields_.wrong_kind(item, form.name, fmt::format("{}, for example \"{}\"", form.form, form.example));
    }
    const std::string text = is_number ? std::to_string(item.integer) : item.text;
    return add(form, text, item.line);
  }

  Status add(const DemandForm& form, std::string_view text, int line) {
    const std::string_view blank = text.empty() ? "" : " ";
    std::string source = short_source(fmt::format("{}:{} {}{}{}", file_, line, form.name, blank, text));
    BERTH_TRY(Demand demand, parse_demand(form, text, std::move(source)));
    result_.demands.push_back(std::move(demand));
    return {};
  }

  const TomlFields fields_;
  const std::string file_;
  ConstraintsFile result_;
};

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

Result<ConstraintsFile> parse_constraints(std::string_view text, const std::string& path) {
  const auto root = parse_toml(text, path);
  if (!root) return shortened(root.error());
  auto file = ConstraintsReader(*root, path).read();
  if (!file) return shortened(file.error());
  return file;
}

Result<std::vector<Demand>> load_constraints(const std::string& path) {
  BERTH_TRY(const std::string text, read_file(path));
  BERTH_TRY(ConstraintsFile file, parse_constraints(text, path));
  for (const std::string& table : file.tables) {
    const std::filesystem::path beside = std::filesystem::path(path).parent_path() / table;
    BERTH_TRY(std::vector<Demand> unsupported, load_unsupported(beside.string()));
    std::ranges::move(unsupported, std::back_inserter(file.demands));
  }
  return std::move(file.demands);
}

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
