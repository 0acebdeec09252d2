// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the `accel` dialect.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ACCELOPS_H
#define ACCEL_DIALECTS_ACCEL_IR_ACCELOPS_H

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Accel/IR/AccelEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Accel/IR/AccelAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/Accel/IR/AccelOps.h.inc"

#endif
