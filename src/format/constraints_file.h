// SPDX-License-Identifier: Apache-2.0
// Constraint files: TOML whose keys are the flags of the command line and whose values are what stands behind them, one
// or a list. docs/constraints.md describes the format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "problem/demands/demand.h"

namespace berth {

inline constexpr std::string_view kConstraintsFormat = "berth-constraints/1";

struct ConstraintsFile {
  std::vector<Demand> demands = {};
  std::vector<std::string> tables = {};  // of unsupported ops (below); paths as written
};

// Reads the text of a file; `path` names it in errors: "box.toml:7: pins: no such key; did you mean 'pin'?".
Result<ConstraintsFile> parse_constraints(std::string_view text, const std::string& path);

// The demands of a file and of the tables it names, whose paths begin in the folder of the file.
Result<std::vector<Demand>> load_constraints(const std::string& path);

// Tables of op types that devices cannot run, such as a runtime's own query gives: lines of "device,type[,reason]", '#'
// begins a comment, and the first line may be a header. docs/constraints.md describes them.
inline constexpr std::size_t kMaxTableBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxTableRows = 100'000;

// One demand of the kind kUnsupported per line. Errors begin with the path.
Result<std::vector<Demand>> load_unsupported(const std::string& path);
Result<std::vector<Demand>> parse_unsupported(std::string_view text, const std::string& path);

}  // namespace berth
