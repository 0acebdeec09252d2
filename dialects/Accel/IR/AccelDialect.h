// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `accel` dialect: the training step as a program over tensors.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ACCELDIALECT_H
#define ACCEL_DIALECTS_ACCEL_IR_ACCELDIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialects/Accel/IR/AccelDialect.h.inc"

#endif
