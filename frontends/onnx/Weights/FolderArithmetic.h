// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the exporter's optimizer computes of weights, to the bit. It folds
// constants with ONNX's reference implementation, which is NumPy, and NumPy's
// functions of f32 are its own: their last bits differ from PyTorch's and from
// those of the C library.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_FOLDERARITHMETIC_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_FOLDERARITHMETIC_H

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace accel::onnx {

/// numpy.exp of an f32 on x86-64, where NumPy computes it with vectors of AVX2
/// or AVX-512, with the same bits.
float computeNumpyExp(float x);

/// numpy.log of an f32, likewise.
float computeNumpyLog(float x);

/// numpy.logaddexp(0, x) of an f32, for which NumPy calls expf and log1pf of
/// the C library: these are glibc's up to 2.40, on a processor with fused
/// multiply-adds.
float computeNumpySoftplus(float x);

/// The functions of f32 as one computer has them.
struct FolderLibrary {
  float (*exp)(float);
  float (*log)(float);
  float (*softplus)(float);
};

/// x86-64 with glibc up to 2.40; with one from 2.41 on, whose log1pf is exactly
/// rounded; and all functions exactly rounded, as some C libraries compute
/// them, which NumPy calls on other processors.
llvm::ArrayRef<FolderLibrary> getFolderLibraries();

/// numpy.sum along the last dimension of an array: sums of pairs of blocks.
float sumPairwise(llvm::ArrayRef<float> numbers);

/// The norm of ONNX's ReduceL2 over all dimensions of `values` but `kept`,
/// which is the first or the last one of `shape`: one number for each index of
/// it.
std::vector<float> computeNorms(llvm::ArrayRef<float> values,
                                llvm::ArrayRef<int64_t> shape, size_t kept);

} // namespace accel::onnx

#endif
