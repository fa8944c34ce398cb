// SPDX-License-Identifier: Apache-2.0
#include "pipeline/search/cut_dp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace berth::pipeline {
namespace {

constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max() / 4;

class CutFinder {
 public:
  CutFinder(const BlockCosts& costs, const CutRequest& request)
      : costs_(costs), request_(request), places_(request.places.size()), blocks_(costs.num_blocks()) {
    price_stages();
  }

  std::vector<FoundCut> run(std::size_t most) {
    std::vector<FoundCut> found;
    if (blocks_ < places_) return found;
    const auto [low, high] = range_of_bounds();
    if (low >= kNever) return found;
    const auto steps = static_cast<double>(std::max<std::size_t>(request_.bounds - 1, 1));
    for (std::size_t i = 0; i < request_.bounds; ++i) {
      const double growth =
          std::pow(static_cast<double>(high) / static_cast<double>(low), static_cast<double>(i) / steps);
      std::optional<FoundCut> next =
          shortest_way(static_cast<Picoseconds>(std::ceil(static_cast<double>(low) * growth)));
      if (!next || std::ranges::find(found, next->cut, &FoundCut::cut) != found.end()) continue;
      found.push_back(std::move(*next));
    }
    std::ranges::stable_sort(found, {}, &FoundCut::estimate);
    if (found.size() > most) found.resize(most);
    return found;
  }

 private:
  struct Price {
    Picoseconds load = kNever;  // per microbatch, what sets the pace
    Picoseconds way = kNever;   // on the way of one microbatch through all stages
    bool recompute = false;
  };

  Price& price(std::size_t place, std::size_t first, std::size_t end) {
    return prices_[(place * (blocks_ + 1) + first) * (blocks_ + 1) + end];
  }

  // Microbatches that 1f1b holds in the stage.
  [[nodiscard]] Bytes live(std::size_t place) const {
    return static_cast<Bytes>(std::min<std::size_t>(request_.microbatches, places_ - place));
  }

  void price_stages() {
    prices_.assign(places_ * (blocks_ + 1) * (blocks_ + 1), {});
    for (std::size_t place = 0; place < places_; ++place) {
      const Bytes room = room_of(place);
      for (std::size_t first = place; first < blocks_; ++first) {
        Bytes inside = 0;
        for (std::size_t end = first + 1; end + (places_ - place - 1) <= blocks_; ++end) {
          if (!costs_.can_run(end - 1, end, request_.places[place])) break;
          inside = std::max(inside, costs_.inside(end - 1, end));
          price(place, first, end) = price_of(place, first, end, room, inside);
        }
      }
    }
  }

  [[nodiscard]] Price price_of(std::size_t place, std::size_t first, std::size_t end, Bytes memory,
                               Bytes inside) const {
    const DeviceId device = request_.places[place];
    const Picoseconds forward = costs_.forward(first, end, device), backward = costs_.backward(first, end, device);
    Price price;
    const Bytes room = memory - costs_.resident(first, end), kept = costs_.kept(first, end);
    if (!request_.heed_memory || live(place) * kept + inside <= room) {
      price = {forward + backward, forward + backward, false};
    } else if (request_.may_recompute && live(place) * costs_.border_bytes(first) + kept + inside <= room) {
      price = {2 * forward + backward, 2 * forward + backward, true};
    } else {
      return price;
    }
    // Updates come once; over the microbatches they are a share of the load.
    price.load += costs_.update(first, end, device) / request_.microbatches;
    if (place == 0) return price;
    const DeviceId before = request_.places[place - 1];
    const Picoseconds there = costs_.send_forward(first, before, device),
                      back = costs_.send_backward(first, device, before);
    price.load = std::max({price.load, there, back});
    price.way += there + back;
    return price;
  }

  // A device that comes several times shares its memory among its stages.
  [[nodiscard]] Bytes room_of(std::size_t place) const {
    const auto times = std::ranges::count(request_.places, request_.places[place]);
    return costs_.step().problem->capacity(request_.places[place]) / static_cast<Bytes>(times);
  }

  // From the least largest load, by the same program, to all that could help.
  std::pair<Picoseconds, Picoseconds> range_of_bounds() {
    std::vector<Picoseconds> least(blocks_ + 1, kNever), next;
    least[0] = 0;
    for (std::size_t place = 0; place < places_; ++place) {
      next.assign(blocks_ + 1, kNever);
      for (std::size_t first = place; first < blocks_; ++first) {
        if (least[first] >= kNever) continue;
        for (std::size_t end = first + 1; end <= blocks_; ++end) {
          next[end] = std::min(next[end], std::max(least[first], price(place, first, end).load));
        }
      }
      least = next;
    }
    const Picoseconds low = std::max<Picoseconds>(least[blocks_], 1);
    return {low, low >= kNever ? low : 2 * low};
  }

  std::optional<FoundCut> shortest_way(Picoseconds bound) {
    std::vector<std::vector<Picoseconds>> way(places_ + 1, std::vector<Picoseconds>(blocks_ + 1, kNever));
    std::vector<std::vector<std::size_t>> from(places_ + 1, std::vector<std::size_t>(blocks_ + 1, 0));
    way[0][0] = 0;
    for (std::size_t place = 0; place < places_; ++place) {
      for (std::size_t first = place; first < blocks_; ++first) {
        if (way[place][first] >= kNever) continue;
        for (std::size_t end = first + 1; end <= blocks_; ++end) {
          const Price& stage = price(place, first, end);
          if (stage.load > bound || way[place][first] + stage.way >= way[place + 1][end]) continue;
          way[place + 1][end] = way[place][first] + stage.way;
          from[place + 1][end] = first;
        }
      }
    }
    if (way[places_][blocks_] >= kNever) return std::nullopt;
    FoundCut found;
    found.cut.first_block.resize(places_);
    found.cut.recompute.resize(places_);
    Picoseconds slowest = 0;
    for (std::size_t place = places_, end = blocks_; place-- > 0;) {
      const std::size_t first = from[place + 1][end];
      found.cut.first_block[place] = static_cast<std::uint32_t>(first);
      found.cut.recompute[place] = price(place, first, end).recompute ? 1 : 0;
      slowest = std::max(slowest, price(place, first, end).load);
      end = first;
    }
    found.estimate = (request_.microbatches - 1) * slowest + way[places_][blocks_];
    return found;
  }

  const BlockCosts& costs_;
  const CutRequest& request_;
  const std::size_t places_, blocks_;
  std::vector<Price> prices_;
};

}  // namespace

std::vector<FoundCut> find_cuts(const BlockCosts& costs, const CutRequest& request, std::size_t most) {
  return CutFinder(costs, request).run(most);
}

}  // namespace berth::pipeline
