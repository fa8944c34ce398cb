// SPDX-License-Identifier: Apache-2.0
#include "services/problem/costs.h"

#include "files/files.h"
#include "import/costs/costs_file.h"

namespace berth {
namespace {

// "FILE@DEVICE", unless a file has that very name.
Result<CostsFile> read_argument(const std::string& argument) {
  const std::size_t at = argument.rfind('@');
  if (at == std::string::npos || path_exists(argument)) return read_costs_file(argument);
  BERTH_TRY(CostsFile costs, read_costs_file(argument.substr(0, at)));
  costs.device = argument.substr(at + 1);
  if (costs.device.empty()) return bad_input("--costs {}: no device stands behind the @", argument);
  return costs;
}

}  // namespace

Result<MatchedCosts> read_costs(std::span<const std::string> arguments, const Graph& graph, const Machine& machine) {
  std::vector<CostsFile> files;
  for (const std::string& argument : arguments) {
    BERTH_TRY(CostsFile file, read_argument(argument));
    files.push_back(std::move(file));
  }
  return match_costs(graph, machine, files);
}

}  // namespace berth
