// SPDX-License-Identifier: Apache-2.0
// The placement that a model's file carries in its device fields, as a plan.
//
// Fields are TensorFlow's ("/job:worker/task:0/device:GPU:1", "/gpu:1", "/cpu:0"), OpenVINO's affinities ("GPU.1",
// "CPU") and PyTorch's ("cuda:1"): the n-th device of that kind of the machine; or names of its devices. An op without
// one is on the first GPU if it may run there, else on the first CPU, as TensorFlow has it.
//
// A plan must be legal: ops that share a device go where most of those with a field want to be (of equals, where the
// first does), and an op that may not run where its field says goes where ops without one do. It is said how many were
// moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/kinds.h"
#include "base/result.h"
#include "problem/plan.h"
#include "problem/problem.h"

namespace berth {

struct GivenPlacement {
  Plan plan = {};
  std::size_t stated = 0;          // ops with a device field
  std::size_t moved_together = 0;  // of these, elsewhere: they share a device with others that want another
  std::size_t not_allowed = 0;     // of these, elsewhere: they may not run where the file wants them
};

// `device_of` has an entry per op of the problem's graph, empty where the file says nothing. An error if a field makes
// no sense, names a device that the machine does not have, or if several tasks (hosts) are named.
Result<GivenPlacement> given_placement(const Problem& problem, std::span<const std::string> device_of);

// "places 5 of 7 ops; 2 moved because they may not run there": what users must be told beside a score of it.
std::string words_about(const GivenPlacement& given);

// Devices as the files of models name them.
struct DeviceField {
  std::optional<DeviceKind> kind = {};  // none: any
  std::uint32_t number = 0;             // among the devices of that kind; 0 where the field leaves it open
  std::string task = {};                // "/job:worker/task:1", empty if it names none
};

// TensorFlow: ("/" constraint)*, a constraint being job:NAME, replica:N, task:N, device:KIND:N, cpu:N or gpu:N, where N
// may be *. Others: KIND, KIND.N or KIND:N. Kinds are those of machines in any case, with or without "XLA_" in front,
// and "cuda" for gpu.
Result<DeviceField> parse_device_field(std::string_view text);

}  // namespace berth
