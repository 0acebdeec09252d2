// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a convolution that a library computes must say of itself.
#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace accel::plan;

llvm::LogicalResult
StridedAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                    int64_t operand, int64_t offset,
                    llvm::ArrayRef<int64_t> strides) {
  if (operand < 0 || offset < 0) {
    return emitError() << "expected an operand and an offset that are not "
                          "negative, got "
                       << operand << " from " << offset;
  }
  if (strides.empty() || *llvm::min_element(strides) <= 0) {
    return emitError() << "expected a positive stride for each dimension, got ["
                       << strides << "]";
  }
  return llvm::success();
}

llvm::LogicalResult ConvolutionAttr::verify(
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
    ConvolutionDirection, int64_t samples, llvm::ArrayRef<int64_t> places,
    llvm::ArrayRef<int64_t> windows, llvm::ArrayRef<int64_t> strides,
    llvm::ArrayRef<int64_t> dilations, int64_t channels, int64_t filters,
    StridedAttr image, StridedAttr weights, StridedAttr output, bool) {
  size_t spatial = places.size();
  if (spatial < 1 || spatial > 3) {
    return emitError() << "expected one to three spatial dimensions, got "
                       << spatial;
  }
  for (llvm::ArrayRef<int64_t> each : {places, windows, strides, dilations}) {
    if (each.size() != spatial || *llvm::min_element(each) <= 0) {
      return emitError() << "expected a positive number for each of " << spatial
                         << " spatial dimensions, got [" << each << "]";
    }
  }
  if (std::min({samples, channels, filters}) <= 0) {
    return emitError() << "expected positive sizes, got " << samples
                       << " samples, " << channels << " channels and "
                       << filters << " filters";
  }
  for (StridedAttr tensor : {image, weights, output}) {
    if (tensor.getStrides().size() != spatial + 2) {
      return emitError() << "expected strides of " << spatial + 2
                         << " dimensions, got [" << tensor.getStrides() << "]";
    }
  }
  return llvm::success();
}
