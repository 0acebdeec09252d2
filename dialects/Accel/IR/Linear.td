// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products and table look-ups of the `accel` dialect.
#ifndef ACCEL_DIALECTS_ACCEL_IR_LINEAR_TD
#define ACCEL_DIALECTS_ACCEL_IR_LINEAR_TD
include "dialects/Accel/IR/AccelEnums.td"
include "dialects/Accel/IR/Shape.td"

def Accel_MatmulOp : Accel_FusedOp<"matmul", "Product", [DeclareOpInterfaceMethods<CostOpInterface>]> {
  let summary = "matrix product, batched over the leading dimensions";
  let description = [{
    `result[b..., m, n] = sum over k of lhs[b..., m, k] * rhs[b..., k, n]`. With `transpose_lhs` the last two dimensions
    of `lhs` are (k, m), with `transpose_rhs` those of `rhs` are (n, k). Operands of 16 and 8 bits are multiplied exactly and summed
    in f32. `role` says what the product is to a training step: `input_gradient` and `weight_gradient` are made by the gradient
    rule, and a product without a role belongs to the forward program. What is `exact` stays in f32 whatever precision is asked for, as do
    its gradients: it is no layer, but how an operator is computed, as a Fourier transform is.

    With `scales`, one for each operand, so many neighbours of the summed index as `block` says, or what is left of them at the end, share a scale: a power of
    two that multiplies each of them. A tensor of scales has the dimensions of its operand, but for the summed one, which has an element for each block.

    ```mlir
    %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    %g = accel.matmul %x, %z as weight_gradient {transpose_lhs} : tensor<4x8xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
    %y = accel.matmul %a, %b scaled by(%s, %t : tensor<4x2xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>) per 32
      : tensor<4x48xf8E4M3FN>, tensor<48x16xf8E4M3FN> -> tensor<4x16xf32>
    ```

    **Constraints**
    - (C1) all ranks are equal and at least 2; the element types of the operands agree, and that of the result is the same, or
      f32 where theirs has 16 bits. Floats of 8 bits need not agree, and the result is f32.
    - (C2) the leading dimensions of all three are equal.
    - (C3) the inner dimensions of `lhs` and `rhs` agree, and `result` is (m, n).
    - (C4) there are no scales and no `block`, or two, of operands of 8 bits, and `block` is a power of two from 32 on.

    Becomes a kernel, with what is computed of the product element by element (`docs/kernels.md`).
  }];
  let arguments = (ins Accel_FactorTensor:$lhs, Accel_FactorTensor:$rhs, Variadic<Accel_ScaleTensor>:$scales, OptionalAttr<I64Attr>:$block, UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs,
                   DefaultValuedAttr<Accel_ProductRole, "::accel::ProductRole::Forward">:$role, UnitAttr:$exact);
  let results = (outs Accel_FloatTensor:$result);
  // A result of the operands' type; any other one; without scales.
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, CArg<"bool", "false">:$transposeLhs, CArg<"bool", "false">:$transposeRhs,
                             CArg<"::accel::ProductRole", "::accel::ProductRole::Forward">:$role)>,
                  OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$lhs, "::mlir::Value":$rhs, "bool":$transposeLhs, "bool":$transposeRhs,
                             CArg<"::accel::ProductRole", "::accel::ProductRole::Forward">:$role), [{
                    build($_builder, $_state, result, lhs, rhs, /*scales=*/::mlir::ValueRange(), /*block=*/::mlir::IntegerAttr(), transposeLhs, transposeRhs, role, /*exact=*/false);
                  }]>];
  let assemblyFormat = "$lhs `,` $rhs (`scaled` `by` `(` $scales^ `:` type($scales) `)` `per` $block)? (`as` $role^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Accel_GroupedMatmulOp : Accel_FusedOp<"grouped_matmul", "Composite", [DeclareOpInterfaceMethods<CostOpInterface>]> {
  let summary = "each row times the matrix that its index chooses";
  let description = [{
    `result[i, :] = rows[i, :] * weights[indices[i], :, :]`, with `rows` of shape (n, k), `weights` of shape (e, k, m), or (e, m, k) with
    `transpose_weights`, or without e, of one matrix, `indices` of shape (n) and `result` of shape (n, m): what a mixture of experts computes. No matrix is
    copied for a row. Indices lie in [0, e), as those of `accel.gather` do; rows of one index lie anywhere. With `skip_others` other indices choose no matrix: their rows of
    `result` are zero, and nothing is computed for them. Floats of 16 bits are summed in f32, and a sum is rounded once. `role` says,
    as that of `accel.matmul`, what the product is for: forward, or the gradient of `rows`.

    ```mlir
    %y = accel.grouped_matmul %x, %w, %i : tensor<12x8xf32>, tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x16xf32>
    %d = accel.grouped_matmul %y, %w, %i as input_gradient {transpose_weights} : tensor<12x16xf32>, tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x8xf32>
    %s = accel.grouped_matmul %x, %w, %j {skip_others} : tensor<12x8xf32>, tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x16xf32>
    ```

    **Constraints**
    - (C1) the shapes agree as given above, and so do the element types of `rows`, `weights` and `result`.

    Lowers to a kernel of its own kind, of f32, bf16 and f16, which takes the rows of one matrix after the other.
  }];
  let arguments = (ins Accel_FloatTensor:$rows, Accel_FloatTensor:$weights, Accel_IndexTensor:$indices, UnitAttr:$transpose_weights,
                   DefaultValuedAttr<Accel_ProductRole, "::accel::ProductRole::Forward">:$role, UnitAttr:$skip_others);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$rows `,` $weights `,` $indices (`as` $role^)? attr-dict `:` type($rows) `,` type($weights) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Accel_GroupedOuterOp : Accel_FusedOp<"grouped_outer", "Composite", [DeclareOpInterfaceMethods<CostOpInterface>]> {
  let summary = "sums of outer products of the rows that have an index";
  let description = [{
    `result[e, :, :]` is the sum of the outer products of `lhs[i, :]` and `rhs[i, :]` over all i with `indices[i] = e`, in ascending order of i: the gradient
    of `weights` of `accel.grouped_matmul`. `lhs` has shape (n, k), `rhs` (n, m), `indices` (n) and `result` (e, k, m), or (k, m) of one matrix. A matrix that no index chooses is zero. With `skip_others` indices outside [0, e) choose none.

    ```mlir
    %g = accel.grouped_outer %x, %y, %i : tensor<12x8xf32>, tensor<12x16xf32>, tensor<12xi64> -> tensor<4x8x16xf32>
    ```

    **Constraints**
    - (C1) the shapes agree as given above, and so do the element types of `lhs` and `rhs`; that of `result` is the same, or f32
      where theirs has 16 bits.

    Lowers as `accel.grouped_matmul` does.
  }];
  let arguments = (ins Accel_FloatTensor:$lhs, Accel_FloatTensor:$rhs, Accel_IndexTensor:$indices, UnitAttr:$skip_others);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $indices attr-dict `:` type($lhs) `,` type($rhs) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Accel_GatherOp : Accel_FusedOp<"gather", "Gather"> {
  let summary = "rows of a table chosen by indices";
  let description = [{
    `result[i..., :] = table[indices[i...], :]`: with `table` of shape (v, d...) and `indices` of shape (i...), `result` has
    shape (i..., d...). Indices lie in [0, v); the runtime checks token ids before any kernel reads them. Where an index is
    `padding_row`, its row of `result` sends no gradient to `table`: PyTorch's `padding_idx`.

    ```mlir
    %e = accel.gather %t, %ids : tensor<256x64xf32>, tensor<4x8xi64> -> tensor<4x8x64xf32>
    ```

    **Constraints**
    - (C1) `result` has the dimensions of `indices`, then those of `table` but the first; element types of `table` and `result` agree.
    - (C2) `padding_row` is a row of `table`.

    Lowers to an indirect load of a fused kernel.
  }];
  let arguments = (ins Accel_MovedTensor:$table, Accel_IndexTensor:$indices, OptionalAttr<I64Attr>:$padding_row);
  let results = (outs Accel_MovedTensor:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$table, "::mlir::Value":$indices)>,
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$table, "::mlir::Value":$indices), [{
      build($_builder, $_state, result, table, indices, /*padding_row=*/::mlir::IntegerAttr());
    }]>,
  ];
  let assemblyFormat = "$table `,` $indices attr-dict `:` type($table) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Accel_ScatterAddOp : Accel_FusedOp<"scatter_add", "ScatterAdd"> {
  let summary = "sums rows into a table at indices";
  let description = [{
    `result[v, :]` is the sum of `updates[i..., :]` over all `i...` with `indices[i...] = v`, in row-major order of `i...`:
    the transpose of `accel.gather`.

    ```mlir
    %g = accel.scatter_add %ids, %dy : tensor<4x8xi64>, tensor<4x8x64xf32> -> tensor<256x64xf32>
    ```

    **Constraints**
    - (C1) `updates` has the dimensions of `indices`, then those of `result` but the first; element types of `updates` and `result` agree.

    Lowers to a kernel that is split over columns, so that its order of summation does not depend on threads.
  }];
  let arguments = (ins Accel_IndexTensor:$indices, Accel_FloatTensor:$updates);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$indices `,` $updates attr-dict `:` type($indices) `,` type($updates) `->` type($result)";
  let hasVerifier = 1;
}

def Accel_GatherNdOp : Accel_FusedOp<"gather_nd", "None"> {
  let summary = "elements or slices chosen by index tuples";
  let description = [{
    ONNX's GatherND with `batch_dims` leading dimensions in common: the last dimension of `indices` (size q) holds tuples;
    `result[b..., i..., rest...] = operand[b..., indices[b..., i..., 0..q-1], rest...]`. Negative indices count from the end.

    ```mlir
    %y = accel.gather_nd %x, %i batch_dims 0 : tensor<4x8xi1>, tensor<5x2xi64> -> tensor<5xi1>
    ```

    **Constraints**
    - (C1) `batch_dims + q` is at most the rank of `operand`.
    - (C2) `result` has shape (batch, other dimensions of `indices` but the last, rest of `operand`).

    Has no kernel and no gradient: it must be folded away by Import.
  }];
  let arguments = (ins Accel_Tensor:$operand, Accel_IndexTensor:$indices, I64Attr:$batch_dims);
  let results = (outs Accel_Tensor:$result);
  let assemblyFormat = "$operand `,` $indices `batch_dims` $batch_dims attr-dict `:` type($operand) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}
#endif
