// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target that gives another answer to each question of the planners than the
// one that users have, and runs on the same processors.
#ifndef ACCEL_TEST_COMPILER_OTHERTARGET_H
#define ACCEL_TEST_COMPILER_OTHERTARGET_H

#include "passes/Target/Cpu/CpuTarget.h"

namespace accel::test {

/// Small tiles and kernels, short blocks of sums, sums of few rows, reductions
/// into half as many sums, no epilogues, kernels that end with the sums of
/// their rows, copies of all operands that are views
/// or whose summed index is not the last one, buffers at multiples of
/// 256 bytes, gathered parameters in each rank's own memory, streams of other
/// names in another order, a variant in which a library that no processor here
/// has does the products, and units for floats of 8 bits, and
/// rounded sums of products.
class OtherTarget : public CpuTarget {
public:
  static constexpr int64_t kAlignment = 256;
  static constexpr int64_t kLanes = 32;
  static constexpr const char *kName = "other";

  static constexpr const char *kLibraryVariant = "with-library";
  static constexpr int64_t kWorkspace = 4096;

  OtherTarget() : CpuTarget(makeVariants(), makeTiling()) {}

  mlir::Attribute getEntry(mlir::func::FuncOp kernel,
                           const CodeVariant &variant,
                           bool mayUseTf32) const override {
    auto domain = IterationDomain::get(kernel);
    if (variant.name != kLibraryVariant || failed(domain) ||
        domain->kind != LoopKind::Product) {
      return CpuTarget::getEntry(kernel, variant, mayUseTf32);
    }
    return plan::LibraryCallAttr::get(kernel.getContext(), "matrices",
                                      "multiply", kWorkspace,
                                      /*product=*/{}, /*convolution=*/{});
  }

  Fp8Support getFp8Support(int64_t) const override {
    return Fp8Support::Native;
  }
  bool storesSums() const override { return true; }

  Decision mayJoin(const KernelCandidate &kernel, mlir::Operation *op,
                   bool readsRows) const override {
    return readsRows ? Decision::no("what a row gives is read by other kernels")
                     : CpuTarget::mayJoin(kernel, op, readsRows);
  }
  Decision readsInPlace(mlir::Operation *op, mlir::Value operand,
                        mlir::Value root) const override {
    return operand == root ? CpuTarget::readsInPlace(op, operand, root)
                           : Decision::no("it is a view of other memory");
  }
  int64_t getRowMultiple(MatmulOp) const override { return 6; }
  bool wantsSummedLast(MatmulOp) const override { return true; }
  int64_t getSumLength(int64_t, int64_t) const override { return 12; }
  Decision mayFollow(MatmulOp, mlir::Operation *) const override {
    return Decision::no("nothing is computed behind products");
  }
  plan::Space getGatheredSpace() const override { return plan::Space::Device; }
  int64_t getAlignment() const override { return kAlignment; }
  llvm::ArrayRef<PlannedStream> getStreams() const override {
    static const PlannedStream streams[] = {
        {"input", plan::StreamKind::Host},
        {"network", plan::StreamKind::Communication},
        {"kernels", plan::StreamKind::Compute}};
    return streams;
  }

  /// Makes it known under its name.
  static void makeKnown() {
    registerTarget(kName, std::make_unique<OtherTarget>());
  }

private:
  /// A run prefers the library, and has code without it.
  static std::vector<CodeVariant> makeVariants() {
    std::vector<CodeVariant> variants = getCpuVariants().vec();
    for (CodeVariant &variant : variants) {
      variant.lanes = kLanes;
    }
    CodeVariant library = variants.back();
    library.name = kLibraryVariant;
    variants.insert(variants.begin(), library);
    return variants;
  }

  static CpuTiling makeTiling() {
    CpuTiling tiling;
    tiling.flatTile = 32;
    tiling.columnTile = 16;
    tiling.productColumns = 16;
    tiling.productRows = 12;
    tiling.sumBlock = 48;
    tiling.packedColumns = 64;
    tiling.vectors = 1;
    tiling.longestRow = 256;
    tiling.mostOperations = 8;
    return tiling;
  }
};

} // namespace accel::test

#endif
