// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows that move over a tensor, of the `accel` dialect: what convolutions and
// pools are made of.
#ifndef ACCEL_DIALECTS_ACCEL_IR_WINDOW_TD
#define ACCEL_DIALECTS_ACCEL_IR_WINDOW_TD
include "dialects/Accel/IR/Shape.td"

def Accel_WindowsOp : Accel_FusedOp<"windows", "View"> {
  let summary = "the windows of a tensor, as a view";
  let description = [{
    A window has `sizes` elements along the dimensions `axes`, `dilations` apart, and the next window begins `strides` elements
    further on. With i counting windows along an axis and k the elements of a window,
    `result[..., i, ..., k] = operand[..., i * stride + k * dilation, ...]`: the axes of `operand` become the numbers of windows, and
    the sizes of a window stand behind all other dimensions. The windows lie inside of `operand`, so padding stands in front (`accel.pad`).

    ```mlir
    %w = accel.windows %x axes [1, 2] sizes [3, 2] strides [2, 1] dilations [1, 2] : tensor<4x9x8x5xf32> -> tensor<4x4x6x5x3x2xf32>
    ```

    **Constraints**
    - (C1) `axes` is increasing and names dimensions of `operand`; `sizes`, `strides` and `dilations` have one positive entry for each.
    - (C2) `result` has the dimensions of `operand`, with at least one window along each of `axes`, then `sizes`; element types agree.
    - (C3) the last element of the last window lies inside of `operand` along each of `axes`.

    Lowers to a strided view.
  }];
  let arguments = (ins Accel_MovedTensor:$operand, DenseI64ArrayAttr:$axes, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations);
  let results = (outs Accel_MovedTensor:$result);
  // As many windows as the operand has room for.
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::llvm::ArrayRef<int64_t>":$axes, "::llvm::ArrayRef<int64_t>":$sizes,
                             "::llvm::ArrayRef<int64_t>":$strides, "::llvm::ArrayRef<int64_t>":$dilations)>];
  let assemblyFormat = "$operand `axes` $axes `sizes` $sizes `strides` $strides `dilations` $dilations attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Accel_SumWindowsOp : Accel_FusedOp<"sum_windows", "Composite"> {
  let summary = "sums windows where they overlap: the transpose of `accel.windows`";
  let description = [{
    Each element of `result` is the sum of the elements of windows that lie on it, and zero where none does: with the attributes of
    `accel.windows`, `operand` has the shape of the windows, and `result` that of the tensor over which they move.

    ```mlir
    %x = accel.sum_windows %w axes [1, 2] sizes [3, 2] strides [2, 1] dilations [1, 2] : tensor<4x4x6x5x3x2xf32> -> tensor<4x9x8x5xf32>
    ```

    **Constraints**
    - (C1) `axes` is increasing and names dimensions of `result`; `sizes`, `strides` and `dilations` have one positive entry for each.
    - (C2) `operand` has the dimensions of `result`, with at least one window along each of `axes`, then `sizes`; element types agree.
    - (C3) the last element of the last window lies inside of `result` along each of `axes`.

    Becomes a product of windows where a product makes the operand, else a sum of views: an element gathers what lies on it, so no two threads write
    one element, and the order of the sum is in the program, the same for every target.
  }];
  let arguments = (ins Accel_NumberTensor:$operand, DenseI64ArrayAttr:$axes, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations);
  let results = (outs Accel_NumberTensor:$result);
  let assemblyFormat = "$operand `axes` $axes `sizes` $sizes `strides` $strides `dilations` $dilations attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}
#endif
