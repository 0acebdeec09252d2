// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks of attention by their values, whoever computed them and how.
#include "passes/Import/AttentionMask.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/HostTensor.h"
#include "passes/Import/ConstantValue.h"
#include "passes/Import/PositionFunction.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace accel {
namespace {

/// A score this low has a probability of zero in every format; exporters write
/// -1e4, -1e9, the lowest float, or -inf.
constexpr double kMasked = -1e4;

/// `mask` with unit dimensions instead of repeated ones: shape (b or 1, h or 1,
/// t or 1, s).
Value dropRepetition(OpBuilder &builder, Value mask) {
  auto broadcast = mask.getDefiningOp<BroadcastOp>();
  auto type = cast<RankedTensorType>(mask.getType());
  if (!broadcast) {
    return mask;
  }
  Value base = broadcast.getOperand();
  auto baseType = cast<RankedTensorType>(base.getType());
  SmallVector<int64_t> shape(type.getRank(), 1);
  for (auto [from, to] : llvm::enumerate(broadcast.getDimensions())) {
    shape[to] = baseType.getDimSize(from);
  }
  if (shape.back() != type.getShape().back()) {
    return mask;
  }
  if (ArrayRef<int64_t>(shape) == baseType.getShape()) {
    return base;
  }
  return ReshapeOp::create(builder, mask.getLoc(), type.clone(shape), base);
}

/// A constant mask: which columns each row may see.
struct AllowedColumns {
  RankedTensorType type; ///< i1
  std::vector<int64_t> elements;

  int64_t getRows() const { return type.getDimSize(2); }
  int64_t getColumns() const { return type.getDimSize(3); }

  /// One sample for all if they are equal.
  void mergeSamples() {
    int64_t samples = type.getDimSize(0);
    if (samples < 2) {
      return;
    }
    auto all = ArrayRef<int64_t>(elements);
    size_t size = elements.size() / samples;
    for (int64_t i = 1; i < samples; ++i) {
      if (all.slice(i * size, size) != all.take_front(size)) {
        return;
      }
    }
    elements.resize(size);
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = 1;
    type = type.clone(shape);
  }

  bool isEverywhere() const {
    return llvm::all_of(elements, [](int64_t element) { return element != 0; });
  }

  /// Column j of row i is allowed exactly if j <= i + (s - t), for `rows` = t.
  bool isCausal(int64_t rows) const {
    if (getRows() != rows) {
      return false;
    }
    for (auto [index, element] : llvm::enumerate(elements)) {
      int64_t column = int64_t(index) % getColumns();
      int64_t row = int64_t(index) / getColumns() % rows;
      if ((element != 0) != (column <= row + getColumns() - rows)) {
        return false;
      }
    }
    return true;
  }

