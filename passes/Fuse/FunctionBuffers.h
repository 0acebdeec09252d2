// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rewriting of one function from tensor values to buffers and instructions
// of the plan.
#ifndef ACCEL_PASSES_FUSE_FUNCTIONBUFFERS_H
#define ACCEL_PASSES_FUSE_FUNCTIONBUFFERS_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Dist/IR/DistOps.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/StateMemory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace accel {

/// The buffer type of a tensor: booleans are bytes.
mlir::MemRefType getBufferType(mlir::Type type);

/// Whether two tensors are cut between the same blocks, of which each has so
/// many elements.
bool isSameCut(plan::ShardAttr one, plan::ShardAttr other);

/// Whether `op` is a collective in the loop over microbatches. What it
/// exchanges is declared; Schedule places the exchange, bucket by bucket.
inline bool isPlacedLater(mlir::Operation *op) {
  return llvm::isa<dist::AllGatherOp, dist::ReduceScatterOp>(op) &&
         llvm::isa<plan::RepeatOp>(op->getParentOp());
}

/// Rewrites one function.
/// Borrows: the module and the function.
class FunctionBuffers {
public:
  FunctionBuffers(mlir::ModuleOp module, mlir::func::FuncOp function);

  llvm::LogicalResult run();

private:
  // AssignBuffers.cpp
  llvm::LogicalResult runBlock(mlir::Block &block);
  llvm::LogicalResult convert(mlir::Operation *op, mlir::OpBuilder &builder);
  llvm::LogicalResult convertCall(mlir::func::CallOp call,
                                  mlir::OpBuilder &builder);
  void createLaunch(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::func::FuncOp kernel, mlir::ValueRange operands,
                    llvm::ArrayRef<plan::Access> modes, plan::ShardAttr shard);
  void convertRead(ReadOp read);
  llvm::LogicalResult convertWrite(WriteOp write, mlir::OpBuilder &builder);
  mlir::Value bufferOf(mlir::Value value);
  mlir::Value storedPlaceOf(mlir::Value value);
  /// That place, or memory of its own.
  mlir::Value destinationOf(mlir::Value value);
  mlir::Value declareTransient(mlir::Location loc, mlir::Type type,
                               plan::MemoryClass klass,
                               plan::Space space = plan::Space::Device);
  mlir::Value parameterView(ParameterOp parameter, llvm::StringRef slot);
  mlir::Value symbolBuffer(llvm::StringRef name, mlir::Type type,
                           bool gradient);
  mlir::Value inputBuffer(InputOp input);
  mlir::Value viewOf(mlir::Value buffer, int64_t offset, mlir::MemRefType type,
                     mlir::Location loc);
  void insertFetches();
  void insertLoads();

  // InPlaceResults.cpp
  /// The buffer of an operand of `call` that `result` may overwrite; null if
  /// there is none. `operands`: the buffers of the operands and of the results
  /// before.
  mlir::Value overwrittenBy(mlir::func::CallOp call, mlir::func::FuncOp kernel,
                            mlir::Value result,
                            llvm::ArrayRef<mlir::Value> operands);

  // ShardedBuffers.cpp
  mlir::Value stateBuffer(llvm::StringRef name, mlir::Type type);
  /// The rank's part of a slot that is cut.
  mlir::Value partOf(StateOp state);
  /// All of a slot: its own buffer, or, of one that a rank holds a part of,
  /// transient memory.
  mlir::Value wholeOf(StateOp state);
  /// How the elements of `call` are cut: null if every rank computes all.
  plan::ShardAttr getShard(mlir::func::CallOp call);
  llvm::FailureOr<mlir::Value> shardedResult(mlir::func::CallOp call,
                                             mlir::Value result,
                                             plan::ShardAttr shard,
                                             mlir::OpBuilder &builder);
  void convertAllReduce(dist::AllReduceOp op, mlir::OpBuilder &builder);
  void convertAllGather(dist::AllGatherOp op, mlir::OpBuilder &builder);
  llvm::LogicalResult convertReduceScatter(dist::ReduceScatterOp op,
                                           mlir::OpBuilder &builder);
  void declareExchanged(mlir::ArrayAttr names);
  llvm::LogicalResult declareAccumulation(dist::ReduceScatterOp op);
  void addAccumulateKernel(mlir::RankedTensorType type);
  void clearGaps();
  void clearGradients();
  void storeInitialParts();

  mlir::ModuleOp module;
  mlir::SymbolTable symbols; ///< of the module
  mlir::func::FuncOp function;
  mlir::OpBuilder top;   ///< where buffers are declared
  plan::RepeatOp anchor; ///< what `top` points at
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::MapVector<mlir::StringAttr, mlir::Value> states, inputs;
  /// Of slots held in part: gathered parameters, gradients of one microbatch,
  /// initial values.
  llvm::MapVector<mlir::Operation *, mlir::Value> wholes;
  /// Values of which a rank has its own elements.
  llvm::DenseMap<mlir::Value, plan::ShardAttr> parts;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>,
                 llvm::SmallVector<mlir::Value>>
      views;
  llvm::SmallVector<mlir::Operation *> converted;
  plan::RepeatOp loop;
  bool isBroken = false; ///< an error was told on the way
};

} // namespace accel

#endif
