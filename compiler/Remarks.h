// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes tell of their decisions, phase by phase, as diagnostics.
#ifndef ACCEL_COMPILER_REMARKS_H
#define ACCEL_COMPILER_REMARKS_H

#include "compiler/Phases.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

#include <memory>
#include <vector>

namespace accel {

/// Prints the remarks of the phases that were asked for; of the others nothing
/// is computed. Borrows: the context, whose diagnostics they become.
class PhaseRemarks {
public:
  PhaseRemarks(mlir::MLIRContext &context, std::vector<Phase> wanted);

  /// Prepares the context; an error if it has remarks of its own.
  mlir::LogicalResult enable();
  /// Says which phase runs now.
  void begin(Phase phase);

private:
  mlir::MLIRContext &context;
  std::vector<Phase> wanted;
  std::shared_ptr<bool> isWanted = std::make_shared<bool>(false);
};

} // namespace accel

#endif
