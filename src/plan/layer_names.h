// SPDX-License-Identifier: Apache-2.0
// Which layer a dotted path belongs to, judged by all paths of the model together.
//
// What every path has in common ("m.m." of a wrapped model) is skipped. From there a layer is the shortest prefix that
// ends in a number ("encoder.layer.3" of "encoder.layer.3.attention.query"), or under which no number follows
// ("Mixed_5b" of "Mixed_5b.branch1x1.conv"). A path that is itself a container of layers ("encoder") names none.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

// One name per path, "" for containers and for the empty path.
std::vector<std::string> layer_names(std::span<const std::string> paths);

// Path of the module that owns a parameter: "enc.0.x" of "enc.0.x.weight"; a number that the name itself carries, as in
// "rnn.weight_ih_l1" or "rnn.bias_hh_l1_reverse", becomes a component: "rnn.1".
std::string module_of_label(std::string_view label);

}  // namespace berth
