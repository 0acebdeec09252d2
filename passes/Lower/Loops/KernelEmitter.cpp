// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function of a kernel's code, and its buffers.
#include "passes/Lower/Loops/KernelEmitter.h"

#include "passes/Analysis/KernelOperands.h"
#include "passes/Lower/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace accel;

static MemRefType bufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get({type.getNumElements()},
                         ScalarEmitter::storageType(type.getElementType()));
}

KernelEmitter::KernelEmitter(func::FuncOp kernel, const IterationDomain &domain,
                             plan::CodeAttr geometry,
                             ArrayRef<int64_t> routineLanes)
    : ScalarEmitter(kernel), domain(domain), geometry(geometry),
      routineLanes(routineLanes) {
  SmallVector<Type> types = llvm::map_to_vector(
      kernel.getArgumentTypes(), [](Type t) -> Type { return bufferType(t); });
  llvm::append_range(types,
                     llvm::map_range(kernel.getResultTypes(), bufferType));
  // Also where this variant needs none: every variant has the same pointers.
  int64_t own = geometry.getWorkspace();
  if (int64_t bytes = own ? own : getWorkspaceBytes(kernel)) {
    types.push_back(MemRefType::get({bytes / 4}, builder.getF32Type()));
  }
  types.append(2, builder.getIndexType());
  builder.setInsertionPointAfter(kernel);
  code = func::FuncOp::create(builder, loc,
                              (kernel.getSymName() + kCodeSuffix).str(),
                              builder.getFunctionType(types, {}));
  Block *block = code.addEntryBlock();
  end = block->getArguments().back();
  begin = block->getArguments().drop_back().back();
  builder.setInsertionPointToEnd(block);
}

void KernelEmitter::finish() { func::ReturnOp::create(builder, loc); }

ValueRange KernelEmitter::getResults() {
  return kernel.getBody().front().getTerminator()->getOperands();
}

Value KernelEmitter::getResultBuffer(unsigned result) {
  return code.getArgument(kernel.getNumArguments() + result);
}

Value KernelEmitter::getWorkspace() {
  assert(geometry.getWorkspace() > 0 && "the kernel has no workspace");
  return code.getArgument(kernel.getNumArguments() + kernel.getNumResults());
}

Storing KernelEmitter::getStoring(unsigned result) {
  BlockArgument argument = getKeepArgument(kernel, result);
  if (!argument) {
    return {isAccumulated(kernel, result), Value()};
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&code.getBody().front());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value stored =
      memref::LoadOp::create(builder, loc, getBuffer(argument), zero);
  return {true, fromStorage(builder, loc, stored, builder.getI1Type())};
}

Value KernelEmitter::getBuffer(BlockArgument argument) {
  return code.getArgument(argument.getArgNumber());
}

Value KernelEmitter::getContiguous(Operation *op, Value operand,
                                   int64_t &offset) {
  Value root = getViewRoot(operand);
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument || !isContiguousPart(operand, root, offset)) {
    emitError(op) << "expected operands that lie in memory, got one of "
                  << operand.getType() << " that does not";
    return {};
  }
  return getBuffer(argument);
}

Value KernelEmitter::allocate(Type element, ArrayRef<int64_t> size) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&code.getBody().front());
  return memref::AllocaOp::create(builder, loc,
                                  MemRefType::get(size, storageType(element)));
}

Value KernelEmitter::getNumber(Value number) {
  return memref::LoadOp::create(builder, loc, number, ValueRange());
}

void KernelEmitter::setNumber(Value number, Value value) {
  memref::StoreOp::create(builder, loc, value, number, ValueRange());
}
