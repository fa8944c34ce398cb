// SPDX-License-Identifier: Apache-2.0
// Checkpoint: the state of a run in one file, written whole or not at all. Its checksum tells damage; it is no proof of
// who wrote the file, so everything that is read is checked as if there were none: here as far as the file alone tells,
// by check_state.h against the run that goes on from it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "runs/train_state.h"

namespace berth::learn {

struct Checkpoint {
  std::string fingerprint;  // of graph, machine, planner and options: a checkpoint of another run is refused
  double elapsed_s = 0.0;   // of training so far
  TrainState state;
};

std::string checkpoint_bytes(const Checkpoint& checkpoint);
Status write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

// Not a checkpoint, of another version, corrupt (cut, checksum, or numbers that no run has), or of another run when
// `fingerprint` is not empty and differs.
Result<Checkpoint> parse_checkpoint(std::string_view bytes, const std::string& fingerprint);
// The same of a file; errors begin with the path.
Result<Checkpoint> read_checkpoint(const std::string& path, const std::string& fingerprint);

// A file of version 2 or 3 around any contents, with the length and the checksum that these have; and those contents.
std::string sealed_checkpoint(std::string_view contents, int version = 3);
std::string_view contents_of_checkpoint(std::string_view file);  // empty if it is too short

}  // namespace berth::learn
