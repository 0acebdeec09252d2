// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-data: makes training data.
#include "tools/accel-data/accel_data.h"

int main(int argc, char** argv) {
  return accel::tools::AccelDataMain(argc, argv);
}
