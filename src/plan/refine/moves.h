// SPDX-License-Identifier: Apache-2.0
// The moves of the annealer, as a table: each has a share of all moves and changes the draft.
//
// Most moves are directed: at groups on the critical path of the present plan (to where their inputs come from, to
// where their output goes, off a device they wait for) and, while memory overflows, at the fullest device. The rest
// move stretches of the topological order, clusters of neighbours, single groups and pairs at random.
#pragma once

#include <span>
#include <string_view>

#include "plan/refine/draft.h"
#include "plan/refine/hot_spots.h"
#include "plan/refine/picks.h"
#include "problem/memory_domains.h"

namespace berth {

// Kinds of directed moves, so that a benchmark can switch them off.
struct DirectedMoves {
  bool critical_path = true;
  bool order = true;    // of ops that wait for each other on the critical path
  bool relief = true;   // of memory that overflows
  bool balance = true;  // what would overload a device is made good by other moves (balance_work)
};

// What a move may look at, and what it changes.
struct MoveContext {
  const Problem& problem;
  const MemoryDomains& domains;
  const DirectedMoves& directed;
  const Level& level;
  const HotSpots& hot;
  const Score& score;  // of the present plan
  Draft& draft;
  Picks& picks;
};

struct MoveKind {
  std::string_view name;
  int percent;                              // of all moves
  bool (*is_possible)(const MoveContext&);  // where it is not, the next kind that is takes its share
  void (*propose)(const MoveContext&);      // may find nothing to change
};

// The mix of moves; the last kind is always possible. Half of all moves are relief of memory instead while a plan does
// not fit.
std::span<const MoveKind> move_kinds();

// Changes the draft by a move of a kind picked by its share.
void propose_move(const MoveContext& context);

// A device that the move at hand would give more work than `most` gives other groups away, until none has too much;
// false if there is too much for that. Where all devices are busy almost all the time, hardly any move pays without
// another in return.
[[nodiscard]] bool balance_work(const MoveContext& context, Picoseconds most);

}  // namespace berth
