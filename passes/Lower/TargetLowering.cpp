// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lowerings there are: the only file here that knows.
#include "passes/Lower/TargetLowering.h"

#include "passes/Lower/Cpu/CpuLowering.h"

using namespace accel;

const TargetLowering *accel::findLowering(plan::DeviceKind device) {
  static const CpuLowering cpu;
  return device == plan::DeviceKind::Cpu ? &cpu : nullptr;
}
