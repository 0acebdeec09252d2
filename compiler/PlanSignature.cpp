// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of a plan, from the io buffers of its functions.
#include "compiler/PlanSignature.h"

#include "compiler/PlanBuffers.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/StepNames.h"
#include "dialects/Plan/IR/PlanOps.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace accel;

std::optional<planpb::SignatureField::Fill> accel::parseFill(StringRef name) {
  return llvm::StringSwitch<std::optional<planpb::SignatureField::Fill>>(name)
      .Case("tokens", planpb::SignatureField::FILL_TOKENS)
      .Case("ones", planpb::SignatureField::FILL_ONES)
      .Case("positions", planpb::SignatureField::FILL_POSITIONS)
      .Default(std::nullopt);
}

static void fillField(plan::BufferOp op, planpb::SignatureField &field) {
  auto type = cast<MemRefType>(op.getResult().getType());
  StringRef symbol = *op.getSymbol();
  field.set_name(symbol.str());
  bool isTarget = op->hasAttr("accel.target");
  field.set_role(isBuiltinInput(symbol) ? planpb::SignatureField::ROLE_BUILTIN
                 : isTarget             ? planpb::SignatureField::ROLE_TARGET
                                        : planpb::SignatureField::ROLE_INPUT);
  field.set_dtype(toElementType(type.getElementType()));
  for (int64_t size : type.getShape()) {
    field.add_shape(size);
  }
  setValueRanges(op, field);
  if (auto rule = op->getAttrOfType<StringAttr>("accel.rule")) {
    field.set_rule(rule.getValue().str());
  }
  if (auto fill = op->getAttrOfType<StringAttr>("accel.fill")) {
    field.set_fill(*parseFill(fill.getValue()));
  }
}

PlanSignature::PlanSignature(ModuleOp module, planpb::Manifest &manifest) {
  SmallVector<func::FuncOp> functions = getProgram(module);
  llvm::stable_sort(functions, [](func::FuncOp a, func::FuncOp b) {
    return getRole(a) != FunctionRole::Initialize &&
           getRole(b) == FunctionRole::Initialize;
  });
  for (func::FuncOp function : functions) {
    function.walk([&](plan::BufferOp op) {
      if (op.getRegion() == plan::Region::IO &&
          indices.try_emplace(*op.getSymbol(), manifest.signature_size())
              .second) {
        fillField(op, *manifest.add_signature());
      }
    });
  }
}

std::optional<uint32_t> PlanSignature::find(StringRef name) const {
  auto known = indices.find(name);
  return known == indices.end() ? std::nullopt : std::optional(known->second);
}
