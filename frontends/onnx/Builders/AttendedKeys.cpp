// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions are compared element by element; what is constant folds.
#include "frontends/onnx/Builders/AttendedKeys.h"

#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/Formula.h"

#include <limits>

using namespace mlir;

namespace accel::onnx {

bool AttendedKeys::isPlain() const {
  return !lengths && left < 0 && right < 0 &&
         (!isCausal || past == keys - queries);
}

Value AttendedKeys::makeMask(const NodeConversion &c) const {
  int64_t batch = lengths ? c.typeOf(lengths).getDimSize(0) : 1;
  RankedTensorType type =
      RankedTensorType::get({batch, 1, queries, keys}, c.builder.getI64Type());
  Formula f(c, type);
  Value key = f.index(3), position = f.index(2), length;
  if (lengths) {
    length =
        broadcastTo(c, c.reshape(lengths, {batch, 1, 1, 1}), type.getShape());
    position = f.add(position, f.sub(length, f.number(double(queries))));
  } else {
    position = f.add(position, f.number(double(past)));
  }
  Value mask;
  auto require = [&](Value condition) {
    mask = mask ? AndOp::create(c.builder, c.loc, mask, condition).getResult()
                : condition;
  };
  if (lengths) {
    require(f.less(key, length));
  }
  if (isCausal) {
    require(f.compare(ComparePredicate::LE, key, position));
  }
  if (left >= 0) {
    require(f.compare(ComparePredicate::GE, key,
                      f.sub(position, f.number(double(left)))));
  }
  if (right >= 0) {
    require(f.compare(ComparePredicate::LE, key,
                      f.add(position, f.number(double(right)))));
  }
  return mask;
}

Value combineMasks(const NodeConversion &c, Value given, Value allowed) {
  if (!given || !allowed) {
    return given ? given : allowed;
  }
  RankedTensorType type = c.typeOf(given);
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, other] :
       llvm::zip_equal(shape, c.typeOf(allowed).getShape())) {
    size = std::max(size, other);
  }
  Value wide = broadcastTo(c, given, shape),
        wideAllowed = broadcastTo(c, allowed, shape);
  if (type.getElementType().isInteger(1)) {
    return AndOp::create(c.builder, c.loc, wide, wideAllowed);
  }
  Formula f(c, type.clone(shape));
  return f.select(wideAllowed, wide,
                  f.number(-std::numeric_limits<double>::infinity()));
}

} // namespace accel::onnx
