// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All operations of the `accel` dialect, for TableGen.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ACCELOPS_TD
#define ACCEL_DIALECTS_ACCEL_IR_ACCELOPS_TD
include "dialects/Accel/IR/Elementwise.td"
include "dialects/Accel/IR/Shape.td"
include "dialects/Accel/IR/Window.td"
include "dialects/Accel/IR/Reduction.td"
include "dialects/Accel/IR/Linear.td"
include "dialects/Accel/IR/Composite.td"
include "dialects/Accel/IR/Program.td"
#endif
