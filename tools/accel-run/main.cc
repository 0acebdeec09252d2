// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-run: trains with a plan.
#include "runtime/io/posix_vfs.h"
#include "tools/accel-run/accel_run.h"

int main(int argc, char** argv) {
  const auto vfs = accel::runtime::MakePosixVfs();
  return accel::tools::AccelRunMain(argc, argv, *vfs);
}
