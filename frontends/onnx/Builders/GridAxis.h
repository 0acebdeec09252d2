// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One dimension of an image that is read between its pixels, at places that the
// model computes. What is read at a place is a weighted sum of pixels.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_GRIDAXIS_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_GRIDAXIS_H

#include "frontends/onnx/Builders/Formula.h"

namespace accel::onnx {

/// What lies around the image.
enum class GridPadding { Zeros, Border, Reflection };

/// A pixel along one dimension, a whole number, and its weight; (n, points). A
/// pixel that the image does not have counts as 0.
struct PixelTap {
  mlir::Value pixel, weight;
};

/// Reads `size` pixels at places of shape (n, points). With `alignsCorners` the
/// outermost places, or mirrors, are the centers of the outermost pixels, else
/// their edges.
class GridAxis {
public:
  GridAxis(const NodeConversion &conversion, mlir::RankedTensorType places,
           int64_t size, bool alignsCorners, GridPadding padding)
      : c(conversion), f(conversion, places), places(places), size(size),
        alignsCorners(alignsCorners), padding(padding) {}

  /// From -1 to 1, to pixels.
  mlir::Value toPixels(mlir::Value place) const;

  /// What is read at `x`, in pixels. Mode: linear, cubic or nearest.
  llvm::SmallVector<PixelTap> getTaps(llvm::StringRef mode,
                                      mlir::Value x) const;

  /// The weight of each pixel, (n, points, size): that of `tap`, or 0.
  mlir::Value getWeights(const PixelTap &tap) const;
  /// The same of all taps.
  mlir::Value getWeights(llvm::ArrayRef<PixelTap> taps) const;

private:
  mlir::Value clip(mlir::Value x) const;
  mlir::Value reflect(mlir::Value x) const;
  mlir::Value pad(mlir::Value x) const;

  const NodeConversion &c;
  Formula f;
  mlir::RankedTensorType places;
  int64_t size;
  bool alignsCorners;
  GridPadding padding;
};

} // namespace accel::onnx

#endif
