// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What folds ask about constants that hold one number in every element.
#include "dialects/Accel/IR/SplatConstant.h"

#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace accel {

bool isSplatOf(Attribute constant, double number) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(constant);
  if (!splat) {
    return false;
  }
  Type element = splat.getElementType();
  if (isa<FloatType>(element)) {
    auto expected = FloatAttr::get(element, number).getValue();
    return splat.getSplatValue<APFloat>().bitwiseIsEqual(expected);
  }
  return splat.getSplatValue<APInt>() == static_cast<int64_t>(number);
}

std::optional<bool> splatBool(Attribute constant) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(constant);
  if (!splat || !splat.getElementType().isInteger(1)) {
    return std::nullopt;
  }
  return splat.getSplatValue<bool>();
}

Attribute resizeSplat(Attribute constant, Type type) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(constant);
  auto tensor = cast<RankedTensorType>(type);
  return splat && tensor.hasStaticShape() ? splat.resizeSplat(tensor)
                                          : Attribute();
}

} // namespace accel
