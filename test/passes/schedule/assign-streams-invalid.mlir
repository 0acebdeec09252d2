// RUN: not accel-opt %s --accel-assign-streams=target=sparc 2>&1 | FileCheck %s

// CHECK: error: target: expected cpu, or a list of sm_120, compute_120, sm_100, compute_100, sm_90, compute_90, sm_89, compute_89, sm_80, compute_80, x86-64-v4-bf16, x86-64-v4, x86-64-v3, got 'sparc'
func.func @step() attributes {accel.role = #accel.role<step>} {
  return
}
