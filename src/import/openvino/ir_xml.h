// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "import/openvino/ir_net.h"

namespace berth::openvino {

// Reads the text; checks numbers, ranks, names and nesting, not yet that edges meet ports (see ir_links.h). Elements
// and attributes that we do not know are skipped; document types and entities of their own are never expanded.
Result<IrNet> parse_ir(std::string_view xml);

}  // namespace berth::openvino
