// SPDX-License-Identifier: Apache-2.0
// JoinSearch: how early one op of a skeleton can begin on a device, over all ways to place what comes shortly before it
// (queue_or_send.h says more).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/bounds/skeleton.h"

namespace berth {

class JoinSearch {
 public:
  // `floors`: how early every op can begin, by op and class; raised here.
  JoinSearch(const DelayGraph& graph, const Skeleton& skeleton, Ways& floors);

  // Raises the floor of a node on a class of devices, in at most about that many steps. Returns how many it took.
  std::int64_t raise(NodeId node, std::size_t device_class, std::int64_t steps);

 private:
  static constexpr std::size_t kMostOps = 18;

  // An op before the join that matters: if it were on another device, its result would come late.
  struct Part {
    NodeId node, op;
    Picoseconds way_same, way_apart;  // from its end to the join, from the join's device, from another
    std::vector<Delay> before;        // .node: position of another part
  };
  // Where a part is put and what that entails.
  struct Place {
    std::size_t device = 0;
    Picoseconds start = 0, end = 0, way = 0;
  };
  struct Candidate {
    Picoseconds bound;
    Place place;
    std::size_t device_class;
  };

  void gather(NodeId join, std::size_t device_class);
  void note(NodeId node, Picoseconds way_same, Picoseconds way_apart);
  void expand(NodeId node, std::size_t device_class);
  void make_parts(const std::vector<NodeId>& chosen);
  void explore(std::size_t part, Picoseconds bound);
  [[nodiscard]] Candidate place(std::size_t part, std::size_t device, std::size_t device_class, Picoseconds bound);
  [[nodiscard]] Picoseconds queue(std::size_t part, const Place& place, std::size_t device_class);
  [[nodiscard]] Picoseconds ports(std::size_t part, const Place& place);
  void find_sent(std::size_t last, std::size_t sender);
  // What shares lanes or a port.
  struct Job {
    Picoseconds begin, time, way;
  };
  using Jobs = std::vector<Job>;
  static Picoseconds longest_queue(Jobs& jobs, Picoseconds lanes);
  [[nodiscard]] bool may_be(std::size_t part, std::size_t device) const;

  const DelayGraph& graph_;
  const Skeleton& skeleton_;
  Ways& floors_;
  std::vector<std::int32_t> seen_;  // by node: position in touched_, -1 if none
  struct Touched {
    NodeId node;
    Picoseconds way_same, way_apart;
  };
  std::vector<Touched> touched_;
  std::vector<NodeId> open_;  // heap of nodes, the last on top
  std::vector<Part> parts_;
  std::size_t num_parts_ = 0;
  std::array<Place, kMostOps> places_;
  std::array<std::vector<Candidate>, kMostOps> candidates_;  // by part
  std::vector<std::size_t> class_of_device_;                 // devices in use, the join's first
  std::vector<std::uint32_t> used_;                          // devices in use by class
  Jobs jobs_;
  struct Sent {
    std::size_t part, to;  // what a part makes, to a device
    bool operator==(const Sent&) const = default;
  };
  std::vector<Sent> sent_;  // by job
  std::uint32_t join_unit_ = 0;
  Picoseconds best_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace berth
