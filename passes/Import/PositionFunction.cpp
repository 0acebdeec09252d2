// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells are polygons whose sides are rows, columns and diagonals. The corners
// of such a polygon are whole numbers, so that a cell with an element has one
// that is on two of its sides: the crossings of all borders meet every cell.
#include "passes/Import/PositionFunction.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/Comparison.h"
#include "dialects/Accel/Interpreter/HostTensor.h"
#include "passes/Import/ConstantValue.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace accel {
namespace {

enum : int { kRow, kColumn, kDiagonal, kNeither = -1 };

/// More than any mask has, and few enough to try all crossings.
constexpr int kMostValues = 256, kMostCuts = 64;

/// Larger numbers would lose digits in f32.
constexpr double kLargest = 1 << 24;

} // namespace

PositionFunction::PositionFunction(RankedTensorType type)
    : rows(type.getShape().drop_back().back()),
      columns(type.getShape().back()) {}

std::optional<PositionFunction> PositionFunction::find(Value value) {
  RankedTensorType type = typeOf(value);
  if (type.getRank() < 2 || type.getNumElements() == 0) {
    return std::nullopt;
  }
  PositionFunction function(type);
  SmallVector<int> counted(type.getRank(), kNeither);
  counted[type.getRank() - 2] = kRow;
  counted[type.getRank() - 1] = kColumn;
  std::optional<unsigned> whole = function.add(value, counted);
  bool isConstant = whole && (function.nodes[*whole].op ||
                              function.nodes[*whole].line.isNumber());
  return isConstant ? std::optional(std::move(function)) : std::nullopt;
}

unsigned PositionFunction::push(Node node) {
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

std::optional<unsigned> PositionFunction::add(Value value, Counted counted) {
  Operation *op = value.getDefiningOp();
  if (!op || ++visited > kMostValues) {
    return std::nullopt;
  }
  if (isa<ConstantOp, IotaOp>(op)) {
    return addSource(value, counted);
  }
  return isa<BroadcastOp, ReshapeOp, TransposeOp>(op)
             ? addView(op, counted)
             : addArithmetic(op, counted);
}

std::optional<unsigned> PositionFunction::addView(Operation *op,
                                                  Counted counted) {
  Value operand = op->getOperand(0);
  ArrayRef<int64_t> from = typeOf(operand).getShape(),
                    to = typeOf(op->getResult(0)).getShape();
  SmallVector<int> inside(from.size(), kNeither);
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    for (auto [dim, target] : llvm::enumerate(broadcast.getDimensions())) {
      inside[dim] = counted[target];
    }
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    for (auto [dim, source] : llvm::enumerate(transpose.getPermutation())) {
      inside[source] = counted[dim];
    }
  } else {
    // Only unit dimensions come and go.
    auto isUnit = [](int64_t size) { return size == 1; };
    SmallVector<int64_t> left(from), right(to);
    llvm::erase_if(left, isUnit);
    llvm::erase_if(right, isUnit);
    if (left != right) {
      return std::nullopt;
    }
    size_t target = 0;
    for (auto [dim, size] : llvm::enumerate(from)) {
      if (size != 1) {
        target += std::find_if_not(to.begin() + target, to.end(), isUnit) -
                  (to.begin() + target);
        inside[dim] = counted[target++];
      }
    }
  }
  return add(operand, inside);
}

/// A number, or numbers that rise by the same step along one dimension.
std::optional<unsigned> PositionFunction::addSource(Value value,
                                                    Counted counted) {
  RankedTensorType type = typeOf(value);
  if (std::optional<double> number = getSplat(value)) {
    return push({nullptr, {0, 0, *number}, {}});
  }
  int64_t along = 0;
  double first = 0, step = 1;
  if (auto iota = value.getDefiningOp<IotaOp>()) {
    along = iota.getDimension();
  } else {
    auto tensor =
        HostTensor::fromAttribute(value.getDefiningOp<ConstantOp>().getValue());
    if (!tensor) {
      return std::nullopt;
    }
    first = tensor->getAsDouble(0);
    SmallVector<int64_t> strides = computeStrides(type.getShape());
    while (type.getDimSize(along) == 1 ||
           tensor->getAsDouble(strides[along]) == first) {
      if (++along == type.getRank()) {
        return std::nullopt;
      }
    }
    step = tensor->getAsDouble(strides[along]) - first;
    for (int64_t at = 0; at < tensor->getNumElements(); ++at) {
      int64_t place = at / strides[along] % type.getDimSize(along);
      if (tensor->getAsDouble(at) !=
          first + static_cast<double>(place) * step) {
        return std::nullopt;
      }
    }
  }
  step = type.getDimSize(along) == 1 ? 0 : step;
  if (step != 0 && counted[along] == kNeither) {
    return std::nullopt;
  }
  Line line{0, 0, first};
  (counted[along] == kRow ? line.a : line.b) = step;
  return push({nullptr, line, {}});
}

