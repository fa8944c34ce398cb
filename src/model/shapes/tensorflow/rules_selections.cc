// SPDX-License-Identifier: Apache-2.0
// Ops that pick, group or count elements by their values. How many they give depends on the data: unknown, unless the
// op states the most that there can be, which then counts.
#include "model/shapes/tensorflow/rules.h"

#include <algorithm>
#include <array>

namespace berth::tensorflow {
namespace {

Outputs where(const NodeView& op) {
  const Shape* condition = op.shape(0);
  return one(Shape{Dim{}, condition != nullptr ? Dim{static_cast<std::int64_t>(condition->size())} : Dim{}});
}

// The elements, where each input is among them, and how often each is there.
Outputs unique(const NodeView& op) {
  Outputs shapes{Shape(1), copy_of(op.shape(0))};
  if (op.type() == "UniqueWithCounts") shapes.emplace_back(Shape(1));
  return shapes;
}

Dim smaller(const Dim& a, const Dim& b) {
  if (!a.known() || !b.known()) return a.known() ? a : b;
  return a.size <= b.size ? a : b;
}
Dim stated_most(const NodeView& op, std::size_t input) { return known_dim(op.number(input).value_or(-1)); }

// As many boxes as are wanted at most, or as there are.
Dim selected_boxes(const NodeView& op) {
  const Shape* boxes = op.shape(0);
  const Dim most = stated_most(op, 2);
  return most.known() && boxes != nullptr && !boxes->empty() ? smaller(most, boxes->front()) : most;
}
Outputs non_max(const NodeView& op) { return one(Shape{selected_boxes(op)}); }
Outputs non_max_v4(const NodeView& op) { return {Shape{selected_boxes(op)}, Shape()}; }
Outputs non_max_v5(const NodeView& op) { return {Shape{selected_boxes(op)}, Shape{selected_boxes(op)}, Shape()}; }

// Boxes, scores, classes, and how many of them are valid, per image.
Outputs combined_non_max(const NodeView& op) {
  const Shape *boxes = op.shape(0), *scores = op.shape(1);
  if (boxes == nullptr || boxes->empty()) return Outputs(4);
  Dim most = stated_most(op, 3);
  if (op.is_set("pad_per_class") && scores != nullptr && !scores->empty()) {
    most = smaller(most, product_of(stated_most(op, 2), scores->back()));
  }
  const Dim images = boxes->front();
  return {Shape{images, most, Dim{4}}, Shape{images, most}, Shape{images, most}, Shape{images}};
}

// Rows that belong together are added up; the last of the ids, which are sorted, would tell how many results there are.
Outputs segments(const NodeView& op) { return one(with_first(Dim{}, op.shape(0), 1)); }
Outputs unsorted_segments(const NodeView& op) {
  const Shape* ids = op.shape(1);
  if (ids == nullptr) return one(std::nullopt);
  return one(with_first(stated_most(op, 2), op.shape(0), ids->size()));
}

// Each element goes to one of the outputs.
Outputs partition(const NodeView& op) {
  const std::int64_t parts = op.integer("num_partitions", 0);
  const Shape* ids = op.shape(1);
  if (parts < 1 || parts > static_cast<std::int64_t>(kMostOutputs)) return {};
  return Outputs(static_cast<std::size_t>(parts),
                 ids != nullptr ? with_first(Dim{}, op.shape(0), ids->size()) : std::nullopt);
}

// The inverse: lists of positions, then what comes there. One more than the largest position are made.
Outputs stitch(const NodeView& op) {
  const std::size_t count = op.num_inputs() / 2;
  if (count == 0 || op.shape(0) == nullptr) return one(std::nullopt);
  std::int64_t most = -1;
  bool known = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* positions = op.contents(i);
    known = known && positions != nullptr;
    if (positions != nullptr && !positions->empty()) most = std::max(most, std::ranges::max(*positions));
  }
  const bool fits = known && most < kLargestSize;
  return one(with_first(fits ? known_dim(most + 1) : Dim{}, op.shape(count), op.shape(0)->size()));
}

Outputs count_values(const NodeView& op) { return one(Shape{stated_most(op, 1)}); }

// A row of as many samples for each row of logits.
Outputs samples(const NodeView& op) {
  const Shape* logits = op.shape(0);
  return one(Shape{logits != nullptr && !logits->empty() ? logits->front() : Dim{}, stated_most(op, 1)});
}

constexpr std::array kSelectionsRules{
    RuleRow{"Where", where},
    RuleRow{"Unique UniqueV2 UniqueWithCounts", unique},
    RuleRow{"NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3", non_max},
    RuleRow{"NonMaxSuppressionV4", non_max_v4},
    RuleRow{"NonMaxSuppressionV5", non_max_v5},
    RuleRow{"CombinedNonMaxSuppression", combined_non_max},
    RuleRow{"SegmentSum SegmentMean SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN", segments},
    RuleRow{"UnsortedSegmentSum UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd", unsorted_segments},
    RuleRow{"DynamicPartition", partition},
    RuleRow{"DynamicStitch", stitch},
    RuleRow{"Bincount", count_values},
    RuleRow{"Multinomial", samples},
};

}  // namespace

std::span<const RuleRow> selection_rules() { return kSelectionsRules; }

}  // namespace berth::tensorflow
