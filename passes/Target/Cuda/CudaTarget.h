// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA GPUs, and beside them CPUs that execute the same program: what it
// computes outside of libraries has the same bits on both.
#ifndef ACCEL_PASSES_TARGET_CUDA_CUDATARGET_H
#define ACCEL_PASSES_TARGET_CUDA_CUDATARGET_H

#include "passes/Target/Cpu/CpuTarget.h"

namespace accel {

/// Threads of a warp, on every GPU.
inline constexpr int64_t kWarpThreads = 32;
/// Threads of a block: four warps, each of which works for itself.
inline constexpr int64_t kBlockThreads = 128;

/// The variants of GPUs that there are, the most capable first: code of one
/// generation (sm_90), and PTX that this and later ones execute (compute_90).
llvm::ArrayRef<CodeVariant> getCudaVariants();

/// LLVM's name of the PTX that a variant is, or is made of: "ptx71".
llvm::StringRef getPtxVersion(const CodeVariant &variant);
/// Threads that one of the GPU's processors has room for.
unsigned getProcessorThreads(const CodeVariant &variant);

/// Plans for GPUs: each tile of a kernel is one warp's work, products are calls
/// of cuBLASLt, and convolutions of cuDNN.
class CudaTarget : public Target {
public:
  /// `cpus` may be empty: then the plan has no code for CPUs.
  CudaTarget(std::vector<CodeVariant> gpus, std::vector<CodeVariant> cpus);

  llvm::SmallVector<CodeVariant>
  getVariants(mlir::ModuleOp program) const override;

  /// Processors multiply floats of 8 bits from the generation 89 on, and calls
  /// of cuBLASLt with scales of blocks are not written.
  Fp8Support getFp8Support(int64_t block) const override;
  bool storesSums() const override { return true; }
  bool roundsConvolutions() const override { return true; }

  Decision mayJoin(const KernelCandidate &kernel, mlir::Operation *op,
                   bool readsRows) const override;
  mlir::OpOperand *getBias(MatmulOp product) const override;
  mlir::Operation *getActivation(MatmulOp product) const override;
  Decision mayFollow(MatmulOp product, mlir::Operation *op) const override;
  Decision readsInPlace(mlir::Operation *op, mlir::Value operand,
                        mlir::Value root) const override;
  int64_t getRowLength(int64_t columns) const override {
    return cpu.getRowLength(columns);
  }
  int64_t getSumLength(int64_t rows, int64_t columns) const override;
  /// Libraries cut products by themselves.
  int64_t getSummedParts(MatmulOp /*product*/) const override { return 1; }
  int64_t getRecomputedBytes() const override { return 0; }
  int64_t getRowMultiple(MatmulOp product) const override;
  bool wantsSummedLast(MatmulOp product) const override;
  int64_t getSumBlock(MatmulOp product) const override {
    return cpu.getSumBlock(product);
  }
  mlir::Attribute getEntry(mlir::func::FuncOp kernel,
                           const CodeVariant &variant,
                           bool mayUseTf32) const override;
  llvm::ArrayRef<PlannedStream> getStreams() const override {
    return cpu.getStreams();
  }
  /// Each GPU has its own memory.
  plan::Space getGatheredSpace() const override { return plan::Space::Device; }
  /// What cudaMalloc gives, and the widest accesses like.
  int64_t getAlignment() const override { return 256; }

private:
  std::vector<CodeVariant> gpus;
  bool hasCpus;
  CpuTarget cpu; ///< answers where a CPU beside it would answer the same
};

} // namespace accel

#endif
