// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules for sums, products and the other arithmetic of indices. A power of
// two divides a number modulo 2^64 if it divides the number, so nothing here
// depends on what overflows.
#include "passes/Lower/IndexDivisor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace mlir;
using namespace accel;

static constexpr int64_t kLargest = int64_t(1) << 12;

static int64_t ofConstant(int64_t value) {
  return llvm::MinAlign(kLargest, value);
}

namespace {

/// Asks for each value once, however many paths lead to it.
class DivisorFinder {
public:
  int64_t find(Value index) {
    auto found = known.find(index);
    return found != known.end() ? found->second : known[index] = compute(index);
  }

private:
  int64_t compute(Value index);
  int64_t ofArgument(BlockArgument argument);
  int64_t ofQuotient(arith::DivUIOp op);

  llvm::DenseMap<Value, int64_t> known;
};

} // namespace

/// Every value of the loop is the first one and some steps.
int64_t DivisorFinder::ofArgument(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  return loop && argument == loop.getInductionVar()
             ? std::min(find(loop.getLowerBound()), find(loop.getStep()))
             : 1;
}

/// A quotient is known where the division leaves no rest.
int64_t DivisorFinder::ofQuotient(arith::DivUIOp op) {
  std::optional<int64_t> divisor = getConstantIntValue(op.getRhs());
  int64_t dividend = find(op.getLhs());
  return divisor && *divisor > 0 && dividend % *divisor == 0
             ? dividend / *divisor
             : 1;
}

int64_t DivisorFinder::compute(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index)) {
    return ofConstant(*constant);
  }
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    return ofArgument(argument);
  }
  Operation *op = index.getDefiningOp();
  auto ofBoth = [&](unsigned i) {
    return std::min(find(op->getOperand(i)), find(op->getOperand(i + 1)));
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::RemUIOp, arith::MinUIOp,
            arith::MaxUIOp, arith::MinSIOp, arith::MaxSIOp>(
          [&](auto) { return ofBoth(0); })
      .Case([&](arith::SelectOp) { return ofBoth(1); })
      .Case([&](arith::MulIOp mul) {
        return std::min(kLargest, find(mul.getLhs()) * find(mul.getRhs()));
      })
      .Case([&](arith::DivUIOp quotient) { return ofQuotient(quotient); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](auto) { return find(op->getOperand(0)); })
      .Default(int64_t(1));
}

int64_t accel::getKnownDivisor(Value index) {
  return DivisorFinder().find(index);
}

int64_t accel::getKnownDivisor(OpFoldResult index) {
  std::optional<int64_t> constant = getConstantIntValue(index);
  return constant ? ofConstant(*constant) : getKnownDivisor(cast<Value>(index));
}
