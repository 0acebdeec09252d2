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

/// The exactly rounded value, which some C libraries compute and NumPy calls on
/// other processors.
float computeRoundedExp(float x);

/// numpy.sum along the last dimension of an array: sums of pairs of blocks.
float sumPairwise(llvm::ArrayRef<float> numbers);

/// The norm of ONNX's ReduceL2 over all dimensions of `values` but `kept`,
/// which is the first or the last one of `shape`: one number for each index of
/// it.
std::vector<float> computeNorms(llvm::ArrayRef<float> values,
                                llvm::ArrayRef<int64_t> shape, size_t kept);

} // namespace accel::onnx

#endif
