// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What training with a plan takes on any number of ranks, before anything runs:
// memory by class and what ranks send each other. A run allocates this memory
// before its first step and nothing after.
#ifndef ACCEL_COMPILER_ESTIMATE_H
#define ACCEL_COMPILER_ESTIMATE_H

#include "compiler/PlanWriter.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "runtime/plan/cost/step_traffic.h"
#include "runtime/plan/memory/memory_placement.h"

#include "llvm/Support/raw_ostream.h"

namespace accel {

/// Where the arena is fullest.
struct ArenaPeak {
  std::string function;     ///< "step"
  uint64_t instruction = 0; ///< its number in the plan's function
  std::string name;         ///< of the kernel
  std::string place;        ///< in the model, if it is known
  uint64_t liveBytes = 0;   ///< at that instruction; the rest is gaps
};

/// A class of memory as the estimate lists it.
struct EstimatedClass {
  planpb::MemoryClass memoryClass;
  llvm::StringLiteral name;    ///< "gathered"
  llvm::StringLiteral meaning; ///< for people
};

/// All of them, in the order of reports.
llvm::ArrayRef<EstimatedClass> getEstimatedClasses();

/// What one of `ranks` ranks needs and sends.
struct RankEstimate {
  uint64_t ranks = 1;
  /// With one thread, by MemoryClass - 1; with what the process itself takes.
  std::array<uint64_t, runtime::kMemoryClasses> bytes = {};
  uint64_t iterations = 1; ///< of a step
  /// More, of the host, with accel-run --checkpoint-async.
  uint64_t checkpointBytes = 0;
  runtime::CollectiveTraffic traffic;

  uint64_t getBytes(planpb::MemoryClass memoryClass) const {
    return bytes[memoryClass - 1];
  }
  uint64_t getTotalBytes() const;
};

/// Holds the manifest and the step's instructions that the plan would have, so
/// that the estimate and the plan cannot differ.
class TrainingEstimate {
public:
  /// Of `module` (after Memory) with this code, sharded as `mode` says. Errors,
  /// which would be ours, are emitted on the module.
  static mlir::FailureOr<TrainingEstimate>
  create(mlir::ModuleOp module, const LoweredCode &code,
         const onnx::ImportedModel &model, const PlanWriterOptions &options,
         dist::ShardingMode mode);

  /// Requires: 1 <= ranks <= getMaxRanks().
  mlir::FailureOr<RankEstimate> estimateRank(uint64_t ranks) const;

  /// The bytes that every further thread of a rank takes.
  uint64_t getBytesPerThread() const { return bytesPerThread; }
  uint64_t getMaxRanks() const { return manifest.max_ranks(); }
  uint64_t getGlobalBatch() const { return manifest.default_global_batch(); }
  /// Of the model: every segment's master, once.
  uint64_t getParameterBytes() const;
  dist::ShardingMode getMode() const { return mode; }
  const ArenaPeak &getPeak() const { return peak; }
  const planpb::Manifest &getManifest() const { return manifest; }
  llvm::ArrayRef<planpb::Instruction> getStep() const { return step; }

private:
  TrainingEstimate(mlir::ModuleOp module, dist::ShardingMode mode)
      : module(module), mode(mode) {}

  mlir::LogicalResult read(const LoweredCode &code,
                           const onnx::ImportedModel &model,
                           const PlanWriterOptions &options);
  mlir::FailureOr<RankEstimate> measure(uint64_t ranks, uint64_t threads) const;

  mlir::ModuleOp module;
  dist::ShardingMode mode;
  planpb::Manifest manifest;
  std::vector<planpb::Instruction> step;
  std::vector<planpb::Instruction> collectives; ///< of all functions
  uint64_t programBytes = 0;
  uint64_t bytesPerThread = 0;
  ArenaPeak peak;
};

/// The counts that a table shows: powers of two up to `maxRanks`, and itself.
std::vector<uint64_t> getShownRankCounts(uint64_t maxRanks);

/// `1.5 MiB`
std::string formatBytes(uint64_t bytes);

} // namespace accel

#endif
