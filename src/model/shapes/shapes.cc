// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/shapes.h"

#include <algorithm>
#include <array>

#include "model/shapes/onnx/shapes.h"
#include "model/shapes/openvino/shapes.h"
#include "model/shapes/pass.h"
#include "model/shapes/tensorflow/shapes.h"

namespace berth {
namespace {

bool has_name(const std::vector<NamedDim>& dims, const std::string& name) {
  return std::ranges::find(dims, name, &NamedDim::name) != dims.end();
}

// Names are bound first: what rules work with are numbers. Some sizes have names only afterwards (Model::open_sizes).
Result<NamedSizes> infer_onnx(Model& model, const DimSizes& given) {
  const Status known = check_dims(model, given);
  std::vector<NamedDim> dims = bind_dims(model, given);
  infer_onnx_shapes(model, given);
  for (const auto& [name, size] : given) {
    const bool is_found = has_name(dims, name) || name == kLoopTurns ||
                          std::ranges::find(model.open_sizes, name, &OpenSize::name) != model.open_sizes.end();
    if (!known && !is_found) return known.error();
  }
  return NamedSizes{.open = std::move(dims), .bound = {}};
}

// Rules run twice: with names in place of sizes, which shows how far a name reaches, then with all sizes.
Result<NamedSizes> infer_tensorflow(Model& model, const DimSizes& given) {
  const std::vector<Value> stated = model.values;
  BERTH_RETURN_IF_ERROR(infer_tensorflow_shapes(model));
  BERTH_RETURN_IF_ERROR(check_dims(model, given));
  NamedSizes sizes{.open = {}, .bound = bind_dims(model, given)};
  if (!sizes.bound.empty()) {
    DimSizes all;
    for (const NamedDim& dim : sizes.bound) all.emplace(dim.name, dim.size);
    forget_inferred(model, stated);
    BERTH_RETURN_IF_ERROR(infer_tensorflow_shapes(model, all));
  }
  sizes.open = bind_dims(model, given);
  std::erase_if(sizes.bound, [&](const NamedDim& dim) { return has_name(sizes.open, dim.name); });
  return sizes;
}

// Rules carry names along with their sizes; what nobody gives stays open, since what windows make of a size of 1 is no
// size at all.
Result<NamedSizes> infer_openvino(Model& model, const DimSizes& given) {
  infer_openvino_shapes(model, given);
  BERTH_RETURN_IF_ERROR(check_dims(model, given));
  return NamedSizes{.open = bind_dims(model, given), .bound = {}};
}

// PyTorch states all shapes, in terms of names.
Result<NamedSizes> take_stated(Model& model, const DimSizes& given) {
  BERTH_RETURN_IF_ERROR(check_dims(model, given));
  return NamedSizes{.open = bind_dims(model, given), .bound = {}};
}

struct DialectRow {
  Dialect dialect;
  Result<NamedSizes> (*infer)(Model&, const DimSizes&);
};
constexpr std::array kDialects{DialectRow{Dialect::kOnnx, infer_onnx},
                               DialectRow{Dialect::kTensorFlow, infer_tensorflow},
                               DialectRow{Dialect::kOpenVino, infer_openvino}};

}  // namespace

Result<NamedSizes> infer_shapes(Model& model, const DimSizes& given) {
  const auto row = std::ranges::find(kDialects, model.dialect, &DialectRow::dialect);
  return row != kDialects.end() ? row->infer(model, given) : take_stated(model, given);
}

}  // namespace berth
