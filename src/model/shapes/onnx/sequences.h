// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX's sequences and optionals. A sequence has the shape of its elements stacked, [how many, ...], so that
// it has their bytes; where they differ along an axis, that one is unknown. An optional has the shape of what is in it.
#pragma once

#include "model/shapes/onnx/rules.h"

namespace berth {

Outputs infer_sequence_construct(const OnnxView& node);
Outputs infer_sequence_insert(const OnnxView& node);
Outputs infer_sequence_erase(const OnnxView& node);
Outputs infer_sequence_at(const OnnxView& node);
Outputs infer_split_to_sequence(const OnnxView& node);
Outputs infer_concat_from_sequence(const OnnxView& node);
Outputs infer_length(const OnnxView& node);  // one whole number
Outputs infer_flag(const OnnxView& node);    // one truth value

}  // namespace berth
