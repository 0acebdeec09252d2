// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the elements of inputs to the tables that they choose rows of: the
// interpreter moves the elements' numbers as it would move the elements.
#include "dialects/Accel/Interpreter/InputRanges.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace accel {

bool movesElements(Operation *op) {
  auto fits = [](Type type) { return fitsHost(cast<RankedTensorType>(type)); };
  if (auto cast = dyn_cast<CastOp>(op)) {
    Type element = getElementTypeOrSelf(cast.getType());
    return isa<IntegerType>(element) && !element.isInteger(1);
  }
  return isa<ReshapeOp, TransposeOp, BroadcastOp, SliceOp, SplitOp, ConcatOp>(
             op) &&
         llvm::all_of(op->getResultTypes(), fits);
}

namespace {

/// What both allow, the lower end at least. What is not given allows
/// everything.
InputRange intersect(InputRange a, InputRange b) {
  if (!a.isGiven() || !b.isGiven()) {
    return a.isGiven() ? a : b;
  }
  int64_t first = std::max(a.first, b.first);
  return {first, std::max(first, std::min(a.last, b.last))};
}

/// The smallest one that has both. What is not given has nothing.
InputRange unite(InputRange a, InputRange b) {
  if (!a.isGiven() || !b.isGiven()) {
    return a.isGiven() ? a : b;
  }
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

/// Of an element of the input.
struct Place {
  InputRange range; ///< given once a table is found
  bool isNumber = false;
};

/// What elements of a value are: `element` of the input, or -1, plus `offset`.
struct Moved {
  HostTensor element, offset;
};

bool isNumberCast(Operation *op) {
  return isa<CastOp>(op) &&
         isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
}

bool choosesRows(OpOperand &use) {
  auto gather = dyn_cast<GatherOp>(use.getOwner());
  return gather && &use == &gather.getIndicesMutable();
}

class InputPlaces {
public:
  explicit InputPlaces(BlockArgument input)
      : type(cast<RankedTensorType>(input.getType())),
        places(type.getNumElements()) {
    HostTensor element(type);
    std::iota(element.mutableIntegers().begin(),
              element.mutableIntegers().end(), 0);
    follow(input, {element, HostTensor(type)});
  }

  /// The attributes of the input.
  void annotate(func::FuncOp forward, unsigned argument) const;

private:
  /// Whether elements of `value` choose rows, or are numbers, somewhere. What
  /// is only compared, such as masks of all pairs, need not be moved.
  bool isRead(Value value);
  void follow(Value value, const Moved &moved);
  void move(OpOperand &use, const Moved &moved);
  void add(AddOp op, unsigned operand, const Moved &moved);
  void chooseRows(int64_t rows, const Moved &moved);
  std::optional<InputRanges> alongAxis(int64_t axis, InputRange hull) const;
  /// Where nothing reads a place, it has the range of the others.
  InputRange getRange(const Place &place, InputRange hull) const {
    return place.range.isGiven() || place.isNumber ? place.range : hull;
  }

  RankedTensorType type;
  std::vector<Place> places;
  llvm::DenseMap<Value, bool> readValues;
};

} // namespace

bool InputPlaces::isRead(Value value) {
  if (auto known = readValues.find(value); known != readValues.end()) {
    return known->second;
  }
  bool found = llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return choosesRows(use) || isNumberCast(user) ||
           ((isa<AddOp>(user) || movesElements(user)) &&
            llvm::any_of(user->getResults(),
                         [&](Value result) { return isRead(result); }));
  });
  return readValues[value] = found;
}

void InputPlaces::follow(Value value, const Moved &moved) {
  if (!isRead(value)) {
    return;
  }
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (choosesRows(use)) {
      Value table = cast<GatherOp>(user).getTable();
      chooseRows(cast<RankedTensorType>(table.getType()).getDimSize(0), moved);
    } else if (isNumberCast(user)) {
      for (int64_t element : moved.element.integers()) {
        if (element >= 0) {
          places[element].isNumber = true;
        }
      }
    } else if (auto sum = dyn_cast<AddOp>(user)) {
      add(sum, use.getOperandNumber(), moved);
    } else if (movesElements(user)) {
      move(use, moved);
    }
  }
}

/// Other operands of a concatenation are nothing of the input.
void InputPlaces::move(OpOperand &use, const Moved &moved) {
  Operation *user = use.getOwner();
  SmallVector<HostTensor> elements, offsets;
  for (OpOperand &operand : user->getOpOperands()) {
    auto other = cast<RankedTensorType>(operand.get().getType());
    bool isMoved = &operand == &use;
    elements.push_back(isMoved ? moved.element : HostTensor::splat(other, -1));
    offsets.push_back(isMoved ? moved.offset : HostTensor(other));
  }
  FailureOr<SmallVector<HostTensor>> element = evaluate(user, elements),
                                     offset = evaluate(user, offsets);
  if (failed(element) || failed(offset)) {
    return;
  }
  for (OpResult result : user->getResults()) {
    unsigned i = result.getResultNumber();
    follow(result, {(*element)[i], (*offset)[i]});
  }
}

