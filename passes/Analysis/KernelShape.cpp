// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes, reads and checks the attribute `plan.kernel`.
#include "passes/Analysis/KernelShape.h"

#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <optional>
#include <utility>

using namespace mlir;
using namespace accel;

static constexpr std::pair<LoopKind, StringLiteral> kKinds[] = {
    {LoopKind::Flat, "flat"},           {LoopKind::Rows, "rows"},
    {LoopKind::Columns, "columns"},     {LoopKind::Concat, "concat"},
    {LoopKind::Attention, "attention"}, {LoopKind::Product, "product"}};

static std::optional<LoopKind> parseKind(StringRef name) {
  const auto *known = llvm::find_if(
      kKinds, [&](const auto &each) { return each.second == name; });
  return known == std::end(kKinds) ? std::nullopt : std::optional(known->first);
}

static StringRef stringifyKind(LoopKind kind) {
  return llvm::find_if(kKinds,
                       [&](const auto &each) { return each.first == kind; })
      ->second;
}

/// How many units a loop has: blocks of elements, rows, or blocks of columns.
static int64_t countUnits(const KernelShape &shape) {
  switch (shape.kind) {
  case LoopKind::Flat:
    return llvm::divideCeil(shape.elements, kFlatUnit);
  case LoopKind::Columns:
    return llvm::divideCeil(shape.columns, kColumnUnit);
  case LoopKind::Rows:
  case LoopKind::Concat:
  case LoopKind::Attention:
    return shape.rows;
  case LoopKind::Product:
    return shape.matrices *
           (shape.hasColumnUnits()
                ? llvm::divideCeil(shape.columns, kProductColumns)
                : llvm::divideCeil(shape.matrixRows(), kProductRows));
  }
  return 0;
}

KernelShape KernelShape::make(LoopKind kind, int64_t elements, int64_t columns,
                              int64_t matrices) {
  KernelShape shape;
  shape.kind = kind;
  shape.elements = elements;
  shape.rows = elements / columns;
  shape.columns = columns;
  shape.matrices = matrices;
  shape.units = countUnits(shape);
  return shape;
}

DictionaryAttr KernelShape::getAttr(MLIRContext *context) const {
  Builder builder(context);
  NamedAttrList attrs;
  attrs.set("kind", builder.getStringAttr(stringifyKind(kind)));
  attrs.set("elements", builder.getI64IntegerAttr(elements));
  attrs.set("rows", builder.getI64IntegerAttr(rows));
  attrs.set("columns", builder.getI64IntegerAttr(columns));
  if (matrices > 1) {
    attrs.set("matrices", builder.getI64IntegerAttr(matrices));
  }
  attrs.set("units", builder.getI64IntegerAttr(units));
  if (scratch > 0) {
    attrs.set("scratch", builder.getI64IntegerAttr(scratch));
  }
  return attrs.getDictionary(context);
}

RankedTensorType accel::getTruthType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 1));
}

BlockArgument accel::getKeepArgument(func::FuncOp kernel, unsigned result) {
  auto number = dyn_cast_if_present<IntegerAttr>(
      kernel.getResultAttr(result, kAccumulateAttr));
  return number ? kernel.getArgument(number.getInt()) : BlockArgument();
}

/// What `plan.accumulate` names is an argument, a truth value.
static LogicalResult verifyKeepArguments(func::FuncOp kernel) {
  Type truth = getTruthType(kernel.getContext());
  for (unsigned result = 0; result < kernel.getNumResults(); ++result) {
    auto number = dyn_cast_if_present<IntegerAttr>(
        kernel.getResultAttr(result, kAccumulateAttr));
    bool exists = number && number.getInt() >= 0 &&
                  number.getInt() < kernel.getNumArguments();
    if (number &&
        (!exists || kernel.getArgumentTypes()[number.getInt()] != truth)) {
      return kernel.emitOpError("expected `")
             << kAccumulateAttr << "` of result " << result
             << " to be the number of an argument of " << truth << ", got "
             << number.getInt();
    }
  }
  return success();
}

FailureOr<KernelShape> KernelShape::get(func::FuncOp kernel) {
  auto attribute = kernel->getAttrOfType<DictionaryAttr>(kKernelAttr);
  auto kind = attribute ? attribute.getAs<StringAttr>("kind") : StringAttr();
  std::optional<LoopKind> known = kind ? parseKind(kind) : std::nullopt;
  if (!known) {
    return kernel.emitOpError("expected `")
           << kKernelAttr
           << "` with a kind (flat, rows, columns, concat, attention or "
              "product), got "
           << Attribute(attribute);
  }
  KernelShape shape;
  shape.kind = *known;
  for (auto [name, field] :
       {std::pair("elements", &shape.elements), std::pair("rows", &shape.rows),
        std::pair("columns", &shape.columns),
        std::pair("units", &shape.units)}) {
    auto number = attribute.getAs<IntegerAttr>(name);
    if (!number || number.getInt() <= 0) {
      return kernel.emitOpError("expected `")
             << kKernelAttr << "` with a positive `" << name << "`, got "
             << Attribute(number);
    }
    *field = number.getInt();
  }
  if (auto scratch = attribute.getAs<IntegerAttr>("scratch")) {
    shape.scratch = scratch.getInt();
  }
  if (shape.scratch < 0 || shape.scratch % plan::kAlignment != 0) {
    return kernel.emitOpError("expected a `scratch` of a multiple of 64 bytes, "
                              "got ")
           << shape.scratch;
  }
  if (shape.rows * shape.columns != shape.elements) {
    return kernel.emitOpError("expected rows * columns = elements, got ")
           << shape.rows << " * " << shape.columns << " and " << shape.elements;
  }
  if (auto matrices = attribute.getAs<IntegerAttr>("matrices")) {
    shape.matrices = matrices.getInt();
  }
  if (shape.matrices < 1 || shape.rows % shape.matrices != 0) {
    return kernel.emitOpError("expected equal rows of each of `matrices`, got ")
           << shape.rows << " rows and " << shape.matrices << " matrices";
  }
  if (int64_t units = countUnits(shape); units != shape.units) {
    return kernel.emitOpError("expected ")
           << units << " units for this shape, got " << shape.units;
  }
  if (failed(verifyKeepArguments(kernel))) {
    return failure();
  }
  return shape;
}
