// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the `dist` dialect.
#ifndef ACCEL_DIALECTS_DIST_IR_DISTOPS_H
#define ACCEL_DIALECTS_DIST_IR_DISTOPS_H

#include "dialects/Dist/IR/DistDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/Dist/IR/DistOps.h.inc"

#endif