void InputPlaces::add(AddOp op, unsigned operand, const Moved &moved) {
  std::optional<HostTensor> constant =
      evaluateConstant(op->getOperand(1 - operand));
  if (!constant) {
    return;
  }
  FailureOr<SmallVector<HostTensor>> offset =
      evaluate(op, {moved.offset, *constant});
  if (succeeded(offset)) {
    follow(op.getResult(), {moved.element, offset->front()});
  }
}

void InputPlaces::chooseRows(int64_t rows, const Moved &moved) {
  for (auto [element, offset] :
       llvm::zip_equal(moved.element.integers(), moved.offset.integers())) {
    if (element >= 0) {
      InputRange &range = places[element].range;
      range = intersect(range, {-offset, rows - 1 - offset});
    }
  }
}

std::optional<InputRanges> InputPlaces::alongAxis(int64_t axis,
                                                  InputRange hull) const {
  InputRanges ranges{axis, {}};
  int64_t size = type.getDimSize(axis),
          run = getRowMajorStrides(type.getShape())[axis];
  for (int64_t i = 0; i < size; ++i) {
    ranges.each.push_back(getRange(places[i * run], hull));
  }
  for (auto [element, place] : llvm::enumerate(places)) {
    int64_t index = static_cast<int64_t>(element) / run % size;
    if (!(getRange(place, hull) == ranges.each[index])) {
      return std::nullopt;
    }
  }
  return ranges;
}

void InputPlaces::annotate(func::FuncOp forward, unsigned argument) const {
  InputRange hull, common;
  for (const Place &place : places) {
    hull = unite(hull, place.range);
    common = intersect(common, place.range);
  }
  if (!hull.isGiven()) {
    return;
  }
  Builder builder(forward.getContext());
  auto toAttribute = [&](InputRange range) -> Attribute {
    return range.isGiven() ? builder.getI64ArrayAttr({range.first, range.last})
                           : builder.getArrayAttr({});
  };
  bool isSame = llvm::all_of(places, [&](const Place &place) {
    return getRange(place, hull) == hull;
  });
  std::optional<InputRanges> ranges;
  // The last dimension first: columns. The first one counts samples.
  for (int64_t axis = type.getRank() - 1; axis > 0 && !isSame && !ranges;
       --axis) {
    ranges = alongAxis(axis, hull);
  }
  bool hasNumbers = ranges && llvm::any_of(ranges->each, [](InputRange range) {
                      return !range.isGiven();
                    });
  for (StringRef name : {"accel.range", "accel.ranges", "accel.ranges_axis"}) {
    forward.removeArgAttr(argument, name);
  }
  if (!hasNumbers) {
    forward.setArgAttr(argument, "accel.range",
                       toAttribute(isSame || ranges ? hull : common));
  }
  if (ranges) {
    SmallVector<Attribute> each =
        llvm::map_to_vector(ranges->each, toAttribute);
    forward.setArgAttr(argument, "accel.ranges", builder.getArrayAttr(each));
    forward.setArgAttr(argument, "accel.ranges_axis",
                       builder.getI64IntegerAttr(ranges->axis));
  }
}

void annotateInputRanges(func::FuncOp forward) {
  for (BlockArgument argument : forward.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (type && fitsHost(type) && type.getNumElements() > 0 &&
        isa<IntegerType>(type.getElementType()) &&
        !type.getElementType().isInteger(1)) {
      InputPlaces(argument).annotate(forward, argument.getArgNumber());
    }
  }
}

std::optional<InputRanges> getInputRanges(DictionaryAttr attributes,
                                          ArrayRef<int64_t> shape) {
  auto each =
      attributes ? attributes.getAs<ArrayAttr>("accel.ranges") : ArrayAttr();
  auto axis = attributes ? attributes.getAs<IntegerAttr>("accel.ranges_axis")
                         : IntegerAttr();
  if (!each || !axis || axis.getInt() < 0 ||
      axis.getInt() >= static_cast<int64_t>(shape.size()) ||
      shape[axis.getInt()] != static_cast<int64_t>(each.size())) {
    return std::nullopt;
  }
  InputRanges ranges{axis.getInt(), {}};
  for (Attribute attribute : each) {
    auto ends = dyn_cast<ArrayAttr>(attribute);
    if (!ends || (ends.size() != 0 && ends.size() != 2) ||
        !llvm::all_of(ends, llvm::IsaPred<IntegerAttr>)) {
      return std::nullopt;
    }
    ranges.each.push_back(
        ends.empty() ? InputRange()
                     : InputRange{cast<IntegerAttr>(ends[0]).getInt(),
                                  cast<IntegerAttr>(ends[1]).getInt()});
  }
  return ranges;
}

} // namespace accel
