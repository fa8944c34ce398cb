// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learn/distributed/communicator.h"
#include "learn/train/trainer.h"

namespace berth::learn {

// A controller of a parameter server (parameter_server.h): works for it until that says stop, or until the trainer's
// should_stop.
Status control(Trainer& trainer, Communicator& communicator);

}  // namespace berth::learn
