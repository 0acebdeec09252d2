// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fewer lanes, the longer the chains of operations whose values stay in
// registers.
#include "passes/Lower/Cpu/RowLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

/// Where 8-bit codes become numbers or numbers codes: that takes long chains of
/// operations, whose values are to stay in registers.
static constexpr int64_t kLanesOfCodes = 16;

static bool isInDouble(Operation &op) {
  return llvm::any_of(op.getResultTypes(),
                      [](Type type) { return type.isF64(); });
}

static bool isCall(Operation &op) { return isa<func::CallOp>(op); }

static bool isOfCodes(Operation &op) {
  return isa<arith::TruncIOp, arith::ExtUIOp>(op) &&
         (op.getOperand(0).getType().isInteger(8) ||
          op.getResult(0).getType().isInteger(8)) &&
         !op.getOperand(0).getType().isInteger(1);
}

int64_t accel::lanesFor(int64_t count, int64_t lanes) {
  return std::min<int64_t>(
      lanes, std::max<int64_t>(kFewestLanes, llvm::PowerOf2Ceil(count)));
}

int64_t accel::chooseLanes(linalg::GenericOp op,
                           const RowReductions &reductions, int64_t divisor,
                           int64_t lanes) {
  auto body = op.getBody()->without_terminator();
  if (!reductions.haveOrder() && llvm::any_of(body, isOfCodes)) {
    lanes = std::min(lanes, kLanesOfCodes);
  }
  if (llvm::any_of(body, isCall) ||
      (reductions.isEmpty() && llvm::any_of(body, isInDouble))) {
    lanes = kLanesOfDoubles;
  }
  if (reductions.isEmpty() && divisor >= kFewestLanes) {
    lanes = std::min(lanes, divisor);
  }
  return lanes;
}
