// SPDX-License-Identifier: Apache-2.0
#include "cost/op_class.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "base/check.h"
#include "cost/conv_shape.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, kCostClasses> kClassNames{"matmul",
                                                                 "conv pointwise",
                                                                 "conv windowed",
                                                                 "conv grad pointwise",
                                                                 "conv grad windowed",
                                                                 "attention",
                                                                 "elementwise",
                                                                 "random",
                                                                 "update",
                                                                 "copy",
                                                                 "fill",
                                                                 "reduction",
                                                                 "softmax",
                                                                 "softmax grad",
                                                                 "batch norm",
                                                                 "batch norm inference",
                                                                 "batch norm grad",
                                                                 "layer norm",
                                                                 "layer norm grad",
                                                                 "pool",
                                                                 "pool grad",
                                                                 "gather",
                                                                 "scatter",
                                                                 "loss grad",
                                                                 "nothing"};

struct TypeNames {
  CostClass cost_class;
  std::string_view names;  // canonical: lower case, without underscores
};

// The only list of type names. A gradient ("...grad", "...backward") of an elementwise op is elementwise without a name
// here.
constexpr std::array kTypeNames{
    TypeNames{
        CostClass::kMatmul,
        "matmul mm addmm bmm baddbmm addbmm batchmatmul batchmatmulv2 gemm linear dot mv einsum dense innerproduct "
        "matmulinteger qlinearmatmul lstm gru rnn lstmcell grucell fullyconnected"},
    TypeNames{
        CostClass::kConvWindowed,
        "conv conv1d conv2d conv3d convolution convtranspose convtranspose2d depthwiseconv2d depthwiseconv2dnative "
        "cudnnconvolution groupconvolution convolutionbackpropdata convinteger qlinearconv"},
    TypeNames{
        CostClass::kConvGradWindowed,
        "convolutionbackward conv1dgradinput conv1dgradweight conv2dgradinput conv2dgradweight conv2dbackpropinput "
        "conv2dbackpropfilter depthwiseconv2dnativebackpropinput depthwiseconv2dnativebackpropfilter convgrad"},
    TypeNames{CostClass::kAttention,
              "attention scaleddotproductattention scaleddotproductflashattention scaleddotproductefficientattention "
              "scaleddotproductcudnnattention multiheadattention groupqueryattention"},
    TypeNames{
        CostClass::kElementwise,
        "add addn addv2 sub subtract rsub mul multiply div divide realdiv truediv scale neg negative abs sign exp exp2 "
        "log log2 log1p expm1 sqrt rsqrt square pow power reciprocal inv sin cos tan atan erf erfc floor ceil round "
        "trunc mod fmod remainder floormod floordiv squareddifference maximum minimum max2 clamp clampmin clampmax "
        "clip "
        "sigmoid tanh relu relu6 leakyrelu prelu elu selu gelu silu swish mish softplus softsign "
        "hardtanh hardswish hardsigmoid logsigmoid threshold dropoutgrad nativedropoutbackward biasadd biasaddv1 "
        "gradadd addcmul addcdiv lerp where "
        "select selectv2 maskedfill eq equal ne notequal lt less le lessequal gt greater ge greaterequal and or xor "
        "not logicaland logicalor logicalnot bitwiseand bitwiseor bitwisenot isnan isinf cast tocopy "
        "convertelementtype "
        "quantizelinear dequantizelinear dynamicquantizelinear fakequantize fma"},
    TypeNames{CostClass::kRandom,
              "dropout nativedropout bernoulli rand randn randomuniform randomnormal randomstandardnormal "
              "truncatednormal multinomial"},
    TypeNames{
        CostClass::kUpdate,
        "sgdupdate momentumupdate adamupdate applygradientdescent applymomentum applyadam applyadagrad applyrmsprop "
        "resourceapplygradientdescent resourceapplymomentum resourceapplyadam assign assignadd assignsub"},
    TypeNames{
        CostClass::kCopy,
        "cat concat concatv2 concatenate stack pack clone contiguous copy broadcast broadcastto expand tile repeat pad "
        "padv2 mirrorpad constantpadnd slicegrad slicebackward selectbackward splitgrad transpose permute slice "
        "stridedslice stridedslicegrad split splitv unstack unpack reverse reversev2 flip roll depthtospace "
        "spacetodepth "
        "resize upsample interpolate gridsample upsamplenearest2d upsamplebilinear2d"},
    TypeNames{
        CostClass::kFill,
        "zeros ones full fill zeroslike oneslike newzeros newones newfull fulllike empty emptylike constantofshape "
        "arange range eye onehot tril triu"},
    TypeNames{
        CostClass::kReduction,
        "sum mean max min prod amax amin var std norm reducesum reducemean reducemax reducemin reduceprod reducel1 "
        "reducel2 reducelogsumexp logsumexp all any argmax argmin topk topkv2 sort cumsum cumprod globalaveragepool "
        "globalmaxpool l2loss globalnorm bincount unique nonmaxsuppression nonzero"},
    TypeNames{CostClass::kSoftmax,
              "softmax logsoftmax softmaxcrossentropy softmaxcrossentropywithlogits softmaxcrossentropyloss "
              "sparsesoftmaxcrossentropywithlogits safesoftmax"},
    TypeNames{
        CostClass::kSoftmaxGrad,
        "softmaxgrad logsoftmaxgrad softmaxbackwarddata logsoftmaxbackwarddata softmaxbackward logsoftmaxbackward "
        "softmaxcrossentropylossgrad"},
    TypeNames{
        CostClass::kBatchNorm,
        "batchnorm batchnormalization nativebatchnorm nativebatchnormlegit nativebatchnormlegitfunctional "
        "batchnormwithupdate cudnnbatchnorm fusedbatchnorm fusedbatchnormv2 fusedbatchnormv3 instancenormalization"},
    TypeNames{CostClass::kBatchNormInference, "nativebatchnormlegitnotraining batchnorminference"},
    TypeNames{CostClass::kBatchNormGrad,
              "batchnormgrad nativebatchnormbackward batchnormbackward cudnnbatchnormbackward fusedbatchnormgrad "
              "fusedbatchnormgradv2 fusedbatchnormgradv3"},
    TypeNames{CostClass::kLayerNorm,
              "layernorm nativelayernorm layernormalization rmsnorm fusedrmsnorm groupnorm nativegroupnorm "
              "groupnormalization simplifiedlayernormalization skiplayernormalization mvn lrn lpnormalization"},
    TypeNames{CostClass::kLayerNormGrad,
              "layernormgrad nativelayernormbackward layernormalizationgrad rmsnormgrad fusedrmsnormbackward "
              "nativegroupnormbackward lrngrad"},
    TypeNames{
        CostClass::kPool,
        "maxpool maxpool2d maxpool2dwithindices maxpoolv2 avgpool avgpool1d avgpool2d averagepool adaptiveavgpool2d "
        "adaptivemaxpool2d lppool roialign roipooling"},
    TypeNames{CostClass::kPoolGrad,
              "maxpoolgrad maxpool2dwithindicesbackward avgpoolgrad avgpool2dbackward averagepoolgrad "
              "adaptiveavgpool2dbackward"},
    TypeNames{CostClass::kGather,
              "embedding gather gatherv2 gathernd gatherelements index indexselect take takealongdim embeddingbag "
              "resourcegather embeddinglookup nllloss nlllossforward nllloss2dforward moedispatch moecombine"},
    TypeNames{
        CostClass::kScatter,
        "embeddinggrad embeddingdensebackward embeddingbackward gathergrad scatter scatteradd scatternd "
        "scatterelements scattersub scatterreduce indexput indexadd indexfill unsortedsegmentsum segmentsum topkgrad "
        "moedispatchgrad moecombinegrad"},
    TypeNames{CostClass::kLossGrad, "nlllossgrad nlllossbackward nllloss2dbackward"},
    TypeNames{
        CostClass::kNothing,
        "unsafeview asserttensormetadata asserttensor assertscalar assertasync view reshape identity noop squeeze "
        "unsqueeze flatten expanddims getitem alias detach t shape shapeof size rank stopgradient placeholder const "
        "constant parameter buffer input output result variable variablev2 varhandleop readvariableop symsize "
        "groupdeps"},
};

