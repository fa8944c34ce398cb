// SPDX-License-Identifier: Apache-2.0
// Policies that come with berth: policies/NAME of the sources, each a run of `berth train` without its logs.
#pragma once

#include <string>

namespace berth::app {

// The folder that --policy means: the user's own if there is a run in it, else that of a policy of ours, else as given.
std::string policy_folder(const std::string& given);

}  // namespace berth::app
