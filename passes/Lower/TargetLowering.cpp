// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lowerings there are: the only file here that knows.
#include "passes/Lower/TargetLowering.h"

#include "passes/Lower/Cpu/CpuLowering.h"
#include "passes/Lower/Cuda/CudaLowering.h"

using namespace accel;

const TargetLowering &accel::getLowering(plan::DeviceKind device) {
  static const CpuLowering cpu;
  static const CudaLowering cuda;
  switch (device) {
  case plan::DeviceKind::Cpu:
    return cpu;
  case plan::DeviceKind::Cuda:
    return cuda;
  }
  llvm_unreachable("all devices are listed");
}
