// SPDX-License-Identifier: Apache-2.0
// Which layer a path belongs to, judged by all paths of the model together.
//
// Paths are cut at '.', '/', ':' and around '[3]', as exporters write them. What every path has in common ("m.m." of a
// wrapped model) is skipped. From there a layer is the shortest prefix that ends in a layer's number, or under which
// none follows ("Mixed_5b" of "Mixed_5b.branch1x1.conv"). A path that is itself a container of layers ("encoder")
// names none. A layer's number is
//   - a whole component: "encoder.layer.3" of "encoder.layer.3.attention.query", "layers[3]", "block:2", "h/_3";
//   - the end of a word for layers: "encoder_layer_9", "denseblock4", "block1-0" - unless numbers follow right behind
//     it, as in "layer1.0", where those are the layers;
//   - the end of a word for many layers, "stage_2", where no layer's number follows anywhere below.
// Other words may end in numbers as they like: "conv2d_1", "branch3x3dbl_2", "ln_1", "node_MatMul_11".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

// One name per path, "" for containers and for the empty path.
std::vector<std::string> layer_names(std::span<const std::string> paths);

// The first component of a path: what two paths of one model's tree share.
std::string_view first_component(std::string_view path);

// Path of the module that owns a parameter: "enc.0.x" of "enc.0.x.weight"; a number that the name itself carries, as in
// "rnn.weight_ih_l1" or "rnn.bias_hh_l1_reverse", becomes a component: "rnn.1".
std::string module_of_label(std::string_view label);

}  // namespace berth
