// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/output_path.h"
