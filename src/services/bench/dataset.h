// SPDX-License-Identifier: Apache-2.0
// The problems of a suite as files of arrays, for training elsewhere.
#pragma once

#include <string>
#include <vector>

#include "services/bench/bench.h"

namespace berth {

// Writes ROW.npz for every problem (format/problem_arrays.h) and suite.json, which says what is known of them, into a
// folder that is made if it is not there. Ends where the caller wants to stop, without suite.json.
Result<std::vector<BenchRow>> export_suite(const Suite& suite, const std::string& folder, Caller& caller);

}  // namespace berth
