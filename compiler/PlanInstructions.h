// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of a plan, from the operations of the plan dialect.
#ifndef ACCEL_COMPILER_PLANINSTRUCTIONS_H
#define ACCEL_COMPILER_PLANINSTRUCTIONS_H

#include "compiler/PlanBuffers.h"
#include "compiler/PlanCollectives.h"
#include "compiler/PlanFile.h"
#include "compiler/PlanKernels.h"
#include "compiler/PlanSignature.h"

namespace accel {

/// Borrows: everything but the module.
class PlanInstructions {
public:
  PlanInstructions(const plan::StreamList &streams, PlanBuffers &buffers,
                   const PlanKernels &kernels, const PlanSignature &signature,
                   PlanCollectives &collectives, planpb::Manifest &manifest)
      : streams(streams), buffers(buffers), kernels(kernels),
        signature(signature), collectives(collectives), manifest(manifest) {}

  /// Says where the weights of key `key` lie.
  void setWeightSource(llvm::StringRef key, const WeightSource &source) {
    weightSources[key] = source;
  }

  /// The instruction of `op`, which is an operation of `function`, without its
  /// place there. Fails after an error on `op`.
  mlir::FailureOr<planpb::Instruction> make(plan::InstructionOpInterface op,
                                            llvm::StringRef function);

  /// Whether any is about a rank's own elements of a buffer.
  bool hasParts() const { return usesParts; }
  /// Whether any has memory that each thread has for itself.
  bool hasThreadPrivate() const { return usesThreadPrivate; }

private:
  void addAccesses(plan::InstructionOpInterface op, llvm::StringRef function,
                   planpb::Instruction &instruction);
  mlir::LogicalResult fillBody(mlir::Operation *op,
                               planpb::Instruction &instruction);
  mlir::LogicalResult fill(plan::LaunchOp op, planpb::Instruction &instruction);
  mlir::LogicalResult fill(plan::FetchOp op, planpb::Instruction &instruction);
  mlir::LogicalResult fill(plan::LoadOp op, planpb::Instruction &instruction);
  void fill(plan::MetricOp op, planpb::Instruction &instruction);
  void fill(plan::FillOp op, planpb::Instruction &instruction);
  void fill(plan::CopyOp op, planpb::Instruction &instruction);
  uint32_t sourceIndexPlusOne(mlir::Location loc);

  const plan::StreamList &streams;
  PlanBuffers &buffers;
  const PlanKernels &kernels;
  const PlanSignature &signature;
  PlanCollectives &collectives;
  planpb::Manifest &manifest;
  llvm::StringMap<WeightSource> weightSources;
  llvm::StringMap<uint32_t> metrics, sources;
  bool usesParts = false;
  bool usesThreadPrivate = false;
};

/// The schema's way of an access.
planpb::Access::Mode toMode(plan::Access access);

} // namespace accel

#endif
