// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equal kernels are found by their text.
#include "passes/Fuse/KernelLibrary.h"

#include "passes/Analysis/KernelVariants.h"
#include "passes/Fuse/KernelDomain.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace accel;

/// Clones `value` and whatever it is made of that `map` does not have.
static void cloneInto(OpBuilder &builder, IRMapping &map, Value value) {
  if (map.contains(value)) {
    return;
  }
  Operation *producer = value.getDefiningOp();
  for (Value operand : producer->getOperands()) {
    cloneInto(builder, map, operand);
  }
  builder.clone(*producer, map);
}

/// Computes `interface`'s outputs in the body of `kernel`.
static void fillBody(func::FuncOp kernel, const KernelInterface &interface) {
  Block *body = kernel.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  IRMapping map;
  map.map(interface.inputs.getArrayRef(), body->getArguments());
  for (Value output : interface.outputs) {
    cloneInto(builder, map, output);
  }
  SmallVector<Value> results = llvm::map_to_vector(
      interface.outputs, [&](Value v) { return map.lookup(v); });
  func::ReturnOp::create(builder, kernel.getLoc(), results);
  // Kernels that were made of different lines may be equal.
  kernel.walk([&](Operation *op) { op->setLoc(kernel.getLoc()); });
}

func::FuncOp KernelLibrary::build(const FusionPlan &plan,
                                  const FusionGroup &group,
                                  const KernelInterface &interface) {
  MLIRContext *context = module.getContext();
  auto getType = [](Value v) { return v.getType(); };
  SmallVector<Type> inputs = llvm::map_to_vector(interface.inputs, getType);
  SmallVector<Type> outputs = llvm::map_to_vector(interface.outputs, getType);
  auto kernel =
      func::FuncOp::create(UnknownLoc::get(context), "kernel",
                           FunctionType::get(context, inputs, outputs));
  kernel.setPrivate();
  fillBody(kernel, interface);
  kernel->setAttr(kKernelAttr,
                  getKernelDomain(plan, group, target).getAttr(context));
  for (auto [i, accumulates] : llvm::enumerate(interface.accumulates)) {
    if (accumulates) {
      kernel.setResultAttr(i, kAccumulateAttr, UnitAttr::get(context));
    }
  }
  return kernel;
}

func::FuncOp KernelLibrary::get(const FusionPlan &plan,
                                const FusionGroup &group,
                                const KernelInterface &interface) {
  func::FuncOp kernel = build(plan, group, interface);
  auto [entry, isNew] = known.try_emplace(getKernelText(kernel), kernel);
  if (!isNew) {
    kernel.erase();
    return entry->second;
  }
  kernel.setName(names.next(group));
  module.push_back(kernel);
  return kernel;
}
