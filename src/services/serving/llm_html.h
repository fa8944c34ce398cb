// SPDX-License-Identifier: Apache-2.0
// An answer of `berth llm` as a page by itself: nothing is loaded from elsewhere, no script runs; for light and dark
// screens. Bars of every device over the context, layers coloured by device, tokens a second over what is in the caches
// and over sequences, what other hardware would change, and what is wrong.
#pragma once

#include <string>

#include "services/serving/llm.h"

namespace berth {

Result<std::string> llm_html(const LlmAnswer& answer);

}  // namespace berth
