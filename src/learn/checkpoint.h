// SPDX-License-Identifier: Apache-2.0
// Checkpoint: the state of a run in one file, written whole or not at all, with a checksum, so that what is read back
// is what was written or an error that says why not.
#pragma once

#include <string>

#include "base/result.h"
#include "learn/learner.h"

namespace berth::learn {

struct Checkpoint {
  std::string fingerprint;  // of graph, machine, planner and options: a checkpoint of another run is refused
  double elapsed_s = 0.0;   // of training so far
  TrainState state;
};

Status write_checkpoint(const std::string& path, const Checkpoint& checkpoint);
// Errors begin with the path: not a checkpoint, of another version, corrupt (cut, or checksum), or of another run when
// `fingerprint` is not empty and differs.
Result<Checkpoint> read_checkpoint(const std::string& path, const std::string& fingerprint);

}  // namespace berth::learn
