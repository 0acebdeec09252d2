// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the precompiled header of the compiler side a target to belong to.
#include "tools/cmake/mlir-pch.h"
