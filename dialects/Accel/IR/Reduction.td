// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans of the `accel` dialect.
#ifndef ACCEL_DIALECTS_ACCEL_IR_REDUCTION_TD
#define ACCEL_DIALECTS_ACCEL_IR_REDUCTION_TD
include "dialects/Accel/IR/Shape.td"

class Accel_ReduceOp<string mnemonic, string text, string what, string gradient = ""> : Accel_FusedOp<mnemonic, "Reduction"> {
  let summary = text;
  let description = what # [{ over the dimensions `axes`, which `result` does not have.}] # gradient # [{

    ```mlir
    %s = accel.}] # mnemonic # [{ %x [1] : tensor<4x8xf32> -> tensor<4xf32>
    ```

    **Constraints**
    - (C1) `axes` is increasing and names dimensions of `operand`.
    - (C2) `result` has the operand's other dimensions in order and its element type.

    Lowers to a row or column reduction of a fused kernel; the order of the sum is fixed by lanes and chunks.
  }];
  let arguments = (ins Accel_NumberTensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Accel_NumberTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::llvm::ArrayRef<int64_t>":$axes)>];
  let assemblyFormat = "$operand $axes attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Accel_ReduceSumOp : Accel_ReduceOp<"reduce_sum", "sum over dimensions", "The sum"> {
  let hasFolder = 1;
}
def Accel_ReduceMaxOp : Accel_ReduceOp<"reduce_max", "maximum over dimensions", "The maximum",
    " Elements that share the maximum share its gradient evenly; with `first` all of it goes to the first of them, as in a max pool."> {
  let arguments = (ins Accel_NumberTensor:$operand, DenseI64ArrayAttr:$axes, UnitAttr:$first);
  let assemblyFormat = "$operand $axes (`first` $first^)? attr-dict `:` type($operand) `->` type($result)";
}
def Accel_ReduceMinOp : Accel_ReduceOp<"reduce_min", "minimum over dimensions", "The minimum", " Elements that share the minimum share its gradient evenly.">;

def Accel_CumsumOp : Accel_FusedOp<"cumsum", "None", [SameOperandsAndResultType]> {
  let summary = "running sum along one dimension";
  let description = [{
    `result[.., i, ..]` is the sum of `operand[.., j, ..]` for `j <= i` (`exclusive`: `j < i`; `reverse`: from the end).

    ```mlir
    %y = accel.cumsum %x axis 1 : tensor<4x8xi64>
    ```

    **Constraints**
    - (C1) `axis` is a dimension of `operand`.

    Has no kernel: it must be folded away by Import (exporters use it to build masks).
  }];
  let arguments = (ins Accel_NumberTensor:$operand, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Accel_NumberTensor:$result);
  let assemblyFormat = "$operand `axis` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}
#endif
