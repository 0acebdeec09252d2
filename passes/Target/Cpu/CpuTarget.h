// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x86-64 processors with AVX2 and FMA, or with AVX-512: one program for both,
// with the same bits.
#ifndef ACCEL_PASSES_TARGET_CPU_CPUTARGET_H
#define ACCEL_PASSES_TARGET_CPU_CPUTARGET_H

#include "passes/Target/Target.h"

namespace accel {

/// The variant of processors that multiply bf16 twice as fast as f32: others
/// that have the instruction are slower with it than without.
inline constexpr llvm::StringLiteral kBf16Variant = "x86-64-v4-bf16";

/// The variants that there are, the most capable first: AVX-512 with products
/// of bf16, AVX-512 as all servers have it, then AVX2 with FMA.
llvm::ArrayRef<CodeVariant> getCpuVariants();

/// The sizes that kernels are cut by. Those of a product are multiples of the
/// columns and rows of every register block.
struct CpuTiling {
  int64_t flatTile = 128;      ///< elements; divides the granule of shards
  int64_t columnTile = 64;     ///< columns of a kernel of sums over rows
  int64_t productColumns = 32; ///< of a tile of a product
  int64_t productRows = 24;    ///< of one that has more rows than columns
  /// Elements of a sum that are added in one go, at most, a multiple of 16: a
  /// panel of 16 columns takes half of a first cache of 32 KiB, six rows of the
  /// left matrix a fifth; the 32 columns and 12 rows of AVX-512 take 44 of its
  /// 48 KiB.
  int64_t sumBlock = 256;
  /// Columns that are packed at once, at most: a megabyte, of the second cache
  /// or the third. The left matrix is packed once for each.
  int64_t packedColumns = 1024;
  /// Vectors of 16 floats that a register block is wide, at most.
  int64_t vectors = 2;
  /// Longer rows keep threads from sharing them.
  int64_t longestRow = 4096;
  /// Operations of a kernel, at most: beyond that values no longer fit into
  /// registers.
  size_t mostOperations = 96;
  /// The same of a kernel of sums over rows, whose sums are in memory.
  size_t mostOperationsOfSums = 256;
};

/// Rows of a tile of a copy that transposes (TransposedOperand).
inline constexpr int64_t kTransposedRows = 16;

class CpuTarget : public Target {
public:
  explicit CpuTarget(std::vector<CodeVariant> variants,
                     const CpuTiling &tiling = {})
      : variants(std::move(variants)), tiling(tiling) {}

  llvm::SmallVector<CodeVariant>
  getVariants(mlir::ModuleOp program) const override;

  /// They are numbers of bf16, as which they are packed and multiplied.
  Fp8Support getFp8Support(int64_t /*block*/) const override {
    return Fp8Support::Emulated;
  }
  bool storesSums() const override { return false; }
  /// They are products like others.
  bool roundsConvolutions() const override { return false; }

  Decision mayJoin(const KernelCandidate &kernel, mlir::Operation *op,
                   bool readsRows) const override;
  /// Sums are not stored before what follows is computed of them.
  mlir::OpOperand *getBias(MatmulOp /*product*/) const override {
    return nullptr;
  }
  mlir::Operation *getActivation(MatmulOp /*product*/) const override {
    return nullptr;
  }
  Decision mayFollow(MatmulOp product, mlir::Operation *op) const override;
  Decision readsInPlace(mlir::Operation *op, mlir::Value operand,
                        mlir::Value root) const override;
  int64_t getRowLength(int64_t columns) const override;
  /// A few columns keep a core busy.
  int64_t getRowMultiple(MatmulOp /*product*/) const override { return 1; }
  bool wantsSummedLast(MatmulOp /*product*/) const override { return false; }
  int64_t getSumLength(int64_t rows, int64_t /*columns*/) const override {
    return rows;
  }
  int64_t getSummedParts(MatmulOp product) const override;
  /// What is smaller lies in a cache.
  int64_t getRecomputedBytes() const override { return int64_t{1} << 20; }
  int64_t getSumBlock(MatmulOp product) const override;
  /// No CPU multiplies TF32.
  mlir::Attribute getEntry(mlir::func::FuncOp kernel,
                           const CodeVariant &variant,
                           bool mayUseTf32) const override;
  /// One per kind: kernels, what ranks do together, and fetching, which waits
  /// for neither.
  llvm::ArrayRef<PlannedStream> getStreams() const override;
  /// Ranks of a host gather into memory that they share, each its own part.
  plan::Space getGatheredSpace() const override { return plan::Space::Shared; }
  int64_t getAlignment() const override { return plan::kAlignment; }

private:
  std::vector<CodeVariant> variants;
  CpuTiling tiling;
};

} // namespace accel

#endif
