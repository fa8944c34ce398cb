// SPDX-License-Identifier: Apache-2.0
// The full expansion of a pipeline: an ordinary graph that has every op once per microbatch, with its plan, for the
// ordinary simulator. What makes it a pipeline is said by means that graphs have:
//   - an action begins with an op that takes no time, waits for the action before on its device and reads all that
//   other
//     stages and devices bring; its ops follow one after the other by control edges;
//   - what is sent goes out as a view that waits for the last op of the action;
//   - gradients add up in a buffer per stage and device, resident all the time; what is added to it where it is made
//   has
//     no bytes of its own. Updates read views of the buffer that wait for the last action of the device;
//   - replicas pass shares of their buffers round a ring, each as a view that waits for the share before.
#pragma once

#include <memory>

#include "pipeline/staged_step.h"

namespace berth::pipeline {

struct Expansion {
  Problem problem;
  Plan plan;
};

// The plan must pass check_lists() and have the stages of the cut. An error where actions wait for each other in a
// circle or the graph would be too large.
Result<Expansion> expand(const StagedStep& staged, const PipelinePlan& plan);

}  // namespace berth::pipeline
