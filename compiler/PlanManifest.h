// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the manifest and the instruction records of a plan from a lowered
// module, one small function per message.
#ifndef ACCEL_COMPILER_PLANMANIFEST_H
#define ACCEL_COMPILER_PLANMANIFEST_H

#include "compiler/ArenaPeak.h"
#include "compiler/PlanWriter.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "runtime/plan/schema/plan.pb.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace accel {

/// Collects everything that has an index in the manifest. Functions are added
/// one after the other; then `finish`.
class PlanManifest {
public:
  PlanManifest(mlir::ModuleOp module, const LoweredCode &code,
               const onnx::ImportedModel &model,
               const PlanWriterOptions &options);

  /// Adds a function and returns its instruction records. `section` is their
  /// section's index.
  std::string addFunction(mlir::func::FuncOp function, uint32_t section);

  /// Bytes of all constant buffers so far, to become the section `section`;
  /// fixes their ranges.
  std::string takeConstants(uint32_t section);

  /// Says where the weights of key `key` lie.
  void setWeightSource(llvm::StringRef key, const WeightSource &source) {
    weightSources[key] = source;
  }

  /// The manifest, complete but for the container's part.
  planpb::Manifest finish();

  planpb::Manifest &get() { return manifest; }

private:
  // PlanManifest.cpp
  void addMesh();
  void addVariants();
  void addKernels();
  void addModelFacts();
  void addBuckets();
  void setAxes(planpb::Slot &slot, planpb::Segment &segment, StateOp state);
  void addParameters();
  void addStates();
  void addSignature();
  void addPersistentUses();
  void addMemorySummary();

  // PlanBuffers.cpp
  uint32_t bufferIndex(plan::BufferOp op, llvm::StringRef function);
  planpb::Buffer makeBuffer(plan::BufferOp op);
  uint32_t stateIndex(llvm::StringRef symbol);

  // PlanInstructions.cpp
  void addBlock(mlir::Block &block, llvm::StringRef function,
                std::vector<planpb::Instruction> &instructions);
  planpb::Instruction makeInstruction(mlir::Operation *op,
                                      llvm::StringRef function, uint32_t id);
  void fillLaunch(plan::LaunchOp op, planpb::Instruction &instruction);
  void fillFetch(plan::FetchOp op, planpb::Instruction &instruction);
  void fillLoad(plan::LoadOp op, planpb::Instruction &instruction);
  void fillMetric(plan::MetricOp op, planpb::Instruction &instruction);
  uint32_t sourceIndexPlusOne(mlir::Location loc);
  void setMarks(mlir::Operation *op, planpb::Instruction &instruction,
                uint32_t id);

  // PlanCollectives.cpp
  void fillAllReduce(plan::AllReduceOp op, planpb::Instruction &instruction);
  void fillCut(mlir::Operation *op, llvm::StringRef state,
               planpb::Collective::Kind kind, plan::ShardAttr shard,
               planpb::Instruction &instruction);
  void nameSegment(llvm::StringRef symbol, planpb::Instruction &instruction);
  void addGatheredUses();

  mlir::ModuleOp module;
  plan::StreamList streams;
  const LoweredCode &code;
  const onnx::ImportedModel &model;
  const PlanWriterOptions &options;
  planpb::Manifest manifest;
  llvm::DenseMap<mlir::Operation *, uint32_t> buffers; ///< by plan.buffer
  llvm::StringMap<uint32_t> persistentBuffers,
      ioBuffers; ///< shared by the functions
  std::vector<std::pair<uint32_t, mlir::ElementsAttr>> constants;
  llvm::StringMap<uint32_t> kernelIndex, metricIndex, fieldIndex, sources;
  llvm::StringMap<WeightSource> weightSources;
  llvm::StringMap<uint32_t> gatheredBuffers; ///< the first of each master
  PeakInstruction peak;                      ///< of the functions so far
  uint64_t alignment = plan::kAlignment;     ///< the strictest of a buffer
  bool usesParts = false;         ///< of buffers: a rank's own elements
  bool usesThreadPrivate = false; ///< memory that each thread has for itself
  uint32_t gradientsComplete = 0; ///< an instruction of it, plus one
};

/// The schema's element type of an MLIR type (booleans and i8 are bytes).
planpb::ElementType toElementType(mlir::Type type);

/// The schema's way of an access.
planpb::Access::Mode toMode(plan::Access access);

/// The schema's axis of that name.
planpb::MeshAxis toMeshAxis(llvm::StringRef name);

/// The schema's space.
planpb::Space toSpace(plan::Space space);

void fillShard(planpb::Shard &message, plan::ShardAttr shard);

/// A constant number of bytes.
void setConstant(planpb::SizeExpr &expr, uint64_t bytes);

} // namespace accel

#endif
