// SPDX-License-Identifier: Apache-2.0
// Which libtorch this is: what changed between 1.13 and 2.11 and touches us.
#pragma once

#include <torch/version.h>

#define BERTH_TORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) || (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))