  bool hasEmptyRow() const {
    for (size_t begin = 0; begin < elements.size(); begin += getColumns()) {
      auto row = ArrayRef<int64_t>(elements).slice(begin, getColumns());
      if (llvm::all_of(row, [](int64_t element) { return element == 0; })) {
        return true;
      }
    }
    return false;
  }
};

/// The constant under `mask` (a result of dropRepetition), if it is one.
std::optional<HostTensor> getConstant(Value mask) {
  if (auto reshape = mask.getDefiningOp<ReshapeOp>()) {
    std::optional<HostTensor> tensor = getConstant(reshape.getOperand());
    return tensor ? std::optional(tensor->withType(
                        cast<RankedTensorType>(mask.getType())))
                  : std::nullopt;
  }
  auto constant = mask.getDefiningOp<ConstantOp>();
  return constant ? HostTensor::fromAttribute(constant.getValue())
                  : std::nullopt;
}

/// Whether an element of a mask allows its column; none if it does more.
std::optional<bool> isAllowed(const MaskUse &use, double element) {
  if (use.isSelection) {
    return (element != 0) != use.isInverted;
  }
  return element == 0         ? std::optional(true)
         : element <= kMasked ? std::optional(false)
                              : std::nullopt;
}

/// The columns that a constant mask allows; none if it does more than to allow
/// and forbid.
std::optional<AllowedColumns> readAllowed(const MaskUse &use,
                                          const HostTensor &tensor) {
  AllowedColumns allowed;
  allowed.type = tensor.getType().clone(
      IntegerType::get(tensor.getType().getContext(), 1));
  for (int64_t at = 0; at < tensor.getNumElements(); ++at) {
    std::optional<bool> element = isAllowed(use, tensor.getAsDouble(at));
    if (!element) {
      return std::nullopt;
    }
    allowed.elements.push_back(*element);
  }
  return allowed;
}

/// A sum with 0 and -inf is a selection.
MaskUse asSelection(OpBuilder &builder, const MaskUse &use) {
  auto select = dropRepetition(builder, use.value).getDefiningOp<SelectOp>();
  if (use.isSelection || !select) {
    return use;
  }
  std::optional<double> yes = getSplat(select.getOnTrue());
  std::optional<double> no = getSplat(select.getOnFalse());
  constexpr double none = -std::numeric_limits<double>::infinity();
  bool isPlain = yes == 0.0 && no == none;
  bool isInverted = yes == none && no == 0.0;
  if (!isPlain && !isInverted) {
    return use;
  }
  MaskUse selection = use;
  selection.value = select.getCondition();
  selection.isSelection = true;
  selection.isInverted = isInverted;
  selection.fill = none;
  return selection;
}

/// The sum that is added, if something in it is learned or it is part of one
/// where that is so.
AddOp getLearnedSum(OpBuilder &builder, const MaskUse &use) {
  auto sum = dropRepetition(builder, use.value).getDefiningOp<AddOp>();
  bool isLearned =
      sum && !use.isSelection && (use.isPart || dependsOnParameters(sum));
  return isLearned ? sum : AddOp();
}

/// What both of two masks allow, one after the other. Only of -inf: in a row
/// without any column, finite numbers would weigh columns.
SmallVector<MaskUse> splitMasks(OpBuilder &builder, ArrayRef<MaskUse> uses) {
  SmallVector<MaskUse> pending(llvm::reverse(uses));
  SmallVector<MaskUse> parts;
  while (!pending.empty()) {
    MaskUse use = asSelection(builder, pending.pop_back_val());
    if (AddOp sum = getLearnedSum(builder, use)) {
      use.isPart = true;
      for (Value part : {sum.getRhs(), sum.getLhs()}) {
        use.value = part;
        pending.push_back(use);
      }
      continue;
    }
    auto both = dropRepetition(builder, use.value).getDefiningOp<AndOp>();
    if (!both || !use.isSelection || use.isInverted || !std::isinf(use.fill)) {
      parts.push_back(use);
      continue;
    }
    for (Value part : {both.getRhs(), both.getLhs()}) {
      use.value = part;
      pending.push_back(use);
    }
  }
  return parts;
}

/// Resolves one mask after the other.
class MaskResolver {
public:
  MaskResolver(OpBuilder &builder, RankedTensorType scores, std::string &reason)
      : builder(builder), scores(scores), reason(reason) {}

  LogicalResult add(const MaskUse &use) {
    Value base = dropRepetition(builder, use.value);
    std::optional<PositionFunction> function = PositionFunction::find(base);
    if (function && isEverywhere(use, *function)) {
      return success();
    }
    if (function && isCausal(use, base, *function)) {
      return addCausal(use);
    }
    if (std::optional<HostTensor> tensor = getConstant(base)) {
      if (std::optional<AllowedColumns> allowed = readAllowed(use, *tensor)) {
        allowed->mergeSamples();
        return addAllowed(use, base, *allowed);
      }
    }
    if (function) {
      return setOperand(use, makeOperand(use, takeFirst(base)));
    }
    if (!dependsOnParameters(base)) {
      return setOperand(use, makeOperand(use, base));
    }
    if (use.isSelection || !isOfAllSamples(base)) {
      reason = "its mask depends on parameters and differs between samples";
      return failure();
    }
    return failure(failed(checkUnscaled(use)) || failed(setBias(base)));
  }

  AttentionMask mask;

private:
  static bool isEverywhere(const MaskUse &use,
                           const PositionFunction &function) {
    return function.isEverywhere([&](double element, int64_t, int64_t) {
      return isAllowed(use, element) == true;
    });
  }

  /// As AllowedColumns::isCausal.
  bool isCausal(const MaskUse &use, Value base,
                const PositionFunction &function) const {
    int64_t rows = scores.getDimSize(2), first = rows - scores.getDimSize(3);
    auto isAsCausal = [&](double element, int64_t row, int64_t column) {
      return isAllowed(use, element) == (row - column >= first);
    };
    return typeOf(base).getDimSize(2) == rows &&
           function.isEverywhere(isAsCausal, first);
  }

  /// Of a mask that is the same for all samples and heads, one.
  Value takeFirst(Value base) {
    SmallVector<int64_t> shape(typeOf(base).getShape()),
        offsets(shape.size(), 0), strides(shape.size(), 1);
    shape[0] = shape[1] = 1;
    return builder.createOrFold<SliceOp>(
        base.getLoc(), typeOf(base).clone(shape), base, offsets, strides);
  }

