// SPDX-License-Identifier: Apache-2.0
// run.py, which goes with an export of stages: it runs them, several samples at a time. For people to use and to read;
// the tests run it.
#pragma once

#include <string_view>

namespace berth {

extern const std::string_view kOrtPipelineScript;

}  // namespace berth
