// SPDX-License-Identifier: Apache-2.0
// ZB-V: device d of p has the stages d and 2p - 1 - d, so that a microbatch goes down the devices and comes back; the
// backward pass is in two parts. Source: Qi et al., "Pipeline Parallelism with Controllable Memory", NeurIPS 2024 (the
// schedule was announced in "Zero Bubble Pipeline Parallelism", ICLR 2024); the order of actions as in PyTorch's
// ScheduleZBVZeroBubble. With equal parts of forward, input and weight nothing but the start is idle, and no device
// holds more than 2p half stages' microbatches, as much as 1F1B's first. It is made for at least 2p - 1 microbatches
// and leaves those out that there are not.
#include <algorithm>

#include "pipeline/schedules/rules.h"

namespace berth::pipeline {
namespace {

class ZbVList {
 public:
  ZbVList(const ScheduleShape& shape, std::uint32_t place)
      : down_(place),
        up_(2 * shape.places - 1 - place),
        place_(place),
        places_(shape.places),
        real_(shape.microbatches),
        all_(std::max(2 * shape.places - 1, shape.microbatches)) {}

  std::vector<PipelineAction> run() {
    for (std::uint32_t i = 0; i < 2 * (places_ - place_) - 1; ++i) forward(down_);
    for (std::uint32_t i = 0; i < place_; ++i) forward(up_), forward(down_);
    for (std::uint32_t i = 0; i < places_ - place_; ++i) forward(up_), backward(up_), weight(up_);
    while (count(up_).forward < count(down_).forward || count(down_).forward < all_) {
      if (count(down_).forward < all_) forward(down_);
      backward(down_), weight(down_);
      forward(up_), backward(up_), weight(up_);
    }
    for (std::uint32_t i = 0; i < place_; ++i) backward(down_), backward(up_);
    for (std::uint32_t i = 0; i < places_ - place_; ++i) backward(down_), weight(down_);
    while (count(up_).weight < count(up_).backward) weight(up_);
    while (count(down_).weight < count(down_).backward) weight(down_);
    return std::move(list_);
  }

 private:
  struct Count {
    std::uint32_t forward = 0, backward = 0, weight = 0;
  };
  Count& count(std::uint32_t stage) { return stage == down_ ? down_count_ : up_count_; }
  void add(ActionKind kind, std::uint32_t stage, std::uint32_t microbatch) {
    if (microbatch < real_) list_.push_back({kind, stage, microbatch});
  }
  void forward(std::uint32_t stage) { add(ActionKind::kForward, stage, count(stage).forward++); }
  void backward(std::uint32_t stage) { add(ActionKind::kBackwardInput, stage, count(stage).backward++); }
  void weight(std::uint32_t stage) { add(ActionKind::kBackwardWeight, stage, count(stage).weight++); }

  std::uint32_t down_, up_, place_, places_, real_, all_;
  Count down_count_, up_count_;
  std::vector<PipelineAction> list_;
};

}  // namespace

Lists zb_v_lists(const ScheduleShape& shape) {
  Lists lists;
  for (std::uint32_t place = 0; place < shape.places; ++place) lists.push_back(ZbVList(shape, place).run());
  return lists;
}

}  // namespace berth::pipeline
