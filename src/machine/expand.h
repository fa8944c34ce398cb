// SPDX-License-Identifier: Apache-2.0
// Links as people describe them become channels (one direction each) and the queues they wait in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "machine/machine.h"

namespace berth {

struct Expansion {
  std::vector<Channel> channels;         // in the order of the links, forward direction first
  std::vector<std::string> queue_names;  // in the order of first use
};

// Channel "a>b" for each direction. Queue: one per direction of a full-duplex or one-way link, named like the channel;
// one for both directions of a half-duplex link, "a-b"; one for all links of a bus, named like it; none when
// uncontended. Names are made unique by "#2", "#3". The description must have passed find_mistake(); the only
// failure left is a machine with more channels than ids.
Result<Expansion> expand_links(std::span<const Device> devices, std::span<const std::string> switches,
                               std::span<const Link> links);

}  // namespace berth
