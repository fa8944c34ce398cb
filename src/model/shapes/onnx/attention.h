// SPDX-License-Identifier: Apache-2.0
// Rules of attention in one operator: ONNX's own (opset 23), and onnxruntime's family. Besides their result they hand
// out the keys and values for the next call ("present"), those of earlier calls ("past") in front.
#pragma once

#include "model/shapes/onnx/rules.h"

namespace berth {

Outputs infer_attention(const OnnxView& node);              // ONNX: query, key, value, mask, past key, past value
Outputs infer_packed_attention(const OnnxView& node);       // com.microsoft.Attention: input, weight of all three
Outputs infer_multi_head_attention(const OnnxView& node);   // com.microsoft: query, key, value, each projected
Outputs infer_unpadded_attention(const OnnxView& node);     // com.microsoft.PackedAttention
Outputs infer_group_query_attention(const OnnxView& node);  // com.microsoft: fewer heads of keys than of queries
Outputs infer_sparse_attention(const OnnxView& node);       // com.microsoft: with buffers of full length

}  // namespace berth
