// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds functions by role, and checks where roles stand.
#include "dialects/Accel/IR/FunctionRoles.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/HyperparameterMeaning.h"

using namespace mlir;
using namespace accel;

std::optional<FunctionRole> accel::getRole(func::FuncOp function) {
  auto attribute = function->getAttrOfType<FunctionRoleAttr>(kRoleAttr);
  return attribute ? std::optional(attribute.getValue()) : std::nullopt;
}

void accel::setRole(func::FuncOp function, FunctionRole role) {
  function->setAttr(kRoleAttr,
                    FunctionRoleAttr::get(function.getContext(), role));
}

SmallVector<func::FuncOp> accel::getProgram(ModuleOp module) {
  return llvm::filter_to_vector(
      module.getOps<func::FuncOp>(),
      [](func::FuncOp function) { return getRole(function).has_value(); });
}

SmallVector<func::FuncOp> accel::getRunning(ModuleOp module) {
  SmallVector<func::FuncOp> functions = getProgram(module);
  llvm::erase_if(functions, [](func::FuncOp function) {
    return getRole(function) == FunctionRole::Initialize;
  });
  return functions;
}

func::FuncOp accel::findFunction(ModuleOp module, FunctionRole role) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (getRole(function) == role) {
      return function;
    }
  }
  return func::FuncOp();
}

LogicalResult AccelDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == kMeaningAttr) {
    return verifyMeaning(op, attribute.getValue());
  }
  if (attribute.getName() != kRoleAttr) {
    return success();
  }
  if (!isa<FunctionRoleAttr>(attribute.getValue())) {
    return op->emitOpError("expected ")
           << kRoleAttr << " to be an #accel.role, got "
           << attribute.getValue();
  }
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function || function.isExternal()) {
    return op->emitOpError("expected ")
           << kRoleAttr << " on a function with a body, got it here";
  }
  return success();
}
