// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `plan` dialect: the training step as instructions over buffers.
#ifndef ACCEL_DIALECTS_PLAN_IR_PLANDIALECT_H
#define ACCEL_DIALECTS_PLAN_IR_PLANDIALECT_H

#include "dialects/Accel/IR/AccelDialect.h"

#include "mlir/IR/Dialect.h"

#include "dialects/Plan/IR/PlanDialect.h.inc"

#endif
