// SPDX-License-Identifier: Apache-2.0
// TensorFlow's messages as far as we read them: numbers of their fields and data types, and the tables behind
// check_wire() and text_to_wire(). All else in a file is skipped: debug information, gradients, collections, object
// graphs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/kinds.h"
#include "files/protobuf/proto_schema.h"

namespace berth::tensorflow {

struct EntryField {  // of a map
  enum : std::uint32_t { kKey = 1, kValue = 2 };
};
struct GraphField {
  enum : std::uint32_t { kNode = 1, kLibrary = 2 };
};
struct NodeField {
  enum : std::uint32_t { kName = 1, kOp = 2, kInput = 3, kDevice = 4, kAttr = 5 };
};
struct AttrField {
  enum : std::uint32_t {
    kList = 1,
    kString = 2,
    kInteger = 3,
    kFloat = 4,
    kBoolean = 5,
    kType = 6,
    kShape = 7,
    kTensor = 8,
    kPlaceholder = 9,
    kFunction = 10
  };
};
struct ListField {  // the others as in an attribute
  enum : std::uint32_t { kFunction = 9 };
};
struct CalleeField {  // NameAttrList
  enum : std::uint32_t { kName = 1, kAttr = 2 };
};
struct ShapeField {
  enum : std::uint32_t { kDim = 2, kUnknownRank = 3 };
};
struct DimField {
  enum : std::uint32_t { kSize = 1, kName = 2 };
};
struct TensorField {
  enum : std::uint32_t { kDType = 1, kShape = 2, kContent = 4, kInt32 = 7, kInt64 = 10 };
};
struct LibraryField {
  enum : std::uint32_t { kFunction = 1 };
};
struct FunctionField {
  enum : std::uint32_t { kSignature = 1, kNode = 3, kReturn = 4, kControlReturn = 6 };
};
struct OpDefField {
  enum : std::uint32_t { kName = 1, kInput = 2, kOutput = 3 };
};
struct ArgField {
  enum : std::uint32_t { kName = 1, kNumberAttr = 5, kTypeListAttr = 6 };
};
struct MetaGraphField {
  enum : std::uint32_t { kInfo = 1, kGraph = 2, kSignature = 5 };
};
struct InfoField {
  enum : std::uint32_t { kTag = 4 };
};
struct SignatureField {
  enum : std::uint32_t { kInput = 1, kOutput = 2 };
};
struct TensorInfoField {
  enum : std::uint32_t { kName = 1 };
};
struct SavedModelField {
  enum : std::uint32_t { kVersion = 1, kMetaGraph = 2 };
};

extern const ProtoMessage kGraphDef, kMetaGraphDef, kSavedModel;

// Key and value of a map's entry; either may be missing.
std::pair<std::string_view, std::string_view> read_entry(std::string_view bytes);

// Data types: "DT_FLOAT" is 1, as written in text files; a reference to a variable ("DT_FLOAT_REF") is 100 more.
std::optional<std::int64_t> data_type_number(std::string_view name);

// None for strings, handles of resources and variants, whose size a graph does not tell. Unsigned numbers that we have
// no type for become the signed ones of their size.
std::optional<DType> dtype_of(std::int64_t data_type);

inline constexpr std::int64_t kInt32Type = 3, kInt64Type = 9;

}  // namespace berth::tensorflow
