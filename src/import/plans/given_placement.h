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
#include <span>
#include <string>

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

}  // namespace berth
