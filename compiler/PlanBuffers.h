// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffers of a plan: one message per distinct piece of memory, shared by
// functions where the contents outlive them.
#ifndef ACCEL_COMPILER_PLANBUFFERS_H
#define ACCEL_COMPILER_PLANBUFFERS_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "runtime/plan/schema/plan.pb.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace accel {

/// Adds buffers to a manifest as they are asked for. Borrows: the manifest.
class PlanBuffers {
public:
  PlanBuffers(mlir::ModuleOp module, planpb::Manifest &manifest);

  /// The buffer of `op`, which is an operation of `function`.
  uint32_t getIndex(plan::BufferOp op, llvm::StringRef function);
  /// The buffer of a state, which some function declares: VerifyFuse sees to
  /// it.
  uint32_t getStateIndex(llvm::StringRef symbol);

  /// Bytes of all constant buffers so far, to become the section `section`;
  /// fixes their ranges.
  std::string takeConstants(uint32_t section);

  /// The strictest of a buffer.
  uint64_t getAlignment() const { return alignment; }

private:
  planpb::Manifest &manifest;
  llvm::DenseMap<mlir::Operation *, uint32_t> buffers; ///< by plan.buffer
  llvm::StringMap<plan::BufferOp> states; ///< their persistent buffers
  llvm::StringMap<uint32_t> persistentBuffers,
      ioBuffers; ///< shared by the functions
  std::vector<std::pair<uint32_t, mlir::ElementsAttr>> constants;
  const uint64_t alignment;
};

/// What all buffers of `module`, and weights in the file, begin at multiples
/// of.
uint64_t getStrictestAlignment(mlir::ModuleOp module);

/// The schema's element type of an MLIR type; none if it has no name for it.
/// Memory that the plan dialect calls i8 holds booleans, a byte each.
std::optional<planpb::ElementType> findElementType(mlir::Type type);
/// Requires: there is one, as in modules that verifyDecided has passed.
planpb::ElementType toElementType(mlir::Type type);

/// The schema's space.
planpb::Space toSpace(plan::Space space);

/// A constant number of bytes.
void setConstant(planpb::SizeExpr &expr, uint64_t bytes);

/// What a size of the IR says, for any number of ranks.
void fillTerm(planpb::SizeTerm &term, plan::SizeAttr size);

} // namespace accel

#endif
