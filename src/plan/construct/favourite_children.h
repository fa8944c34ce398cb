// SPDX-License-Identifier: Apache-2.0
// Favourite children: for each op at most one consumer, and for each consumer at most one producer, that should share a
// device without a transfer between them (Hanen and Munier, 1995, as used by Baechi).
//
// The linear program (plan/construct/schedule_program.h) takes the duration of an op on its fastest device and the mean
// transfer over all device pairs. Chains are one op here: their links are favourites anyway. An edge whose x comes out
// below one half is a favourite.
#pragma once

#include <string>
#include <vector>

#include "plan/search/search.h"

namespace berth {

struct FavouriteChildren {
  std::vector<OpId> child_of;  // per op, kNoOp: none
  std::string note;            // how they were found, for people
};

// By the linear program, or by the largest tensor of each op where the program is too large or takes too long.
FavouriteChildren favourite_children(const Search& search);
std::vector<OpId> children_by_largest_tensor(const Problem& problem);

}  // namespace berth