using ClassByName = std::unordered_map<std::string_view, CostClass>;

const ClassByName& class_by_name() {
  static const ClassByName table = [] {
    ClassByName by_name;
    for (const TypeNames& row : kTypeNames) {
      std::string_view rest = row.names;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        BERTH_CHECK(by_name.emplace(rest.substr(0, end), row.cost_class).second);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    return by_name;
  }();
  return table;
}

// Canonical spelling in a buffer of its own: no allocation, since every op of a graph passes here once per device
// model.
class CanonicalName {
 public:
  explicit CanonicalName(std::string_view type) {
    for (const std::string_view prefix : {"aten.", "aten::", "prims.", "ai.onnx.", "com.microsoft."}) {
      if (type.starts_with(prefix)) type.remove_prefix(prefix.size());
    }
    for (const char c : type.substr(0, type.find('.'))) {
      if (c == '_' || c == '-') continue;
      if (size_ == text_.size()) return;
      text_[size_++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  [[nodiscard]] std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 64> text_{};
  std::size_t size_ = 0;
};

std::optional<CostClass> find_class(std::string_view type) {
  const CanonicalName canonical(type);
  const ClassByName& table = class_by_name();
  const std::string_view name = canonical.view();
  if (const auto found = table.find(name); found != table.end()) return found->second;
  for (const std::string_view suffix : {"grad", "backward"}) {
    if (!name.ends_with(suffix)) continue;
    const auto base = table.find(name.substr(0, name.size() - suffix.size()));
    if (base != table.end() && base->second == CostClass::kElementwise) return CostClass::kElementwise;
  }
  return std::nullopt;
}

// A batch norm in training also puts out the statistics of its batch.
bool saves_statistics(const Graph& graph, OpId op) {
  const auto outputs = graph.outputs(op);
  return std::count_if(outputs.begin(), outputs.end(), [&](TensorId tensor) { return graph.bytes(tensor) > 0; }) > 1;
}

}  // namespace

std::string_view name_of(CostClass cost_class) { return kClassNames[static_cast<std::size_t>(cost_class)]; }

CostClass class_of_type(std::string_view type) { return find_class(type).value_or(CostClass::kElementwise); }
bool is_known_type(std::string_view type) { return find_class(type).has_value(); }

CostClass class_of(const Graph& graph, OpId op) {
  const CostClass named = class_of_type(graph.type(op));
  switch (named) {
    case CostClass::kConvWindowed:
      return conv_shape(graph, op, false).windowed ? named : CostClass::kConvPointwise;
    case CostClass::kConvGradWindowed:
      return conv_shape(graph, op, true).windowed ? named : CostClass::kConvGradPointwise;
    case CostClass::kBatchNorm:
      return saves_statistics(graph, op) ? named : CostClass::kBatchNormInference;
    default:
      return named;
  }
}

}  // namespace berth
