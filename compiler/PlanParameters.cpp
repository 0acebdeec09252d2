// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters by the names that the user knows.
#include "compiler/PlanParameters.h"

#include "compiler/PlanBuffers.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Adapters.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace accel;

/// For people.
static std::string describeInitial(DictionaryAttr initial) {
  auto name = initial ? initial.getAs<StringAttr>("kind") : StringAttr();
  if (!name) {
    return "";
  }
  StringRef kind = name.getValue();
  auto number = [&](StringRef key) {
    auto attr = initial.getAs<FloatAttr>(key);
    return attr ? attr.getValueAsDouble() : 0.0;
  };
  if (kind == "normal") {
    return llvm::formatv("normal({0}, {1})", number("mean"),
                         number("deviation"))
        .str();
  }
  if (kind == "uniform") {
    return llvm::formatv("uniform(-{0}, {0})", number("bound")).str();
  }
  return kind == "constant"
             ? llvm::formatv("constant {0}", number("value")).str()
             : kind.str();
}

/// Bucket and segment of each master.
static std::map<std::string, std::pair<uint32_t, uint32_t>>
getSegments(const planpb::Manifest &manifest) {
  std::map<std::string, std::pair<uint32_t, uint32_t>> segments;
  for (auto [b, bucket] : llvm::enumerate(manifest.buckets())) {
    for (auto [s, segment] : llvm::enumerate(bucket.segments())) {
      segments[bucket.name() + "." + segment.name() + ".master"] = {b, s};
    }
  }
  return segments;
}

static void setNames(const onnx::ExportTemplate &exported,
                     planpb::Parameter &parameter) {
  for (const onnx::ExportTensor &tensor : exported.tensors) {
    if (tensor.parameter == parameter.name()) {
      parameter.add_onnx_names(tensor.name);
      parameter.set_transposed_in_file(tensor.transposed);
    }
  }
}

void accel::addParameters(ModuleOp module, const onnx::ExportTemplate &exported,
                          planpb::Manifest &manifest) {
  auto segments = getSegments(manifest);
  for (auto op : module.getOps<ParameterOp>()) {
    auto type = cast<RankedTensorType>(op.getType());
    planpb::Parameter *parameter = manifest.add_parameters();
    parameter->set_name(op.getSymName().str());
    for (int64_t size : type.getShape()) {
      parameter->add_shape(size);
    }
    parameter->set_dtype(toElementType(type.getElementType()));
    parameter->set_trainable(op.getTrainable());
    auto [bucket, segment] = segments.at(op.getSegment()->str());
    parameter->set_bucket(bucket);
    parameter->set_segment(segment);
    parameter->set_element_offset(op.getOffset().value_or(0));
    parameter->set_initial(
        describeInitial(op.getInitial().value_or(DictionaryAttr())));
    if (DictionaryAttr provenance =
            op.getProvenance().value_or(DictionaryAttr())) {
      llvm::raw_string_ostream stream(*parameter->mutable_provenance());
      provenance.print(stream);
    }
    setNames(exported, *parameter);
  }
}

void accel::addAdapters(ModuleOp module, planpb::Manifest &manifest) {
  Adapters adapters = getAdapters(module);
  if (adapters.rank == 0) {
    return;
  }
  std::map<std::string, uint32_t> indices;
  for (auto [i, parameter] : llvm::enumerate(manifest.parameters())) {
    indices[parameter.name()] = i;
  }
  planpb::Adapters *all = manifest.mutable_adapters();
  all->set_rank(adapters.rank);
  all->set_alpha(adapters.alpha);
  all->set_dropout(adapters.dropout);
  for (const Adapter &adapter : adapters.added) {
    planpb::Adapter *added = all->add_added();
    added->set_weight(indices.at(adapter.weight));
    added->set_a(indices.at(adapter.getA()));
    added->set_b(indices.at(adapter.getB()));
    added->set_fan_in_fan_out(adapter.fanInFanOut);
    added->set_module(adapter.getModule());
  }
}
