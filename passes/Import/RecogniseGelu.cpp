// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the arithmetic of a GELU by accel.gelu, in whatever order it was
// written.
//
// With e = erf(u) or tanh(u), a GELU of x is the polynomial 0.5 x + 0.5 x e,
// where u is x / sqrt(2), or sqrt(2/pi) x + 0.044715 sqrt(2/pi) x^3. Both are
// compared as polynomials: sums, products and powers are expanded.
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/DeadCode.h"
#include "passes/Import/ConstantValue.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <map>
#include <numbers>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_RECOGNISEGELUPASS
#include "passes/Import/Passes.h.inc"

namespace {

/// Coefficients of x^i e^j by (i, j).
using Polynomial = std::map<std::pair<int, int>, double>;

constexpr int kMaxDegree = 4;
/// How many operations lie between e and the argument or the result of a GELU
/// at most.
constexpr int kMaxDepth = 8;

Polynomial add(const Polynomial &left, const Polynomial &right, double sign) {
  Polynomial sum = left;
  for (auto [powers, coefficient] : right) {
    sum[powers] += sign * coefficient;
  }
  return sum;
}

std::optional<Polynomial> multiply(const Polynomial &left,
                                   const Polynomial &right) {
  Polynomial product;
  for (auto [p, a] : left) {
    for (auto [q, b] : right) {
      std::pair<int, int> powers(p.first + q.first, p.second + q.second);
      if (powers.first > kMaxDegree || powers.second > 1) {
        return std::nullopt;
      }
      product[powers] += a * b;
    }
  }
  return product;
}

bool areClose(const Polynomial &left, const Polynomial &right) {
  auto covers = [](const Polynomial &a, const Polynomial &b) {
    return llvm::all_of(a, [&](auto term) {
      auto found = b.find(term.first);
      return found == b.end() ? term.second == 0
                              : isClose(term.second, found->second);
    });
  };
  return covers(left, right) && covers(right, left);
}

/// Expands values into polynomials in `x` and `e`.
class PolynomialReader {
public:
  PolynomialReader(Value x, Value e) : x(x), e(e) {}

  std::optional<Polynomial> read(Value value, int depth = kMaxDepth) const {
    if (value == x) {
      return Polynomial{{{1, 0}, 1.0}};
    }
    if (value == e) {
      return Polynomial{{{0, 1}, 1.0}};
    }
    if (std::optional<double> number = getSplat(value)) {
      return Polynomial{{{0, 0}, *number}};
    }
    Operation *op = value.getDefiningOp();
    if (!op || depth == 0 || op->getNumOperands() != 2) {
      return std::nullopt;
    }
    if (isa<DivOp, PowOp>(op)) {
      return readByNumber(op, depth);
    }
    std::optional<Polynomial> left = read(op->getOperand(0), depth - 1);
    std::optional<Polynomial> right =
        left ? read(op->getOperand(1), depth - 1) : std::nullopt;
    if (!right || !isa<AddOp, SubOp, MulOp>(op)) {
      return std::nullopt;
    }
    return isa<MulOp>(op) ? multiply(*left, *right)
                          : add(*left, *right, isa<AddOp>(op) ? 1 : -1);
  }

private:
  /// A quotient by a number, or a small whole power.
  std::optional<Polynomial> readByNumber(Operation *op, int depth) const {
    std::optional<double> number = getSplat(op->getOperand(1));
    std::optional<Polynomial> base =
        number ? read(op->getOperand(0), depth - 1) : std::nullopt;
    if (!base) {
      return std::nullopt;
    }
    if (isa<DivOp>(op)) {
      return multiply(*base, Polynomial{{{0, 0}, 1 / *number}});
    }
    if (*number != 2 && *number != 3) {
      return std::nullopt;
    }
    std::optional<Polynomial> power = multiply(*base, *base);
    return power && *number == 3 ? multiply(*power, *base) : power;
  }

  Value x;
  Value e;
};

/// The values that `value` is computed from by sums, products, quotients and
/// powers, nearest first.
SmallVector<Value> collectCandidates(Value value) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size() && i < 16; ++i) {
    Operation *op = seen[i].getDefiningOp();
    if (isa_and_nonnull<AddOp, SubOp, MulOp, DivOp, PowOp>(op)) {
      seen.insert(op->operand_begin(), op->operand_end());
    }
  }
  return seen.takeVector();
}

std::optional<Value> findOperand(Operation *function) {
  const double root = std::sqrt(2 / std::numbers::pi);
  Polynomial argument =
      isa<ErfOp>(function)
          ? Polynomial{{{1, 0}, std::numbers::sqrt2 / 2}}
          : Polynomial{{{1, 0}, root}, {{3, 0}, 0.044715 * root}};
  for (Value candidate : collectCandidates(function->getOperand(0))) {
    std::optional<Polynomial> read =
        PolynomialReader(candidate, Value()).read(function->getOperand(0));
    if (read && areClose(*read, argument)) {
      return candidate;
    }
  }
  return std::nullopt;
}

/// Follows the uses of e to the operation that is 0.5 x + 0.5 x e.
Operation *findRoot(Operation *function, Value operand) {
  PolynomialReader reader(operand, function->getResult(0));
  const Polynomial gelu{{{1, 0}, 0.5}, {{1, 1}, 0.5}};
  Operation *op = function;
  for (int depth = 0; depth < kMaxDepth && op->getResult(0).hasOneUse();
       ++depth) {
    op = *op->getResult(0).getUsers().begin();
    std::optional<Polynomial> read =
        op->getNumResults() == 1 ? reader.read(op->getResult(0)) : std::nullopt;
    if (!read) {
      return nullptr;
    }
    if (areClose(*read, gelu)) {
      return op;
    }
  }
  return nullptr;
}

class RecogniseGeluPass
    : public impl::RecogniseGeluPassBase<RecogniseGeluPass> {
public:
  using RecogniseGeluPassBase::RecogniseGeluPassBase;

  void runOnOperation() override {
    // Each is replaced before the next is read, whose argument it may be.
    getOperation().walk([&](Operation *op) {
      if (isa<ErfOp, TanhOp>(op)) {
        recognise(op);
      }
    });
    eraseDeadCode(getOperation());
  }

private:
  static void recognise(Operation *function) {
    auto options =
        remark::RemarkOpts::name("Gelu").category("accel-recognise-gelu");
    const char *name = isa<ErfOp>(function) ? "erf" : "tanh";
    std::optional<Value> operand = findOperand(function);
    if (!operand) {
      remark::missed(function->getLoc(), options)
          << remark::reason("the argument of {0} is not that of a GELU", name);
      return;
    }
    Operation *root = findRoot(function, *operand);
    if (!root) {
      remark::missed(function->getLoc(), options) << remark::reason(
          "its result is not used as x/2 (1 + {0}(...))", name);
      return;
    }
    auto approximation = isa<ErfOp>(function) ? GeluApproximation::None
                                              : GeluApproximation::Tanh;
    OpBuilder builder(root);
    Value gelu = GeluOp::create(builder, root->getLoc(), operand->getType(),
                                approximation, *operand);
    root->getResult(0).replaceAllUsesWith(gelu);
    remark::passed(root->getLoc(), options)
        << remark::add("recognised GELU, approximation {0}",
                       stringifyGeluApproximation(approximation).str());
  }
};

} // namespace
} // namespace accel
