// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-compare: compares what a plan computes on two devices.
#include "tools/accel-compare/accel_compare.h"

int main(int argc, char **argv) {
  return accel::tools::AccelCompareMain(argc, argv);
}
