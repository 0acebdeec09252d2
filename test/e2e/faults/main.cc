// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-run on a bad disk (fault_vfs.h).
#include "runtime/io/posix_vfs.h"
#include "test/e2e/faults/fault_vfs.h"
#include "tools/accel-run/accel_run.h"

int main(int argc, char** argv) {
  using accel::testing::FaultPlan;
  const auto vfs = accel::testing::MakeFaultVfs(FaultPlan::FromEnvironment(),
                                                accel::runtime::MakePosixVfs());
  return accel::tools::AccelRunMain(argc, argv, *vfs);
}
