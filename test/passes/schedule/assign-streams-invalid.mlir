// RUN: not accel-opt %s --accel-assign-streams=target=sparc 2>&1 | FileCheck %s

// CHECK: error: target: expected cpu, or a list of x86-64-v4-bf16, x86-64-v4, x86-64-v3, got 'sparc'
func.func @step() attributes {accel.role = #accel.role<step>} {
  return
}
