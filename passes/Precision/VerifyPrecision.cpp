// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold after Precision: every site reads what was decided for it.
#include "passes/Precision/Passes.h"

#include "passes/Precision/Fp8BlockCheck.h"
#include "passes/Precision/Fp8ScaleCheck.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_VERIFYPRECISIONPASS
#include "passes/Precision/Passes.h.inc"

namespace {

/// Traces operands of products to what made them, without the pass's own
/// helpers, in the microbatch or in a kernel. What a kernel reads another one
/// has stored, in a buffer of the same type: every kernel is held to what it
/// stores in the low type.
class PrecisionVerifier {
public:
  /// `fp8`: what the module says of floats of 8 bits; null: nothing reads any.
  PrecisionVerifier(func::FuncOp function, Type low, DictionaryAttr fp8)
      : function(function), low(low) {
    if (fp8 && !isKernel()) {
      scales.emplace(function, fp8);
    }
    auto size = fp8 ? fp8.getAs<IntegerAttr>("block") : IntegerAttr();
    block = size ? size.getInt() : 0;
    for (StringRef name : {"forward", "gradient"}) {
      auto type = fp8 ? fp8.getAs<TypeAttr>(name) : TypeAttr();
      if (type) {
        bytes.push_back(type.getValue());
      }
    }
  }

  LogicalResult verify() {
    if (!isKernel() && (failed(checkScaleIndices(
                            function->getParentOfType<ModuleOp>(), block)) ||
                        failed(checkDelayedStates(function)))) {
      return failure();
    }
    function.walk([&](Operation *op) {
      if (isSite(op)) {
        verifySite(op);
      } else if (auto read = dyn_cast<ReadOp>(op)) {
        verifyRead(read);
      } else if (auto result = dyn_cast<func::ReturnOp>(op)) {
        verifyStored(result);
      }
    });
    return failure(hasFailed);
  }

private:
  InFlightDiagnostic fail(Operation *op) {
    hasFailed = true;
    return op->emitError();
  }

  static Type getElement(Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  }

  /// Whether `op` multiplies, or looks parameters up, in floats of at most 32
  /// bits.
  static bool isSite(Operation *op) {
    bool isEmbedding = isa<GatherOp>(op) &&
                       isa_and_nonnull<ReadOp>(findStored(op->getOperand(0)));
    if (!isEmbedding && !isa<MatmulOp, GroupedMatmulOp, GroupedOuterOp,
                             AttentionOp, AttentionGradOp>(op)) {
      return false;
    }
    auto type = dyn_cast<FloatType>(getElement(op->getOperand(0)));
    return type && type.getWidth() <= 32;
  }

  /// How many operands are numbers that the operation multiplies or looks up.
  static unsigned countFactors(Operation *op) {
    return isa<GatherOp>(op)                                    ? 1
           : isa<MatmulOp, GroupedMatmulOp, GroupedOuterOp>(op) ? 2
           : isa<AttentionOp>(op)                               ? 3
                                                                : 5;
  }

  /// What a site reads: what was asked for or, with a reason, what comes next,
  /// or f32, if it is exact.
  SmallVector<Type> getExpected(Operation *op) const {
    if (auto product = dyn_cast<MatmulOp>(op); product && product.getExact()) {
      return {Float32Type::get(op->getContext())};
    }
    bool isExcluded = op->hasAttr("accel.precision_reason");
    if (bytes.empty()) {
      return {isExcluded ? Float32Type::get(op->getContext()) : low};
    }
    return isExcluded ? SmallVector<Type>{low} : bytes;
  }

  void verifySite(Operation *op) {
    SmallVector<Type> expected = getExpected(op);
    for (Value operand : op->getOperands().take_front(countFactors(op))) {
      Type element = getElement(operand);
      if (!llvm::is_contained(expected, element)) {
        InFlightDiagnostic error = fail(op);
        error << "expected operands of " << expected.front();
        if (expected.back() != expected.front()) {
          error << " or " << expected.back();
        }
        error << (op->hasAttr("accel.precision_reason")
                      ? ", as the product is excluded"
                      : "")
              << ", got " << element;
        return;
      }
      if (!element.isF32() && !findRounding(operand)) {
        fail(op) << "expected each operand to come from a cast to " << element
                 << ", a parameter or another result of " << element
                 << ", got one that does not";
        return;
      }
    }
    auto product = dyn_cast<MatmulOp>(op);
    if (isa<MatmulOp, GroupedOuterOp>(op) &&
        !getElement(op->getResult(0)).isF32()) {
      fail(op) << "expected a product that is summed in f32, got a result of "
               << getElement(op->getResult(0));
    } else if (product && isBytes(getElement(product.getLhs()))) {
      verifyBytes(product);
    }
  }

