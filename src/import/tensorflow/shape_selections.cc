// SPDX-License-Identifier: Apache-2.0
// Ops that pick, group or count elements by their values. How many they give depends on the data: unknown, unless the
// op states the most that there can be, which then counts.
#include <algorithm>
#include <array>

#include "import/tensorflow/shape_tools.h"

namespace berth::tensorflow {
namespace {

Shapes where(const OpContext& op) {
  const Shape* condition = op.shape(0);
  return one(Shape{Dim{}, condition != nullptr ? Dim{static_cast<std::int64_t>(condition->size())} : Dim{}});
}

// The elements, where each input is among them, and how often each is there.
Shapes unique(const OpContext& op) {
  Shapes shapes{Shape(1), copy_of(op.shape(0))};
  if (op.type == "UniqueWithCounts") shapes.emplace_back(Shape(1));
  return shapes;
}

Dim smaller(const Dim& a, const Dim& b) {
  if (!a.known() || !b.known()) return a.known() ? a : b;
  return a.size <= b.size ? a : b;
}
Dim stated_most(const OpContext& op, std::size_t input) { return dim_of(op.scalar(input).value_or(-1)); }

// As many boxes as are wanted at most, or as there are.
Dim selected_boxes(const OpContext& op) {
  const Shape* boxes = op.shape(0);
  const Dim most = stated_most(op, 2);
  return most.known() && boxes != nullptr && !boxes->empty() ? smaller(most, boxes->front()) : most;
}
Shapes non_max(const OpContext& op) { return one(Shape{selected_boxes(op)}); }
Shapes non_max_v4(const OpContext& op) { return {Shape{selected_boxes(op)}, Shape()}; }
Shapes non_max_v5(const OpContext& op) { return {Shape{selected_boxes(op)}, Shape{selected_boxes(op)}, Shape()}; }

// Boxes, scores, classes, and how many of them are valid, per image.
Shapes combined_non_max(const OpContext& op) {
  const Shape *boxes = op.shape(0), *scores = op.shape(1);
  if (boxes == nullptr || boxes->empty()) return Shapes(4);
  Dim most = stated_most(op, 3);
  if (op.attributes.boolean("pad_per_class") && scores != nullptr && !scores->empty()) {
    most = smaller(most, product(stated_most(op, 2), scores->back()));
  }
  const Dim images = boxes->front();
  return {Shape{images, most, Dim{4}}, Shape{images, most}, Shape{images, most}, Shape{images}};
}

// Rows that belong together are added up; the last of the ids, which are sorted, would tell how many results there are.
Shapes segments(const OpContext& op) { return one(with_first(Dim{}, op.shape(0), 1)); }
Shapes unsorted_segments(const OpContext& op) {
  const Shape* ids = op.shape(1);
  if (ids == nullptr) return one(std::nullopt);
  return one(with_first(stated_most(op, 2), op.shape(0), ids->size()));
}

// Each element goes to one of the outputs.
Shapes partition(const OpContext& op) {
  const std::int64_t parts = op.attributes.integer("num_partitions").value_or(0);
  const Shape* ids = op.shape(1);
  if (parts < 1 || parts > static_cast<std::int64_t>(kMostOutputs)) return {};
  return Shapes(static_cast<std::size_t>(parts),
                ids != nullptr ? with_first(Dim{}, op.shape(0), ids->size()) : std::nullopt);
}

// The inverse: lists of positions, then what comes there. One more than the largest position are made.
Shapes stitch(const OpContext& op) {
  const std::size_t count = op.inputs.size() / 2;
  if (count == 0 || op.shape(0) == nullptr) return one(std::nullopt);
  std::int64_t most = -1;
  bool known = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* positions = op.contents(i);
    known = known && positions != nullptr;
    if (positions != nullptr && !positions->empty()) most = std::max(most, std::ranges::max(*positions));
  }
  const bool fits = known && most < kMaxDimSize;
  return one(with_first(fits ? dim_of(most + 1) : Dim{}, op.shape(count), op.shape(0)->size()));
}

Shapes count_values(const OpContext& op) { return one(Shape{stated_most(op, 1)}); }

// A row of as many samples for each row of logits.
Shapes samples(const OpContext& op) {
  const Shape* logits = op.shape(0);
  return one(Shape{logits != nullptr && !logits->empty() ? logits->front() : Dim{}, stated_most(op, 1)});
}

constexpr std::array kSelectionRules{RuleRow{"Where", where},
                                     RuleRow{"Unique", unique},
                                     RuleRow{"UniqueV2", unique},
                                     RuleRow{"UniqueWithCounts", unique},
                                     RuleRow{"NonMaxSuppression", non_max},
                                     RuleRow{"NonMaxSuppressionV2", non_max},
                                     RuleRow{"NonMaxSuppressionV3", non_max},
                                     RuleRow{"NonMaxSuppressionV4", non_max_v4},
                                     RuleRow{"NonMaxSuppressionV5", non_max_v5},
                                     RuleRow{"CombinedNonMaxSuppression", combined_non_max},
                                     RuleRow{"SegmentSum", segments},
                                     RuleRow{"SegmentMean", segments},
                                     RuleRow{"SparseSegmentSum", segments},
                                     RuleRow{"SparseSegmentMean", segments},
                                     RuleRow{"SparseSegmentSqrtN", segments},
                                     RuleRow{"UnsortedSegmentSum", unsorted_segments},
                                     RuleRow{"UnsortedSegmentMax", unsorted_segments},
                                     RuleRow{"UnsortedSegmentMin", unsorted_segments},
                                     RuleRow{"UnsortedSegmentProd", unsorted_segments},
                                     RuleRow{"DynamicPartition", partition},
                                     RuleRow{"DynamicStitch", stitch},
                                     RuleRow{"Bincount", count_values},
                                     RuleRow{"Multinomial", samples}};

}  // namespace

std::span<const RuleRow> selection_rules() { return kSelectionRules; }

}  // namespace berth::tensorflow
