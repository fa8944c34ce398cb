// SPDX-License-Identifier: Apache-2.0
// One reader per format of public problems, each in the file of its name (read_msr_problem() in msr_problem.cc), and
// what they share. Errors do not name the file yet.
#pragma once

#include <string>
#include <string_view>

#include "files/json/json_reader.h"
#include "graph/builder.h"
#include "import/problems/public_problem.h"

namespace berth {

bool is_msr(const JsonDocument& document);
Result<Problem> read_msr_problem(JsonDocument document, std::string title, const ProblemOverrides& request);

// berth-problem/1, what `berth graph problem` writes.
inline constexpr std::string_view kProblemFormat = "berth-problem/1";
Result<Problem> read_berth_problem(JsonDocument document, std::string title, const ProblemOverrides& request);

// These look at the first line that says anything.
bool looks_like_stg(std::string_view first_line);
bool looks_like_pipedream(std::string_view first_line);
bool looks_like_heft(std::string_view first_line);

Result<Problem> read_stg_problem(std::string_view text, std::string title, const ProblemOverrides& request);
Result<Problem> read_pipedream_problem(std::string_view text, std::string title, const ProblemOverrides& request);

// The three matrices of a HEFT problem. Errors name the file that they are about.
struct HeftFiles {
  struct File {
    std::string name, text;
  };
  File connectivity, times, bandwidths;
};
Result<Problem> read_heft_problem(const HeftFiles& files, std::string title);
// Any of the three files stands for all: its sisters lie beside it.
Result<Problem> load_heft_problem(const std::string& path, const ProblemOverrides& request);

// Each format has one objective, and some bring their machine: a request for another is refused.
Status check_objective(const ProblemOverrides& request, Objective own, std::string_view why);
Status check_no_machine(const ProblemOverrides& request, std::string_view why);

// A tensor of that many bytes.
TensorSpec tensor_of_bytes(Bytes bytes);

}  // namespace berth
