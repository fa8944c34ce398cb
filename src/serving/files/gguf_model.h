// SPDX-License-Identifier: Apache-2.0
// The language model that GGUF files describe. Split files (NAME-00001-of-00003.gguf) are read together, whichever of
// them is given. All errors begin with the file's name.
#pragma once

#include <string>
#include <string_view>

#include "serving/files/gguf.h"
#include "serving/model.h"

namespace berth {

Result<llm::Model> load_gguf_model(const std::string& path);

// The same from one header whose tensors are all there.
Result<llm::Model> model_of_gguf(const GgufHeader& header, std::string_view title);

// A projector for pictures or sound (mmproj file), as one tensor.
Result<llm::Tensor> load_projector(const std::string& path);

}  // namespace berth
