// SPDX-License-Identifier: Apache-2.0
// Reading a line of llama.cpp's flags: words of a shell, and what each flag says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serving/files/llama_flags.h"

namespace berth {

// Words of a command line: quotes and backslashes as in a shell.
Result<std::vector<std::string>> shell_words(std::string_view line);
Result<LlamaFlags> parse_llama_flags(std::string_view line, const RuntimeDevices& devices);

}  // namespace berth
