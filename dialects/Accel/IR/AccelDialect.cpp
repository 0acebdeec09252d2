// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the `accel` dialect, and how it makes constants.
#include "dialects/Accel/IR/AccelDialect.h"

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/Accel/IR/AccelDialect.cpp.inc"
#include "dialects/Accel/IR/AccelEnums.cpp.inc"
#include "dialects/Accel/IR/AccelInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Accel/IR/AccelAttrs.cpp.inc"

using namespace mlir;
using namespace accel;

void AccelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Accel/IR/AccelAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Accel/IR/AccelOps.cpp.inc"
      >();
}

Operation *AccelDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type) {
    return nullptr;
  }
  return ConstantOp::create(builder, loc, elements);
}
