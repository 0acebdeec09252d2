// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Costs once more: bytes from the types of operands, sums of operations.
#include "passes/Schedule/CostCheck.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/SmallFloat.h"
#include "dialects/Plan/IR/PlanOps.h"

using namespace mlir;
using namespace accel;

/// Bytes of a buffer with the shape and elements of `value`.
static int64_t sizeOf(Value value) {
  auto type = cast<MemRefType>(value.getType());
  int64_t elements = 1;
  for (int64_t size : type.getShape()) {
    elements *= size;
  }
  return elements *
         llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
}

/// What the operands of `op` hold, but for its workspace.
static int64_t sizeOfOperands(plan::InstructionOpInterface op) {
  auto launch = dyn_cast<plan::LaunchOp>(op.getOperation());
  int64_t bytes = 0;
  for (Value operand : op->getOperands()) {
    bytes += launch && operand == launch.getWorkspace() ? 0 : sizeOf(operand);
  }
  if (auto reduce = dyn_cast<plan::AllReduceOp>(op.getOperation())) {
    bytes += sizeOf(reduce.getBuffer());
  }
  if (launch) {
    for (auto [buffer, mode] :
         llvm::zip_equal(launch.getBuffers(), launch.getModes())) {
      bool isUpdated =
          cast<plan::AccessAttr>(mode).getValue() == plan::Access::ReadWrite;
      bytes += isUpdated ? sizeOf(buffer) : 0;
    }
  }
  return bytes;
}

static LogicalResult checkOperations(plan::InstructionOpInterface op,
                                     plan::CostAttr cost) {
  llvm::DenseMap<Type, int64_t> left;
  for (auto [type, count] :
       llvm::zip_equal(cost.getTypes(), cost.getCounts())) {
    left[type] = count;
  }
  if (auto launch = dyn_cast<plan::LaunchOp>(op.getOperation())) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, launch.getKernelAttr());
    if (kernel) {
      kernel.walk([&](CostOpInterface each) {
        Type type = getElementTypeOrSelf(each->getResultTypes().front());
        // Casts and choices, in contrast to products.
        bool isMade = SmallFloat::get(type) && isa<CastOp, SelectOp>(each);
        left[isMade ? Float32Type::get(op->getContext()) : type] -=
            each.getFlops();
      });
    }
  }
  for (auto [type, count] : left) {
    if (count != 0) {
      return op.emitOpError("says that it computes ")
             << (count > 0 ? count : -count) << ' ' << type
             << (count > 0 ? " operations more than it does"
                           : " operations less than it does");
    }
  }
  return success();
}

/// How `op`, a collective, cuts its tensor; null: an all_reduce says that in
/// nothing but its axes.
static Attribute getCut(Operation *op) { return op->getAttr("shard"); }

/// `earlier` collectives stand in front of it.
static LogicalResult checkCollective(plan::InstructionOpInterface op,
                                     int64_t earlier) {
  auto sequence = op->getAttrOfType<IntegerAttr>(plan::kSequenceAttr);
  if (!sequence || sequence.getInt() != earlier) {
    return op.emitOpError("expected to be collective ")
           << earlier << " of its function, got "
           << (sequence ? sequence.getInt() : -1);
  }
  auto sent = op->getAttrOfType<plan::SizeAttr>(plan::kBytesSentAttr);
  if (!sent || sent.getShard() != getCut(op)) {
    InFlightDiagnostic error = op.emitOpError("expected to send ");
    error << (getCut(op) ? "all parts of its shard" : "its whole tensor")
          << ", got ";
    sent ? error << sent : error << "nothing";
    return error;
  }
  // Bits of one element of many, or the bytes of all, which come back as sums.
  Value tensor = op->getOperand(0);
  int64_t expected =
      isa<plan::AllReduceOp>(op)
          ? 2 * sizeOf(tensor)
          : 8 * sizeOf(tensor) /
                cast<MemRefType>(tensor.getType()).getNumElements();
  if (sent.getNumber() != expected) {
    return op.emitOpError("expected to send ")
           << expected << (getCut(op) ? " bits of each element" : " bytes")
           << ", got " << sent.getNumber();
  }
  return success();
}

LogicalResult accel::checkCosts(func::FuncOp function) {
  Operation *with = nullptr, *without = nullptr;
  int64_t collectives = 0;
  WalkResult walked =
      function.walk([&](plan::InstructionOpInterface op) -> WalkResult {
        plan::CostAttr cost = op.getCost();
        (cost ? with : without) = op;
        if (!cost) {
          return success();
        }
        if (int64_t bytes = sizeOfOperands(op); bytes != cost.getBytes()) {
          return op.emitOpError("expected a cost of ")
                 << bytes << " bytes, got " << cost.getBytes();
        }
        if (isa<plan::AllReduceOp, plan::AllGatherOp, plan::ReduceScatterOp>(
                op) &&
            failed(checkCollective(op, collectives++))) {
          return failure();
        }
        return checkOperations(op, cost);
      });
  if (walked.wasInterrupted()) {
    return failure();
  }
  return with && without ? without->emitOpError("has no cost, and others have")
                         : success();
}
