// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generated part of every operation of the `accel` dialect: accessors,
// parser, printer and the verification of operand types.
#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "dialects/Accel/IR/AccelOps.cpp.inc"
