// SPDX-License-Identifier: Apache-2.0
// run.py, which goes with an export for torch.distributed.pipelining: torchrun starts it on every rank. For people to
// use and to read; the tests run it.
#pragma once

#include <string_view>

namespace berth {

extern const std::string_view kTorchPipelineScript;

}  // namespace berth
