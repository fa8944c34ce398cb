// SPDX-License-Identifier: Apache-2.0
#include "services/bench/contestant.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "files/files.h"

namespace berth {
namespace {

constexpr std::string_view kRowField = "{row}", kSeedField = "{seed}";

std::string with_field(std::string text, std::string_view field, std::string_view value) {
  for (std::size_t at = text.find(field); at != std::string::npos; at = text.find(field, at + value.size())) {
    text.replace(at, field.size(), value);
  }
  return text;
}

bool is_fit_for_a_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
  constexpr std::size_t kLongest = 40;
  return !name.empty() && name.size() <= kLongest && name.front() != '.' &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

Result<PlanFiles> PlanFiles::of(const std::string& folder_or_pattern) {
  PlanFiles files;
  files.pattern_ = folder_or_pattern;
  if (folder_or_pattern.find(kRowField) != std::string::npos) return files;
  if (!path_exists(folder_or_pattern)) {
    return bad_input(
        "no folder '{}'; give a folder with a plan ROW.json for every problem, or a pattern such as "
        "plans/{{row}}.{{seed}}.json",
        folder_or_pattern);
  }
  files.pattern_ += "/{row}.json";
  return files;
}

bool PlanFiles::has_seeds() const { return pattern_.find(kSeedField) != std::string::npos; }

std::string PlanFiles::path(std::string_view row, std::uint64_t seed) const {
  return with_field(with_field(pattern_, kRowField, row), kSeedField, fmt::format("{}", seed));
}

Status PlanFiles::check(std::span<const SuiteRow> rows, std::uint64_t seed) const {
  const auto has_file = [&](const SuiteRow& row) { return path_exists(path(row.name, seed)); };
  if (std::ranges::any_of(rows, has_file)) return {};
  return bad_input("none of the {} problems has a plan there; the first would be {}", rows.size(),
                   path(rows.front().name, seed));
}

Result<Contestant> parse_plans(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return bad_input("--plan '{}': write NAME=FOLDER, or NAME=PATTERN such as mine=plans/{{row}}.json", text);
  }
  Result<PlanFiles> files = PlanFiles::of(text.substr(equals + 1));
  if (!files) return within(fmt::format("--plan {}", text), files.error());
  return Contestant{.name = text.substr(0, equals), .plans = *std::move(files)};
}

Status check_names(std::span<const Contestant> contestants) {
  if (contestants.empty()) return bad_input("nobody to compare; name planners by -p, or plans by --plan");
  std::set<std::string_view> taken;
  for (const Contestant& contestant : contestants) {
    if (!is_fit_for_a_name(contestant.name)) {
      return bad_input("'{}' is no name for a table: letters, digits and ._+- are, at most 40", contestant.name);
    }
    if (!taken.insert(contestant.name).second) {
      return bad_input("two contestants are called '{}'; give each a name of its own", contestant.name);
    }
  }
  return {};
}

}  // namespace berth
