// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a parameter begins with, and where its values lie in the file.
#include "frontends/onnx/Weights/DeclareParameters.h"

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace accel::onnx {

using Kind = RecoveredParameter::Kind;

namespace {

DictionaryAttr makeInitial(Builder &builder, const ModelParameter &parameter) {
  NamedAttrList initial;
  if (parameter.kind == Kind::Recreated) {
    initial.set("kind", builder.getStringAttr("constant"));
    initial.set("value", builder.getF64FloatAttr(0.0));
  } else {
    initial.set("kind", builder.getStringAttr("file"));
    initial.set("key", builder.getStringAttr(parameter.name));
  }
  return initial.getDictionary(builder.getContext());
}

/// Null for a plain initializer.
DictionaryAttr makeProvenance(Builder &builder,
                              const ModelParameter &parameter) {
  NamedAttrList provenance;
  const RecoveredParameter &holder = parameter.holders.front();
  switch (parameter.kind) {
  case Kind::Plain:
    break;
  case Kind::Transposed:
    provenance.set("kind", builder.getStringAttr("transposed"));
    provenance.set("initializer", builder.getStringAttr(holder.initializer));
    break;
  case Kind::TableRows:
    provenance.set("kind", builder.getStringAttr("rows"));
    provenance.set("initializer", builder.getStringAttr(holder.initializer));
    provenance.set("shape",
                   builder.getI64ArrayAttr(parameter.heldType.getShape()));
    break;
  case Kind::Reshaped:
    provenance.set("kind", builder.getStringAttr("reshaped"));
    provenance.set("initializer", builder.getStringAttr(holder.source));
    provenance.set("shape",
                   builder.getI64ArrayAttr(parameter.heldType.getShape()));
    break;
  case Kind::Shifted:
    provenance.set("kind", builder.getStringAttr("shifted"));
    provenance.set("initializer", builder.getStringAttr(holder.source));
    provenance.set("by", builder.getF64FloatAttr(holder.folding->shift));
    break;
  case Kind::Untied:
    provenance.set("kind", builder.getStringAttr("untied"));
    provenance.set("initializer", builder.getStringAttr(holder.source));
    break;
  case Kind::Recreated:
    provenance.set("kind", builder.getStringAttr("recreated"));
    break;
  }
  SmallVector<Attribute> copies;
  for (const RecoveredParameter &copy : llvm::drop_begin(parameter.holders)) {
    copies.push_back(builder.getStringAttr(copy.initializer));
  }
  if (!copies.empty()) {
    provenance.set("copies", builder.getArrayAttr(copies));
  }
  return provenance.empty() ? DictionaryAttr()
                            : provenance.getDictionary(builder.getContext());
}

} // namespace

void declareParameters(ModuleOp module, ArrayRef<ModelParameter> parameters) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  for (const ModelParameter &parameter : parameters) {
    ParameterOp::create(
        builder, NameLoc::get(builder.getStringAttr(parameter.name)),
        builder.getStringAttr(parameter.name), TypeAttr::get(parameter.type),
        builder.getUnitAttr(), /*statistic=*/UnitAttr(),
        makeInitial(builder, parameter), makeProvenance(builder, parameter),
        /*compute=*/TypeAttr(), /*scale=*/IntegerAttr(),
        /*segment=*/FlatSymbolRefAttr(), /*offset=*/IntegerAttr());
  }
}

} // namespace accel::onnx
