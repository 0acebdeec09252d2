// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants and operations that move elements without computing, of the `accel` dialect.
#ifndef ACCEL_DIALECTS_ACCEL_IR_SHAPE_TD
#define ACCEL_DIALECTS_ACCEL_IR_SHAPE_TD
include "dialects/Accel/IR/AccelDialect.td"

class Accel_FusedOp<string mnemonic, string kind, list<Trait> traits = []>
    : Accel_PureOp<mnemonic, !listconcat([DeclareOpInterfaceMethods<FusionOpInterface>], traits)> {
  let extraClassDefinition = "::accel::FusionKind $cppClass::getFusionKind() { return ::accel::FusionKind::" # kind # "; }";
}

def Accel_ConstantOp : Accel_FusedOp<"constant", "Source", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a tensor known at compile time";
  let description = [{
    `result` is `value`, a tensor attribute of the same type.

    ```mlir
    %c = accel.constant dense<1.0> : tensor<4x8xf32>
    ```

    A splat becomes an immediate of the kernels that use it; anything else a constant buffer of the plan.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Accel_StoredTensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def Accel_IotaOp : Accel_FusedOp<"iota", "Source"> {
  let summary = "the index along one dimension";
  let description = [{
    Every element of `result` is its own index along `dimension`.

    ```mlir
    %i = accel.iota 1 : tensor<4x8xi64>
    ```

    **Constraints**
    - (C1) `dimension` is a dimension of `result`.

    Lowers to an index computation inside the kernels that use it.
  }];
  let arguments = (ins I64Attr:$dimension);
  let results = (outs Accel_Tensor:$result);
  let assemblyFormat = "$dimension attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Accel_ReshapeOp : Accel_FusedOp<"reshape", "View"> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    Element e of `result` is element e of `operand`, both counted in row-major order.

    ```mlir
    %y = accel.reshape %x : tensor<4x8xf32> -> tensor<2x2x8xf32>
    ```

    **Constraints**
    - (C1) `operand` and `result` have the same element type and number of elements.

    Lowers to nothing where the operand is contiguous.
  }];
  let arguments = (ins Accel_StoredTensor:$operand);
  let results = (outs Accel_StoredTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::llvm::ArrayRef<int64_t>":$shape)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Accel_TransposeOp : Accel_FusedOp<"transpose", "View"> {
  let summary = "permutes the dimensions";
  let description = [{
    Dimension `i` of `result` is dimension `permutation[i]` of `operand`. With `stored` the result has a place of its own in memory:
    whoever reads it again and again, or in rows, finds its elements beside each other.

    ```mlir
    %y = accel.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    %z = accel.transpose %x [1, 0] stored : tensor<4x8xf32> -> tensor<8x4xf32>
    ```

    **Constraints**
    - (C1) `permutation` is a permutation of the operand's dimensions.
    - (C2) dimension `i` of `result` is dimension `permutation[i]` of `operand`; the element types agree.

    Lowers to a strided view or, with `stored`, to a copy.
  }];
  let arguments = (ins Accel_MovedTensor:$operand, DenseI64ArrayAttr:$permutation, UnitAttr:$stored);
  let results = (outs Accel_MovedTensor:$result);
  let assemblyFormat = "$operand $permutation (`stored` $stored^)? attr-dict `:` type($operand) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::llvm::ArrayRef<int64_t>":$permutation)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Accel_BroadcastOp : Accel_FusedOp<"broadcast", "View"> {
  let summary = "repeats a tensor along new or unit dimensions";
  let description = [{
    Dimension `i` of `operand` becomes dimension `dimensions[i]` of `result`; it is equal there or 1 and repeated.

    ```mlir
    %y = accel.broadcast %x [1] : tensor<8xf32> -> tensor<4x8xf32>
    ```

    **Constraints**
    - (C1) `dimensions` has one entry per dimension of `operand`, increasing, each a dimension of `result`.
    - (C2) a dimension of `operand` is 1 or that of `result`; the element types agree.

    Lowers to a view with stride 0.
  }];
  let arguments = (ins Accel_MovedTensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs Accel_MovedTensor:$result);
  let assemblyFormat = "$operand $dimensions attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Accel_SliceOp : Accel_FusedOp<"slice", "View"> {
  let summary = "a strided part of a tensor";
  let description = [{
    `result[i...] = operand[offsets + i * strides]` in every dimension.

    ```mlir
    %y = accel.slice %x [0, 2] strides [1, 3] : tensor<4x8xf32> -> tensor<4x2xf32>
    ```

    **Constraints**
    - (C1) `offsets` and `strides` have one entry per dimension of `operand`; offsets are not negative, strides are positive.
    - (C2) the last element taken lies inside `operand` in every dimension; ranks and element types agree.

    Lowers to a strided view.
  }];
  let arguments = (ins Accel_MovedTensor:$operand, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$strides);
  let results = (outs Accel_MovedTensor:$result);
  let assemblyFormat = "$operand $offsets `strides` $strides attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Accel_PadOp : Accel_FusedOp<"pad", "Assembly"> {
  let summary = "a tensor surrounded by zeros";
  let description = [{
    `result[low + i * strides] = operand[i]`, zero elsewhere: the transpose of `accel.slice`.

    ```mlir
    %y = accel.pad %x [0, 2] strides [1, 3] : tensor<4x2xf32> -> tensor<4x8xf32>
    ```

    **Constraints**
    - (C1) `low` and `strides` have one entry per dimension of `operand`; `low` is not negative, strides are positive.
    - (C2) the last element written lies inside `result` in every dimension; ranks and element types agree.

    Lowers to a fill and a copy into a view.
  }];
  let arguments = (ins Accel_MovedTensor:$operand, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$strides);
  let results = (outs Accel_MovedTensor:$result);
  let assemblyFormat = "$operand $low `strides` $strides attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Accel_SplitOp : Accel_FusedOp<"split", "View"> {
  let summary = "cuts a tensor into consecutive parts along one dimension";
  let description = [{
    The results lie one after the other along `axis`; together they are the operand.

    ```mlir
    %q, %k, %v = accel.split %x axis 1 : tensor<4x12xf32> -> tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    ```

    **Constraints**
    - (C1) there is at least one result, and `axis` is a dimension of `operand`.
    - (C2) the sizes of the results along `axis` add up to the operand's; all else agrees.

    Lowers to one strided view per result.
  }];
  let arguments = (ins Accel_MovedTensor:$operand, I64Attr:$axis);
  let results = (outs Variadic<Accel_MovedTensor>:$results);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "int64_t":$axis, "::llvm::ArrayRef<int64_t>":$sizes)>];
  let assemblyFormat = "$operand `axis` $axis attr-dict `:` type($operand) `->` type($results)";
  let hasVerifier = 1;
}

def Accel_ConcatOp : Accel_FusedOp<"concat", "Assembly"> {
  let summary = "joins tensors along one dimension";
  let description = [{
    The operands lie one after the other along `axis` of `result`.

    ```mlir
    %x = accel.concat %q, %k axis 1 : tensor<4x4xf32>, tensor<4x8xf32> -> tensor<4x12xf32>
    ```

    **Constraints**
    - (C1) there is at least one operand, and `axis` is a dimension of `result`.
    - (C2) the sizes of the operands along `axis` add up to the result's; all else agrees.

    Lowers to one copy into a view per operand.
  }];
  let arguments = (ins Variadic<Accel_MovedTensor>:$operands, I64Attr:$axis);
  let results = (outs Accel_MovedTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$operands, "int64_t":$axis)>];
  let assemblyFormat = "$operands `axis` $axis attr-dict `:` type($operands) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
#endif
