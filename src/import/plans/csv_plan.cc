// SPDX-License-Identifier: Apache-2.0
// CSV with a header that has the columns op and device, as berth export --to csv writes it. The columns priority and
// fusion, if they are there, give the order and the groups of ops that run fused: those with the same number.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "files/json/json_reader.h"
#include "files/text_lines.h"
#include "import/plans/readers.h"

namespace berth {
namespace {

class CsvPlan {
 public:
  CsvPlan(const Graph& graph, TextLines lines) : lines_(lines) {
    for (const OpId op : graph.ops()) op_of_name_.emplace(graph.name(op), op);
    stated_.device_of.resize(graph.num_ops());
    stated_.priority.resize(graph.num_ops(), 0.0);
    is_listed_.resize(graph.num_ops(), false);
  }

  Result<StatedPlan> read() {
    BERTH_RETURN_IF_ERROR(read_header());
    while (const auto line = lines_.next()) BERTH_RETURN_IF_ERROR(read_row(*line));
    if (std::ranges::all_of(stated_.device_of, [](const std::string& device) { return device.empty(); })) {
      return bad_input("no op below the header has a device");
    }
    // No priorities mean the same as equal ones, and are faster to simulate.
    if (std::ranges::all_of(stated_.priority, [](double priority) { return priority == 0.0; })) {
      stated_.priority.clear();
    }
    for (auto& [number, group] : fusions_) {
      if (group.size() < 2) return bad_input("fusion {} has one op; a fusion needs at least two ops", number);
      std::ranges::sort(group);
      stated_.fusions.push_back(std::move(group));
    }
    return std::move(stated_);
  }

 private:
  Status read_header() {
    BERTH_TRY(const std::vector<std::string> header, csv_cells(lines_.next().value_or(""), lines_));
    const auto column = [&](std::string_view name) {
      return static_cast<std::size_t>(std::ranges::find(header, name) - header.begin());
    };
    columns_ = header.size();
    op_ = column("op"), device_ = column("device"), priority_ = column("priority"), fusion_ = column("fusion");
    if (op_ == columns_ || device_ == columns_) {
      return lines_.error("the header of a plan has the columns op and device");
    }
    return {};
  }

  Status read_row(std::string_view line) {
    BERTH_TRY(const std::vector<std::string> cells, csv_cells(line, lines_));
    if (cells.size() != columns_) {
      return lines_.error(fmt::format("it has {} cells, the header has {}", cells.size(), columns_));
    }
    const auto found = op_of_name_.find(cells[op_]);
    if (found == op_of_name_.end()) {
      return lines_.error(fmt::format("the graph has no op {}", in_quotes(cells[op_])));
    }
    const std::size_t op = index(found->second);
    if (is_listed_[op]) return lines_.error(fmt::format("the op '{}' has been placed already", cells[op_]));
    is_listed_[op] = true;
    stated_.device_of[op] = cells[device_];
    if (priority_ < columns_ && !cells[priority_].empty()) {
      BERTH_TRY(stated_.priority[op], priority_in(cells[priority_]));
    }
    if (fusion_ < columns_ && !cells[fusion_].empty()) {
      constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
      BERTH_TRY(const std::uint64_t number, lines_.whole(cells[fusion_], "the fusion", kMost));
      fusions_[number].push_back(found->second);
    }
    return {};
  }

  [[nodiscard]] Result<double> priority_in(const std::string& cell) const {
    double value = 0.0;
    const char* const end = cell.data() + cell.size();
    const auto [stop, failed] = std::from_chars(cell.data(), end, value);
    if (failed == std::errc() && stop == end && std::isfinite(value)) return value;
    return lines_.error(fmt::format("the priority is {}; expected a number", in_quotes(cell)));
  }

  TextLines lines_;
  std::unordered_map<std::string_view, OpId> op_of_name_;
  std::size_t columns_ = 0, op_ = 0, device_ = 0, priority_ = 0, fusion_ = 0;  // columns_: there is no such column
  std::vector<bool> is_listed_;
  std::map<std::uint64_t, std::vector<OpId>> fusions_;
  StatedPlan stated_;
};

}  // namespace

Result<StatedPlan> read_csv_plan(const std::string& text, const ForeignPlanRequest& request) {
  std::string_view body = text;
  if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
  return CsvPlan(request.problem.graph(), TextLines(body)).read();
}

}  // namespace berth