  void verifyBytes(MatmulOp product) {
    auto own = static_cast<int64_t>(product.getBlock().value_or(0));
    if (own != block) {
      fail(product) << "expected "
                    << (block == 0
                            ? std::string("no scales of blocks")
                            : "a scale for each " + std::to_string(block) +
                                  " of the summed index")
                    << ", got blocks of " << own;
    } else if (!isKernel()) {
      verifyTypes(product);
      block == 0 ? verifyScales(product) : verifyBlocks(product);
    }
  }

  /// Each operand has the scales of its own blocks.
  void verifyBlocks(MatmulOp product) {
    if (!areScalesOf(product, 0, block) || !areScalesOf(product, 1, block)) {
      fail(product) << "expected scales that undo those of the blocks of each "
                       "operand, got others";
    }
  }

  /// A product of the forward program reads the type of that, a gradient one
  /// operand of the other type.
  void verifyTypes(MatmulOp product) {
    bool isForward = product.getRole() == ProductRole::Forward;
    int gradients = 0;
    for (Value operand : {product.getLhs(), product.getRhs()}) {
      gradients += getElement(operand) == bytes.back();
    }
    if (bytes.front() != bytes.back() && gradients != (isForward ? 0 : 1)) {
      fail(product) << "expected " << (isForward ? "no operand" : "one operand")
                    << " of " << bytes.back() << ", the type of gradients, got "
                    << gradients;
    }
  }

  /// The sums are multiplied by the inverses of both scales before anybody
  /// reads them.
  void verifyScales(MatmulOp product) {
    Value sums = product.getResult();
    for (Value operand : product->getOperands()) {
      auto scaled =
          sums.hasOneUse() ? dyn_cast<MulOp>(*sums.user_begin()) : MulOp();
      Value inverse = scaled ? findRepeated(scaled.getRhs()) : Value();
      if (!inverse || !scales->undoesScale(inverse, operand)) {
        fail(product) << "expected the sums to be multiplied by the inverse of "
                         "the scale of each operand, got another use";
        return;
      }
      sums = scaled.getResult();
    }
  }

  /// What is stored low was rounded, or was low.
  void verifyStored(func::ReturnOp results) {
    for (Value value : results.getOperands()) {
      Type element = getElement(value);
      if ((element == low || isBytes(element)) && !findRounding(value)) {
        fail(results) << "expected a result of " << element
                      << " to come from a cast, or from other numbers of "
                      << element << ", got " << value;
      }
    }
  }

  /// Whether something made the numbers of `value` low.
  bool findRounding(Value value) const {
    Operation *op = findStored(value);
    if (!op) {
      // What a kernel reads somebody has stored; nobody makes what a microbatch
      // is given.
      return isKernel();
    }
    if (auto parts = dyn_cast_or_null<ConcatOp>(op)) {
      return llvm::all_of(parts.getOperands(),
                          [&](Value part) { return findRounding(part); });
    }
    if (auto choice = dyn_cast<SelectOp>(op)) {
      return findRounding(choice.getOnTrue()) &&
             findRounding(choice.getOnFalse());
    }
    auto narrow = dyn_cast<CastOp>(op);
    return narrow ? getElement(narrow.getOperand()).isF32()
                  : isa<ReadOp, GatherOp, ConstantOp, GroupedMatmulOp,
                        AttentionOp, AttentionGradOp>(op);
  }

  /// Whoever gathers a parameter gathers one type of it.
  void verifyRead(ReadOp read) {
    auto parameter = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(
        read, read.getSymbolAttr());
    if (parameter && read.getType() != parameter.getComputeType()) {
      fail(read) << "expected parameter '" << parameter.getSymName()
                 << "' to be read as " << parameter.getComputeType() << ", got "
                 << read.getType();
    }
  }

  bool isBytes(Type element) const {
    return llvm::is_contained(bytes, element);
  }

  bool isKernel() const { return function->hasAttr("plan.kernel"); }

  func::FuncOp function;
  Type low;
  SmallVector<Type> bytes; ///< of 8 bits, which products may read
  int64_t block = 0; ///< of the summed index, with a scale; 0: there is none
  std::optional<Fp8ScaleCheck> scales; ///< of a microbatch with such products
  bool hasFailed = false;
};

class VerifyPrecisionPass
    : public impl::VerifyPrecisionPassBase<VerifyPrecisionPass> {
public:
  using VerifyPrecisionPassBase::VerifyPrecisionPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto low = getOperation()->getAttrOfType<TypeAttr>("accel.precision");
    auto fp8 = getOperation()->getAttrOfType<DictionaryAttr>("accel.fp8");
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool computes = function.getSymName() == "microbatch" ||
                      function->hasAttr("plan.kernel");
      if (low && computes &&
          failed(PrecisionVerifier(function, low.getValue(), fp8).verify())) {
        signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace accel
