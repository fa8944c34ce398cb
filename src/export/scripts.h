// SPDX-License-Identifier: Apache-2.0
// Short Python programs that go with an export, for people to use and to read. The tests run them.
#pragma once

#include <string_view>

namespace berth {

extern const std::string_view kOrtLoadScript;      // load.py: a session with the options of the export
extern const std::string_view kOrtPipelineScript;  // run.py: the stages, several samples at a time
extern const std::string_view kOpenVinoScript;     // apply.py: affinities on a model, compiled for HETERO

}  // namespace berth
