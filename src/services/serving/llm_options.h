// SPDX-License-Identifier: Apache-2.0
// Words about serving, looked up: runtimes, objectives, types of caches, and devices of a machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/serving/llm.h"
#include "serving/files/llama_flags.h"

namespace berth {

Result<llm::Runtime> find_runtime(const std::string& name);
// "decode", "prefill", or the tokens in and out of a request: "2000:300".
Result<llm::Mix> find_mix(const std::string& text);

// "8192", "32k" (of 1,024 tokens), "1M"; the flag is named in errors.
Result<std::uint64_t> find_tokens(std::string_view flag, std::string_view text);
// "1.5GiB"; a bare number is refused, since nobody means bytes.
Result<Bytes> find_size(std::string_view flag, std::string_view text);

// Where servers of llama.cpp listen, by device.
Result<LlamaNames> llama_names(const LlmRequest& request, const Machine& machine);

// What the request asks of a model on a machine. A line of flags may state context and cache as well; the request's own
// figures win.
Result<llm::ServingOptions> serving_options(const LlmRequest& request, const LlamaFlags* given, const llm::Model& model,
                                            const Machine& machine);

// GPUs to be used only if the model does not fit on others.
Result<DeviceSet> last_devices(const LlmRequest& request, const Machine& machine);

}  // namespace berth
