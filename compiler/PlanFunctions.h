// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of a plan and their instruction records.
#ifndef ACCEL_COMPILER_PLANFUNCTIONS_H
#define ACCEL_COMPILER_PLANFUNCTIONS_H

#include "compiler/PlanInstructions.h"

namespace accel {

/// Borrows: the instructions and the manifest.
class PlanFunctions {
public:
  PlanFunctions(PlanInstructions &instructions, uint64_t alignment,
                planpb::Manifest &manifest)
      : instructions(instructions), alignment(alignment), manifest(manifest) {}

  /// Adds a function and returns its instruction records. `section` is their
  /// section's index. Fails after an error.
  mlir::FailureOr<std::string> add(mlir::func::FuncOp function,
                                   uint32_t section);

private:
  mlir::LogicalResult addBlock(mlir::Block &block, llvm::StringRef function,
                               std::vector<planpb::Instruction> &list);
  void setMarks(mlir::Operation *op, uint32_t id,
                planpb::Instruction &instruction);
  void addArenas(mlir::func::FuncOp function, planpb::Function &message) const;

  PlanInstructions &instructions;
  uint64_t alignment; ///< of arenas
  planpb::Manifest &manifest;
  uint32_t gradientsComplete = 0; ///< an instruction of one function, plus one
};

} // namespace accel

#endif
