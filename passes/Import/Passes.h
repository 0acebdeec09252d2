// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Import: from a model as its exporter wrote it to one that
// is recognised and static.
#ifndef ACCEL_PASSES_IMPORT_PASSES_H
#define ACCEL_PASSES_IMPORT_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace accel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Import/Passes.h.inc"

} // namespace accel

#endif