std::optional<unsigned> PositionFunction::addArithmetic(Operation *op,
                                                        Counted counted) {
  if (!isa<CompareOp, SelectOp, AndOp, OrOp, NotOp, CastOp, AddOp, SubOp,
           MulOp>(op)) {
    return std::nullopt;
  }
  SmallVector<unsigned> operands;
  for (Value operand : op->getOperands()) {
    std::optional<unsigned> node = add(operand, counted);
    if (!node) {
      return std::nullopt;
    }
    operands.push_back(*node);
  }
  bool areLines = llvm::all_of(
      operands, [&](unsigned operand) { return !nodes[operand].op; });
  bool areLevel = llvm::all_of(operands, [&](unsigned operand) {
    return nodes[operand].op || nodes[operand].line.isNumber();
  });
  if (areLines && isa<AddOp, SubOp, CompareOp>(op)) {
    Line left = nodes[operands[0]].line, right = nodes[operands[1]].line;
    double sign = isa<AddOp>(op) ? 1 : -1;
    Line line{left.a + sign * right.a, left.b + sign * right.b,
              left.c + sign * right.c};
    if (!isa<CompareOp>(op)) {
      return push({nullptr, line, {}});
    }
    return noteCuts(line) ? std::optional(push({op, line, {}})) : std::nullopt;
  }
  // Between numbers of this size casts of lines change nothing.
  if (areLines && !areLevel && isa<CastOp>(op) &&
      !typeOf(op->getResult(0)).getElementType().isInteger(1)) {
    return operands[0];
  }
  return areLevel ? std::optional(push({op, {0, 0, 0}, operands}))
                  : std::nullopt;
}

/// Where the sign of the line changes, if that is along a row, a column or a
/// diagonal.
bool PositionFunction::noteCuts(const Line &line) {
  double size =
      std::abs(line.c) + (std::abs(line.a) + std::abs(line.b)) *
                             static_cast<double>(std::max(rows, columns));
  if (!(size < kLargest)) {
    return false;
  }
  if (line.isNumber()) {
    return true;
  }
  if (line.a != 0 && line.b != 0 && line.a != -line.b) {
    return false;
  }
  int kind = line.b == 0 ? kRow : line.a == 0 ? kColumn : kDiagonal;
  double slope = kind == kColumn ? line.b : line.a;
  cuts[kind].push_back(static_cast<int64_t>(std::floor(-line.c / slope)));
  return std::ssize(cuts[kind]) <= kMostCuts;
}

double PositionFunction::evaluate(unsigned number, int64_t i, int64_t j) const {
  const Node &node = nodes[number];
  double value = node.line.a * static_cast<double>(i) +
                 node.line.b * static_cast<double>(j) + node.line.c;
  if (!node.op) {
    return value;
  }
  auto operand = [&](int which) {
    return evaluate(node.operands[which], i, j);
  };
  return llvm::TypeSwitch<Operation *, double>(node.op)
      .Case([&](CompareOp op) {
        bool isOfLines = node.operands.empty();
        return holds(op.getPredicate(), isOfLines ? value : operand(0),
                     isOfLines ? 0.0 : operand(1));
      })
      .Case([&](SelectOp) { return operand(0) != 0 ? operand(1) : operand(2); })
      .Case([&](AndOp) { return operand(0) != 0 && operand(1) != 0; })
      .Case([&](OrOp) { return operand(0) != 0 || operand(1) != 0; })
      .Case([&](NotOp) { return operand(0) == 0; })
      .Case([&](AddOp) { return operand(0) + operand(1); })
      .Case([&](SubOp) { return operand(0) - operand(1); })
      .Case([&](MulOp) { return operand(0) * operand(1); })
      .Case([&](CastOp op) {
        Type element = typeOf(op.getResult()).getElementType();
        return element.isInteger(1)        ? double(operand(0) != 0)
               : isa<IntegerType>(element) ? std::trunc(operand(0))
                                           : operand(0);
      });
}

bool PositionFunction::isEverywhere(Test test, int64_t diagonal) const {
  // Both sides of every cut, and what lies on it.
  SmallVector<int64_t> borders[3];
  for (int kind : {kRow, kColumn, kDiagonal}) {
    for (int64_t cut : cuts[kind]) {
      borders[kind].append({cut - 1, cut, cut + 1});
    }
  }
  borders[kRow].append({0, rows - 1});
  borders[kColumn].append({0, columns - 1});
  borders[kDiagonal].append({diagonal - 1, diagonal, diagonal + 1});
  auto holdsAt = [&](int64_t i, int64_t j) {
    bool isInside = i >= 0 && i < rows && j >= 0 && j < columns;
    return !isInside || test(evaluate(nodes.size() - 1, i, j), i, j);
  };
  for (int64_t i : borders[kRow]) {
    for (int64_t j : borders[kColumn]) {
      if (!holdsAt(i, j)) {
        return false;
      }
    }
  }
  for (int64_t difference : borders[kDiagonal]) {
    for (int64_t i : borders[kRow]) {
      if (!holdsAt(i, i - difference)) {
        return false;
      }
    }
    for (int64_t j : borders[kColumn]) {
      if (!holdsAt(j + difference, j)) {
        return false;
      }
    }
  }
  return true;
}

} // namespace accel
