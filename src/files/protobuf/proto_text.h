// SPDX-License-Identifier: Apache-2.0
// Protobuf's text format: `name: value` and `name { ... }`, in any order. A text is turned into wire bytes by the same
// tables that the readers of binary files follow, so there is one reader per format. Fields without a table row are
// skipped, with whatever they hold; so are extensions in brackets.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "files/protobuf/proto_schema.h"

namespace berth {

// The message in protobuf's text format as wire bytes. Errors begin with the line.
Result<std::string> text_to_wire(std::string_view text, const ProtoMessage& message);

// Name of the first field of a text, empty if there is none: what kind of message it is.
std::string_view first_field_of_text(std::string_view text);

}  // namespace berth
