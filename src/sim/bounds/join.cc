// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/join.h"

#include <algorithm>

namespace berth {

JoinSearch::JoinSearch(const DelayGraph& graph, const Skeleton& skeleton, Ways& floors)
    : graph_(graph), skeleton_(skeleton), floors_(floors), seen_(skeleton.op.size(), -1), parts_(kMostOps) {}

std::int64_t JoinSearch::raise(NodeId node, std::size_t device_class, std::int64_t steps) {
  Picoseconds& floor = floors_[graph_.cell(skeleton_.op[node], device_class)];
  gather(node, device_class);
  class_of_device_.assign(1, device_class);
  used_.assign(graph_.classes.size(), 0);
  used_[device_class] = 1;
  join_unit_ = graph_.unit_of[skeleton_.op[node]];
  // All on one device: an answer, and where nobody queues there the only one needed.
  best_ = floor;
  bool is_possible = true;
  for (std::size_t part = 0; part < num_parts_ && is_possible; ++part) {
    is_possible = graph_.time(parts_[part].op, device_class) < DelayGraph::kNever;
    if (!is_possible) break;
    const Candidate here = place(part, 0, device_class, best_);
    places_[part] = here.place;
    best_ = here.bound;
  }
  if (is_possible && best_ <= floor) return static_cast<std::int64_t>(num_parts_);
  if (!is_possible) best_ = DelayGraph::kNever;
  steps_ = steps;
  explore(0, floor);
  floor = std::max(floor, best_ == DelayGraph::kNever ? floor : best_);
  return steps - steps_ + static_cast<std::int64_t>(num_parts_);
}

// From the join backward, the last first, so that all that comes behind an op is known when its turn comes.
void JoinSearch::gather(NodeId join, std::size_t device_class) {
  const Picoseconds start = floors_[graph_.cell(skeleton_.op[join], device_class)];
  std::vector<NodeId> chosen;
  for (const Delay& delay : skeleton_.before.of(join)) note(delay.node, delay.same, delay.apart);
  while (!open_.empty() && chosen.size() < kMostOps) {
    std::ranges::pop_heap(open_);
    const NodeId node = open_.back();
    open_.pop_back();
    Touched& touched = touched_[static_cast<std::size_t>(seen_[node])];
    if (earliest_end(graph_, floors_, skeleton_.op[node]) + touched.way_apart <= start) continue;
    touched.is_chosen = true;
    chosen.push_back(node);
    expand(node, device_class);
  }
  std::ranges::reverse(chosen);
  make_parts(chosen);
  for (const Touched& touched : touched_) seen_[touched.node] = -1;
  touched_.clear();
  open_.clear();
}

void JoinSearch::note(NodeId node, Picoseconds way_same, Picoseconds way_apart) {
  if (seen_[node] < 0) {
    seen_[node] = static_cast<std::int32_t>(touched_.size());
    touched_.push_back({node, 0, 0, false});
    open_.push_back(node);
    std::ranges::push_heap(open_);
  }
  Touched& touched = touched_[static_cast<std::size_t>(seen_[node])];
  touched.way_same = std::max(touched.way_same, way_same);
  touched.way_apart = std::max(touched.way_apart, way_apart);
}

// Ways to the join of all that a node waits for: through the node on the join's device, or elsewhere.
void JoinSearch::expand(NodeId node, std::size_t device_class) {
  const Touched behind = touched_[static_cast<std::size_t>(seen_[node])];
  const NodeId op = skeleton_.op[node];
  const Picoseconds time_there = graph_.time(op, device_class);
  const bool may_be_there = time_there < DelayGraph::kNever;
  const Picoseconds there = may_be_there ? time_there + behind.way_same : DelayGraph::kNever;
  const Picoseconds elsewhere = graph_.least_time(op) + behind.way_apart;
  for (const Delay& delay : skeleton_.before.of(node)) {
    if (may_be_there) {
      note(delay.node, std::min(there + delay.same, elsewhere + delay.apart),
           std::min(there + delay.apart, elsewhere + delay.same));
    } else {
      note(delay.node, elsewhere + delay.apart, elsewhere + delay.same);
    }
  }
}

void JoinSearch::make_parts(const std::vector<NodeId>& chosen) {
  num_parts_ = chosen.size();
  for (std::size_t i = 0; i < num_parts_; ++i) {
    Part& part = parts_[i];
    Touched& touched = touched_[static_cast<std::size_t>(seen_[chosen[i]])];
    part.node = chosen[i];
    part.op = skeleton_.op[chosen[i]];
    part.way_same = touched.way_same;
    part.way_apart = touched.way_apart;
    part.before.clear();
    for (const Delay& delay : skeleton_.before.of(chosen[i])) {
      const auto at = std::lower_bound(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(i), delay.node);
      if (at == chosen.begin() + static_cast<std::ptrdiff_t>(i) || *at != delay.node) continue;
      part.before.push_back({static_cast<NodeId>(at - chosen.begin()), delay.same, delay.apart});
    }
  }
}

// Puts the parts from this one on everywhere. Whatever is not looked at to the end counts as `bound`, which it cannot
// undercut.
void JoinSearch::explore(std::size_t part, Picoseconds bound) {
  if (bound >= best_) return;
  if (part == num_parts_ || steps_ <= 0) {
    best_ = bound;
    return;
  }
  std::vector<Candidate> candidates;
  const std::size_t in_use = class_of_device_.size();
  for (std::size_t device = 0; device < in_use; ++device) {
    if (may_be(part, device)) candidates.push_back(place(part, device, class_of_device_[device], bound));
  }
  for (std::size_t c = 0; c < graph_.classes.size(); ++c) {
    if (used_[c] >= graph_.classes[c].devices || !may_be(part, in_use)) continue;
    if (graph_.time(parts_[part].op, c) == DelayGraph::kNever) continue;
    candidates.push_back(place(part, in_use, c, bound));
  }
  steps_ -= static_cast<std::int64_t>(candidates.size());
  std::ranges::stable_sort(candidates, {}, &Candidate::bound);
  for (const Candidate& candidate : candidates) {
    if (candidate.bound >= best_) break;
    const bool is_new = candidate.place.device == in_use;
    places_[part] = candidate.place;
    if (is_new) {
      class_of_device_.push_back(candidate.device_class);
      ++used_[candidate.device_class];
    }
    explore(part + 1, candidate.bound);
    if (is_new) {
      class_of_device_.pop_back();
      --used_[candidate.device_class];
    }
  }
}

// Whether a part may be on a device in use, or on a new one, for the units that are there.
bool JoinSearch::may_be(std::size_t part, std::size_t device) const {
  const std::uint32_t unit = graph_.unit_of[parts_[part].op];
  if (unit == join_unit_) return device == 0;
  for (std::size_t i = 0; i < part; ++i) {
    if (graph_.unit_of[parts_[i].op] == unit) return device == places_[i].device;
  }
  return device >= class_of_device_.size() ||
         graph_.time(parts_[part].op, class_of_device_[device]) < DelayGraph::kNever;
}

JoinSearch::Candidate JoinSearch::place(std::size_t part, std::size_t device, std::size_t device_class,
                                        Picoseconds bound) const {
  const Part& it = parts_[part];
  Place place{.device = device};
  place.start = floors_[graph_.cell(it.op, device_class)];
  for (const Delay& delay : it.before) {
    const Place& other = places_[delay.node];
    place.start = std::max(place.start, other.end + (other.device == device ? delay.same : delay.apart));
  }
  place.end = place.start + graph_.time(it.op, device_class);
  place.way = device == 0 ? it.way_same : it.way_apart;
  bound = std::max({bound, place.end + place.way, queue(part, place, device_class)});
  return {bound, place, device_class};
}

// The most that a part makes its device's share of the work take: with it, all that begins no earlier than some time
// and has at least some way to go.
Picoseconds JoinSearch::queue(std::size_t part, const Place& place, std::size_t device_class) const {
  std::array<const Place*, kMostOps> others;
  std::size_t count = 0;
  for (std::size_t i = 0; i < part; ++i) {
    if (places_[i].device == place.device && places_[i].end > places_[i].start) others[count++] = &places_[i];
  }
  if (count == 0) return 0;
  const auto first = others.begin(), last = others.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(first, last, [](const Place* x, const Place* y) { return x->start > y->start; });
  const Picoseconds lanes = graph_.classes[device_class].lanes;
  Picoseconds most = 0;
  const auto with_way = [&](Picoseconds least_way) {
    Picoseconds work = place.end - place.start, start = place.start;
    for (auto other = first; other != last; ++other) {
      if ((*other)->way < least_way) continue;
      work += (*other)->end - (*other)->start;
      start = std::min(start, (*other)->start);
      most = std::max(most, start + (work + lanes - 1) / lanes + least_way);
    }
  };
  with_way(place.way);
  for (auto other = first; other != last; ++other) {
    if ((*other)->way < place.way) with_way((*other)->way);
  }
  return most;
}

}  // namespace berth
