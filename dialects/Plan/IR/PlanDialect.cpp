// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the `plan` dialect.
#include "dialects/Plan/IR/PlanDialect.h"

#include "dialects/Plan/IR/PlanOps.h"

#include "dialects/Plan/IR/PlanDialect.cpp.inc"

using namespace accel::plan;

void PlanDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Plan/IR/PlanOps.cpp.inc"
      >();
}
