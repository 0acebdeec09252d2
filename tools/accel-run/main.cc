// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-run: trains with a plan.
#include "tools/accel-run/accel_run.h"

int main(int argc, char** argv) {
  return accel::tools::AccelRunMain(argc, argv);
}