  LogicalResult addCausal(const MaskUse &use) {
    if (failed(checkScale(use))) {
      return failure();
    }
    mask.causal = true;
    return success();
  }

  LogicalResult checkScale(const MaskUse &use) {
    if (use.scaleAfter <= 0) {
      reason = "its mask is multiplied by a number that is not positive";
      return failure();
    }
    return success();
  }

  LogicalResult addAllowed(const MaskUse &use, Value base,
                           const AllowedColumns &allowed) {
    if (allowed.isEverywhere()) {
      return success();
    }
    if (allowed.isCausal(scores.getDimSize(2))) {
      return addCausal(use);
    }
    if (failed(checkScale(use))) {
      return failure();
    }
    // Rows without any column: attention gives zeros, which finite numbers do
    // not.
    if (allowed.hasEmptyRow() && !isInfinite(use, base)) {
      return setOperand(use, makeOperand(use, base));
    }
    auto elements = HostTensor(allowed.type, allowed.elements).toAttribute();
    return setOperand(MaskUse(), ConstantOp::create(builder, base.getLoc(),
                                                    allowed.type, elements));
  }

  /// Whether what is masked is -inf.
  bool isInfinite(const MaskUse &use, Value base) const {
    if (use.isSelection) {
      return std::isinf(use.fill);
    }
    return llvm::all_of(getConstant(base)->floats(), [](double element) {
      return element == 0 || std::isinf(element);
    });
  }

  LogicalResult checkUnscaled(const MaskUse &use) {
    if (use.scaleAfter != 1) {
      reason = "the scores are scaled after its mask was applied";
      return failure();
    }
    return success();
  }

  LogicalResult setOperand(const MaskUse &use, Value operand) {
    if (failed(checkUnscaled(use))) {
      return failure();
    }
    if (!mask.operand) {
      mask.operand = operand;
      return success();
    }
    // One of two is a bias, if it can be one.
    if (isOfAllSamples(operand)) {
      return setBias(operand);
    }
    if (isOfAllSamples(mask.operand) && succeeded(setBias(mask.operand))) {
      mask.operand = operand;
      return success();
    }
    reason = "it has more than one mask";
    return failure();
  }

  LogicalResult setBias(Value bias) {
    if (mask.bias) {
      reason = "it has more than one mask";
      return failure();
    }
    mask.bias = bias;
    return success();
  }

  /// Whether `added` is a sum's operand, of numbers that all samples share.
  static bool isOfAllSamples(Value added) {
    auto type = cast<RankedTensorType>(added.getType());
    return isa<FloatType>(type.getElementType()) && type.getDimSize(0) == 1;
  }

  /// The mask that says the same as `use`, also in rows without any column:
  /// zeros for -inf, what the finite numbers give otherwise.
  Value makeOperand(const MaskUse &use, Value base) {
    if (!use.isSelection) {
      return base;
    }
    if (!std::isinf(use.fill)) {
      return makeAdditive(use, base);
    }
    return use.isInverted
               ? NotOp::create(builder, base.getLoc(), base.getType(), base)
                     .getResult()
               : base;
  }

  /// 0 where the selection keeps the scores, `fill` elsewhere.
  Value makeAdditive(const MaskUse &use, Value condition) {
    auto type = cast<RankedTensorType>(condition.getType())
                    .clone(scores.getElementType());
    auto zero = HostTensor(type).toAttribute();
    auto fill = HostTensor::splat(type, use.fill).toAttribute();
    Value keep = ConstantOp::create(builder, condition.getLoc(), type, zero);
    Value mask = ConstantOp::create(builder, condition.getLoc(), type, fill);
    return SelectOp::create(builder, condition.getLoc(), type, condition,
                            use.isInverted ? mask : keep,
                            use.isInverted ? keep : mask);
  }

  OpBuilder &builder;
  RankedTensorType scores;
  std::string &reason;
};

} // namespace

FailureOr<AttentionMask> resolveMasks(OpBuilder &builder,
                                      ArrayRef<MaskUse> uses,
                                      RankedTensorType scores,
                                      std::string &reason) {
  MaskResolver resolver(builder, scores, reason);
  for (const MaskUse &use : splitMasks(builder, uses)) {
    if (failed(resolver.add(use))) {
      return failure();
    }
  }
  return resolver.mask;
}

} // namespace accel
