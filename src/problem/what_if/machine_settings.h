// SPDX-License-Identifier: Apache-2.0
// Settings of a machine: "gpu0.memory=24GiB", "link.*.bandwidth=2x". machine_changes.h says what there is to set.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "problem/what_if/machine_draft.h"

namespace berth {

// Changes what the setting names; an error begins with "--set" and the setting.
Status apply_setting(MachineDraft& draft, std::string_view setting);

// What a figure without a device or link stands for, slips of the finger allowed: "link.*.bandwidth" for "bandwith",
// "gpu.memory" for "memory". Empty: nothing. For errors.
std::string setting_meant_by(std::string_view word);

}  // namespace berth
