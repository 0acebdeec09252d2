// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// g is one tensor or several, with an element for each window, and w[k]
// arithmetic on their elements that gives zero for zeros: the gradient of a
// pool chooses, and that of a depthwise convolution multiplies.
#include "dialects/Accel/IR/ByElement.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Fuse/WindowElement.h"
#include "passes/Fuse/WindowProducts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

namespace {

bool isZero(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  return splat && isa<FloatType>(splat.getElementType()) &&
         splat.getSplatValue<APFloat>().isZero();
}

class ComputedWindows : public WindowPhases {
public:
  using WindowPhases::WindowPhases;

  bool match();

private:
  bool isPlaced(Value value) const;
  bool isKnown(Value value) const;
  bool keepsZeros(Value value) const;
  void prepare() override;
  Value buildPhase(Choice chosen, ArrayRef<int64_t> shape) override;
  Value makeTerm(Choice chosen, ArrayRef<int64_t> index,
                 ArrayRef<int64_t> shape);
  Value makeLeaf(Value value, ArrayRef<int64_t> taps, ArrayRef<int64_t> offsets,
                 ArrayRef<int64_t> shape);

  SmallVector<Value> leaves;
  SmallVector<Operation *> computed; ///< in the order of the program
  llvm::DenseMap<Value, Value> padded;
};

} // namespace

/// Whether `value` repeats, for the elements of a window, what there is one of
/// for each window and channel.
bool ComputedWindows::isPlaced(Value value) const {
  auto repeat = value.getDefiningOp<BroadcastOp>();
  return repeat &&
         llvm::equal(repeat.getDimensions(), axisRange(0, spatial + 2)) &&
         shapeOf(repeat.getOperand()) == shapeOf(value).take_front(spatial + 2);
}

/// Whether `value` is the same for all windows of a channel.
bool ComputedWindows::isKnown(Value value) const {
  if (!value.getDefiningOp()) {
    return false;
  }
  return llvm::TypeSwitch<Operation *, bool>(value.getDefiningOp())
      .Case([](ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue());
      })
      .Case([&](IotaOp iota) {
        return static_cast<int64_t>(iota.getDimension()) >= spatial + 2;
      })
      .Case([&](BroadcastOp repeat) {
        return llvm::all_of(repeat.getDimensions(), [&](int64_t dimension) {
          return dimension > spatial;
        });
      })
      .Default(false);
}

bool ComputedWindows::keepsZeros(Value value) const {
  if (isPlaced(value) || !value.getDefiningOp()) {
    return isPlaced(value);
  }
  return llvm::TypeSwitch<Operation *, bool>(value.getDefiningOp())
      .Case([&](MulOp op) {
        return keepsZeros(op.getLhs()) || keepsZeros(op.getRhs());
      })
      .Case([&](SelectOp op) {
        return keepsZeros(op.getOnTrue()) && isZero(op.getOnFalse());
      })
      .Default(false);
}

bool ComputedWindows::match() {
  if (!canBeCut() || !keepsZeros(sum.getOperand())) {
    return false;
  }
  llvm::SetVector<Value> values;
  values.insert(sum.getOperand());
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = values[i];
    if (isPlaced(value) || isKnown(value)) {
      leaves.push_back(value);
      continue;
    }
    if (!isComputedByElement(value.getDefiningOp())) {
      return false;
    }
    computed.push_back(value.getDefiningOp());
    values.insert_range(value.getDefiningOp()->getOperands());
  }
  // All stand in one block, operands in front.
  llvm::sort(computed,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return true;
}

void ComputedWindows::prepare() {
  for (Value leaf : leaves) {
    if (isPlaced(leaf)) {
      padded[leaf] = pad(leaf.getDefiningOp()->getOperand(0));
    }
  }
}

/// What `value` is for the elements `taps`, where g begins at `offsets`.
Value ComputedWindows::makeLeaf(Value value, ArrayRef<int64_t> taps,
                                ArrayRef<int64_t> offsets,
                                ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  if (Value source = padded.lookup(value)) {
    return slice(source, offsets, shape);
  }
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    return b.create<ConstantOp>(splat.resizeSplat(type));
  }
  if (auto iota = value.getDefiningOp<IotaOp>()) {
    int64_t axis = static_cast<int64_t>(iota.getDimension()) - spatial - 2;
    return b.constant(type, static_cast<double>(taps[axis]));
  }
  SmallVector<int64_t> windowAxes = axisRange(spatial + 2, 2 * spatial + 2);
  Value part = WindowElement(b, windowAxes, taps).of(value);
  auto repeat = cast<BroadcastOp>(part.getDefiningOp());
  return b.create<BroadcastOp>(type, repeat.getOperand(),
                               repeat.getDimensions());
}

/// What the taps with the numbers `index` add to the elements of a phase.
Value ComputedWindows::makeTerm(Choice chosen, ArrayRef<int64_t> index,
                                ArrayRef<int64_t> shape) {
  SmallVector<int64_t> taps, offsets{0};
  for (auto [axis, phase, i] : llvm::zip_equal(axes, chosen, index)) {
    taps.push_back(phase->taps[i]);
    offsets.push_back(axis.before + phase->start + i * phase->dilation);
  }
  offsets.push_back(0);
  llvm::DenseMap<Value, Value> made;
  for (Value leaf : leaves) {
    made[leaf] = makeLeaf(leaf, taps, offsets, shape);
  }
  for (Operation *op : computed) {
    SmallVector<Value> operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return made.lookup(operand); });
    made[op->getResult(0)] = buildLike(b.getBuilder(), op, operands, shape);
  }
  return made.lookup(sum.getOperand());
}

Value ComputedWindows::buildPhase(Choice chosen, ArrayRef<int64_t> shape) {
  Value total;
  forEachTap(chosen, [&](ArrayRef<int64_t> index) {
    Value term = makeTerm(chosen, index, shape);
    total = total ? b.add(total, term) : term;
  });
  return total;
}

std::unique_ptr<WindowPhases>
accel::findComputedWindows(ArithmeticBuilder &builder, SumWindowsOp sum) {
  auto computed = std::make_unique<ComputedWindows>(builder, sum);
  return computed->match() ? std::move(computed) : nullptr;
}
