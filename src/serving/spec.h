// SPDX-License-Identifier: Apache-2.0
// Language models as they are served: zoo:llama-8b,mode=decode,ctx=8192. One graph per phase (serving/workload.h), from
// a preset (serving/presets.h) or from a model that a reader brings.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "graph/graph.h"
#include "serving/model.h"
#include "zoo/settings.h"

namespace berth {

std::span<const ParameterInfo> serving_parameters();  // mode, ctx, batch, ...

// Whether a spec of the zoo asks for a served model: mode=decode or mode=prefill, or a name that only serving/presets.h
// has.
bool is_serving_spec(std::string_view spec);
Result<Graph> build_serving_model(std::string_view spec);

// The same for a model at hand; `assignments` is "mode=prefill,ctx=8192" or empty. The type of weights is its own.
Result<Graph> build_serving_model(const llm::Model& model, std::string_view assignments);

// Any name behind "zoo:": a served model, or else one of the zoo (zoo/zoo.h).
Result<Graph> build_named_model(std::string_view spec);

}  // namespace berth
