// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-inspect: shows a plan.
#include "tools/accel-inspect/accel_inspect.h"

int main(int argc, char** argv) {
  return accel::tools::AccelInspectMain(argc, argv);
}
