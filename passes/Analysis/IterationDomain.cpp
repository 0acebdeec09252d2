// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes, reads and checks the attribute `plan.kernel`.
#include "passes/Analysis/IterationDomain.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <tuple>
#include <utility>

using namespace mlir;
using namespace accel;

static constexpr std::pair<LoopKind, StringLiteral> kKinds[] = {
    {LoopKind::Flat, "flat"},           {LoopKind::Rows, "rows"},
    {LoopKind::Columns, "columns"},     {LoopKind::Concat, "concat"},
    {LoopKind::Attention, "attention"}, {LoopKind::Product, "product"},
    {LoopKind::Grouped, "grouped"}};

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

IterationDomain IterationDomain::make(LoopKind kind, int64_t elements,
                                      int64_t columns) {
  IterationDomain domain;
  domain.kind = kind;
  domain.elements = elements;
  domain.rows = elements / columns;
  domain.columns = columns;
  return domain;
}

DictionaryAttr IterationDomain::getAttr(MLIRContext *context) const {
  Builder builder(context);
  NamedAttrList attrs;
  attrs.set("kind", builder.getStringAttr(stringifyKind(kind)));
  attrs.set("elements", builder.getI64IntegerAttr(elements));
  attrs.set("rows", builder.getI64IntegerAttr(rows));
  attrs.set("columns", builder.getI64IntegerAttr(columns));
  if (matrices > 1) {
    attrs.set("matrices", builder.getI64IntegerAttr(matrices));
  }
  if (block > 0) {
    attrs.set("block", builder.getI64IntegerAttr(block));
  }
  return attrs.getDictionary(context);
}

RankedTensorType accel::getFlagType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 1));
}

BlockArgument accel::getKeepArgument(func::FuncOp kernel, unsigned result) {
  auto number = dyn_cast_if_present<IntegerAttr>(
      kernel.getResultAttr(result, kAccumulateAttr));
  return number ? kernel.getArgument(number.getInt()) : BlockArgument();
}

/// What `plan.accumulate` names is an argument, a flag.
static LogicalResult verifyKeepArguments(func::FuncOp kernel) {
  Type flag = getFlagType(kernel.getContext());
  for (unsigned result = 0; result < kernel.getNumResults(); ++result) {
    auto number = dyn_cast_if_present<IntegerAttr>(
        kernel.getResultAttr(result, kAccumulateAttr));
    bool exists = number && number.getInt() >= 0 &&
                  number.getInt() < kernel.getNumArguments();
    if (number &&
        (!exists || kernel.getArgumentTypes()[number.getInt()] != flag)) {
      return kernel.emitOpError("expected `")
             << kAccumulateAttr << "` of result " << result
             << " to be the number of an argument of " << flag << ", got "
             << number.getInt();
    }
  }
  return success();
}

FailureOr<IterationDomain> IterationDomain::get(func::FuncOp kernel) {
  auto attribute = kernel->getAttrOfType<DictionaryAttr>(kKernelAttr);
  auto kind = attribute ? attribute.getAs<StringAttr>("kind") : StringAttr();
  std::optional<LoopKind> known = kind ? parseKind(kind) : std::nullopt;
  if (!known) {
    return kernel.emitOpError("expected `")
           << kKernelAttr
           << "` with a kind (flat, rows, columns, concat, attention, "
              "product or grouped), got "
           << Attribute(attribute);
  }
  IterationDomain domain;
  domain.kind = *known;
  for (auto [name, field, isRequired] :
       {std::tuple("elements", &domain.elements, true),
        std::tuple("rows", &domain.rows, true),
        std::tuple("columns", &domain.columns, true),
        std::tuple("matrices", &domain.matrices, false),
        std::tuple("block", &domain.block, *known == LoopKind::Product)}) {
    auto number = attribute.getAs<IntegerAttr>(name);
    if (number ? number.getInt() <= 0 : isRequired) {
      return kernel.emitOpError("expected `")
             << kKernelAttr << "` with a positive `" << name << "`, got "
             << Attribute(number);
    }
    *field = number ? number.getInt() : *field;
  }
  if (domain.rows * domain.columns != domain.elements) {
    return kernel.emitOpError("expected rows * columns = elements, got ")
           << domain.rows << " * " << domain.columns << " and "
           << domain.elements;
  }
  if (domain.rows % domain.matrices != 0) {
    return kernel.emitOpError("expected equal rows of each of `matrices`, got ")
           << domain.rows << " rows and " << domain.matrices << " matrices";
  }
  if (failed(verifyKeepArguments(kernel))) {
    return failure();
  }
  return domain;
}
