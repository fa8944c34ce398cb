// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/join.h"

#include <algorithm>
#include <tuple>
#include <utility>

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
    const Touched& touched = touched_[static_cast<std::size_t>(seen_[node])];
    // It can be anywhere without holding up the join.
    if (earliest_end(graph_, floors_, skeleton_.op[node]) + touched.way_apart <= start) continue;
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
    touched_.push_back({node, 0, 0});
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
    const Touched& touched = touched_[static_cast<std::size_t>(seen_[chosen[i]])];
    part.node = chosen[i];
    part.op = skeleton_.op[chosen[i]];
    part.way_same = touched.way_same;
    part.way_apart = touched.way_apart;
    part.before.clear();
    for (const Delay& delay : skeleton_.before.of(chosen[i])) {
      const auto at = std::lower_bound(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(i), delay.node);
      if (at == chosen.begin() + static_cast<std::ptrdiff_t>(i) || *at != delay.node) continue;
      part.before.push_back({static_cast<NodeId>(at - chosen.begin()), delay.same, delay.apart, delay.port});
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
  auto& candidates = candidates_[part];
  candidates.clear();
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
  std::ranges::sort(candidates, {}, [](const Candidate& candidate) {
    return std::tuple(candidate.bound, candidate.place.device, candidate.device_class);
  });
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
                                        Picoseconds bound) {
  const Part& it = parts_[part];
  Place place{.device = device};
  place.start = floors_[graph_.cell(it.op, device_class)];
  for (const Delay& delay : it.before) {
    const Place& other = places_[delay.node];
    place.start = std::max(place.start, other.end + (other.device == device ? delay.same : delay.apart));
  }
  place.end = place.start + graph_.time(it.op, device_class);
  place.way = device == 0 ? it.way_same : it.way_apart;
  bound = std::max({bound, place.end + place.way, queue(part, place, device_class), ports(part, place)});
  return {bound, place, device_class};
}

// What it takes to get through jobs one after the other, so many at a time: of all that begin no earlier than some time
// and have at least some way to go.
Picoseconds JoinSearch::longest_queue(Jobs& jobs, Picoseconds lanes) {
  std::ranges::sort(jobs, [](const Job& x, const Job& y) { return x.begin > y.begin; });
  Picoseconds most = 0;
  for (const Job& last : jobs) {
    Picoseconds work = 0;
    for (const Job& job : jobs) {
      if (job.way < last.way) continue;
      work += job.time;
      most = std::max(most, job.begin + (work + lanes - 1) / lanes + last.way);
    }
  }
  return most;
}

// For the lanes of the part's device.
Picoseconds JoinSearch::queue(std::size_t part, const Place& place, std::size_t device_class) {
  if (place.end == place.start) return 0;
  jobs_.assign(1, {place.start, place.end - place.start, place.way});
  for (std::size_t i = 0; i < part; ++i) {
    const Place& other = places_[i];
    if (other.device == place.device && other.end > other.start)
      jobs_.push_back({other.start, other.end - other.start, other.way});
  }
  return jobs_.size() > 1 ? longest_queue(jobs_, graph_.classes[device_class].lanes) : 0;
}

// For the ports of the devices that send something between the part and what is before it.
Picoseconds JoinSearch::ports(std::size_t part, const Place& place) {
  Picoseconds most = 0;
  const Place before = std::exchange(places_[part], place);
  DeviceSet done = 0;
  for (const Delay& delay : parts_[part].before) {
    const std::size_t other = places_[delay.node].device;
    if (delay.port == 0 || other == place.device) continue;
    const std::size_t sender = graph_.is_turned ? place.device : other;
    if (std::exchange(done, done | DeviceSet{1} << sender) >> sender & 1) continue;
    find_sent(part, sender);
    if (jobs_.size() > 1) most = std::max(most, longest_queue(jobs_, 1));
  }
  places_[part] = before;
  return most;
}

// Everything that a device sends, once per tensor and destination, of what is between the parts up to one.
void JoinSearch::find_sent(std::size_t last, std::size_t sender) {
  jobs_.clear();
  sent_.clear();
  for (std::size_t part = 0; part <= last; ++part) {
    const Place& place = places_[part];
    for (const Delay& delay : parts_[part].before) {
      const Place& before = places_[delay.node];
      if (delay.port == 0 || before.device == place.device) continue;
      if ((graph_.is_turned ? place.device : before.device) != sender) continue;
      const Picoseconds rest = delay.apart - delay.port;
      const Picoseconds way = place.end - place.start + place.way;
      const Sent sent = graph_.is_turned ? Sent{part, before.device} : Sent{delay.node, place.device};
      Job job{before.end, delay.port, way};
      (graph_.is_turned ? job.begin : job.way) += rest;
      const auto known = std::ranges::find(sent_, sent);
      if (known == sent_.end()) {
        sent_.push_back(sent);
        jobs_.push_back(job);
      } else {
        Job& same = jobs_[static_cast<std::size_t>(known - sent_.begin())];
        same = {std::max(same.begin, job.begin), std::max(same.time, job.time), std::max(same.way, job.way)};
      }
    }
  }
}

}  // namespace berth
