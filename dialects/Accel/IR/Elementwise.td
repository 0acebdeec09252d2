// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise operations of the `accel` dialect.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ELEMENTWISE_TD
#define ACCEL_DIALECTS_ACCEL_IR_ELEMENTWISE_TD
include "dialects/Accel/IR/AccelDialect.td"
include "dialects/Accel/IR/AccelEnums.td"

class Accel_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Accel_PureOp<mnemonic, !listconcat([DeclareOpInterfaceMethods<FusionOpInterface>, DeclareOpInterfaceMethods<CostOpInterface>], traits)> {
  code fusionAndCost = [{
    ::accel::FusionKind $cppClass::getFusionKind() { return ::accel::FusionKind::Elementwise; }
    int64_t $cppClass::getFlops() { return ::accel::elementCount(getOperation()->getResult(0)); }
  }];
  let extraClassDefinition = fusionAndCost;
}

class Accel_UnaryOp<string mnemonic, string text, string formula, string gradient = ""> : Accel_ElementwiseOp<mnemonic, [SameOperandsAndResultType]> {
  let summary = text;
  let description = "`result = " # formula # "` for every element of `operand`, a float tensor of any shape." # gradient # "\n\n```mlir\n%y = accel." # mnemonic # " %x : tensor<4x8xf32>\n```\n\nLowers to one operation of a fused kernel.";
  let arguments = (ins Accel_FloatTensor:$operand);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

class Accel_BinaryOp<string mnemonic, Type tensor, string text, string formula, list<Trait> traits = [], string gradient = "">
    : Accel_ElementwiseOp<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let summary = text;
  let description = "`result = " # formula # "` for every pair of elements of `lhs` and `rhs`, tensors of one shape and element type." # gradient # "\n\n```mlir\n%z = accel." # mnemonic # " %x, %y : tensor<4x8x" # !if(!eq(tensor, Accel_BoolTensor), "i1", "f32") # ">\n```\n\nLowers to one operation of a fused kernel.";
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Accel_NegOp : Accel_UnaryOp<"neg", "changes the sign", "-operand">;
def Accel_AbsOp : Accel_UnaryOp<"abs", "absolute value", "|operand|", " Its gradient at 0 is 0.">;
def Accel_ExpOp : Accel_UnaryOp<"exp", "exponential", "exp(operand)">;
def Accel_LogOp : Accel_UnaryOp<"log", "natural logarithm", "ln(operand)">;
def Accel_SqrtOp : Accel_UnaryOp<"sqrt", "square root", "sqrt(operand)">;
def Accel_RsqrtOp : Accel_UnaryOp<"rsqrt", "reciprocal square root", "1 / sqrt(operand)">;
def Accel_TanhOp : Accel_UnaryOp<"tanh", "hyperbolic tangent", "tanh(operand)">;
def Accel_ErfOp : Accel_UnaryOp<"erf", "error function", "erf(operand)">;
def Accel_SigmoidOp : Accel_UnaryOp<"sigmoid", "logistic function", "1 / (1 + exp(-operand))">;
def Accel_ReluOp : Accel_UnaryOp<"relu", "rectifier", "max(operand, 0)", " Its gradient at 0 is 0.">;
def Accel_SinOp : Accel_UnaryOp<"sin", "sine", "sin(operand)">;
def Accel_CosOp : Accel_UnaryOp<"cos", "cosine", "cos(operand)">;

def Accel_AddOp : Accel_BinaryOp<"add", Accel_NumberTensor, "sum", "lhs + rhs", [Commutative]> {
  let hasFolder = 1;
}
def Accel_SubOp : Accel_BinaryOp<"sub", Accel_NumberTensor, "difference", "lhs - rhs"> {
  let hasFolder = 1;
}
def Accel_MulOp : Accel_BinaryOp<"mul", Accel_NumberTensor, "product", "lhs * rhs", [Commutative]> {
  let hasFolder = 1;
}
def Accel_DivOp : Accel_BinaryOp<"div", Accel_NumberTensor, "quotient, truncated towards zero for integers", "lhs / rhs"> {
  let hasFolder = 1;
}
def Accel_MaxOp : Accel_BinaryOp<"max", Accel_NumberTensor, "larger of two", "max(lhs, rhs)", [Commutative], " Where they are equal, each gets half of the gradient.">;
def Accel_MinOp : Accel_BinaryOp<"min", Accel_NumberTensor, "smaller of two", "min(lhs, rhs)", [Commutative], " Where they are equal, each gets half of the gradient.">;
def Accel_PowOp : Accel_BinaryOp<"pow", Accel_FloatTensor, "power", "lhs ^ rhs">;
def Accel_AndOp : Accel_BinaryOp<"and", Accel_BoolTensor, "logical conjunction", "lhs and rhs", [Commutative]>;
def Accel_OrOp : Accel_BinaryOp<"or", Accel_BoolTensor, "logical disjunction", "lhs or rhs", [Commutative]>;

def Accel_NotOp : Accel_ElementwiseOp<"not", [SameOperandsAndResultType]> {
  let summary = "logical negation";
  let description = [{
    `result = not operand` for every element of a boolean tensor.

    ```mlir
    %y = accel.not %x : tensor<4x8xi1>
    ```

    Lowers to one operation of a fused kernel.
  }];
  let arguments = (ins Accel_BoolTensor:$operand);
  let results = (outs Accel_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Accel_BitwiseOp : Accel_ElementwiseOp<"bitwise", [SameOperandsAndResultType]> {
  let summary = "combines the bits of two integers";
  let description = [{
    `result` is the `function` of every pair of elements of `lhs` and `rhs`, integers in two's complement:

    | function | result |
    |---|---|
    | `and`, `or`, `xor` | bit by bit |
    | `shift_left` | the bits of `lhs`, `rhs` places higher, and zeros below them |
    | `shift_right` | the bits of `lhs`, `rhs` places lower, and copies of the sign above them |

    If `rhs` is negative, or the number of bits or more, then a shift moves all bits out: what is left is 0, or, to the right, the sign (0 or -1).

    ```mlir
    %z = accel.bitwise shift_right, %x, %y : tensor<4x8xi64>
    ```

    It has no gradient. Lowers to one operation of a fused kernel, a shift to some more.
  }];
  let arguments = (ins Accel_BitFunction:$function, Accel_IntegerTensor:$lhs, Accel_IntegerTensor:$rhs);
  let results = (outs Accel_IntegerTensor:$result);
  let assemblyFormat = "$function `,` $lhs `,` $rhs attr-dict `:` type($result)";
}

def Accel_BitcastOp : Accel_ElementwiseOp<"bitcast", [SameOperandsAndResultShape]> {
  let summary = "reads the bits of numbers as other numbers";
  let description = [{
    Every element of `result` has the bits of that of `operand`: a float's sign, exponent and mantissa as an integer, or an integer's bits as a float.

    ```mlir
    %y = accel.bitcast %x : tensor<4x8xf32> -> tensor<4x8xi32>
    ```

    **Constraints**
    - (C1) the element types are as wide as each other.

    It has no gradient. Lowers to one operation of a fused kernel.
  }];
  let arguments = (ins RankedTensorOf<[F32, F64, I32, I64]>:$operand);
  let results = (outs RankedTensorOf<[F32, F64, I32, I64]>:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Accel_IsNanOp : Accel_ElementwiseOp<"is_nan", [SameOperandsAndResultShape]> {
  let summary = "whether an element is not a number";
  let description = [{
    `result` is true where `operand` is NaN. The tensors have the same shape.

    ```mlir
    %y = accel.is_nan %x : tensor<4x8xf32> -> tensor<4x8xi1>
    ```

    Lowers to one operation of a fused kernel.
  }];
  let arguments = (ins Accel_FloatTensor:$operand);
  let results = (outs Accel_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def Accel_CompareOp : Accel_ElementwiseOp<"compare", [SameTypeOperands, SameOperandsAndResultShape]> {
  let summary = "compares two tensors element by element";
  let description = [{
    `result = lhs PREDICATE rhs`; comparisons with NaN are false, except `ne`. All shapes are equal.

    ```mlir
    %m = accel.compare le, %i, %j : tensor<4x8xi64> -> tensor<4x8xi1>
    ```

    Lowers to one operation of a fused kernel.
  }];
  let arguments = (ins Accel_ComparePredicate:$predicate, Accel_Tensor:$lhs, Accel_Tensor:$rhs);
  let results = (outs Accel_BoolTensor:$result);
  let builders = [OpBuilder<(ins "::accel::ComparePredicate":$predicate, "::mlir::Value":$lhs, "::mlir::Value":$rhs)>];
  let assemblyFormat = "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def Accel_SelectOp : Accel_ElementwiseOp<"select", [AllTypesMatch<["on_true", "on_false", "result"]>, SameOperandsAndResultShape]> {
  let summary = "chooses between two tensors element by element";
  let description = [{
    `result = condition ? on_true : on_false`. All four tensors have the same shape.

    ```mlir
    %z = accel.select %m, %x, %y : tensor<4x8xi1>, tensor<4x8xf32>
    ```

    Lowers to one operation of a fused kernel.
  }];
  let arguments = (ins Accel_BoolTensor:$condition, Accel_MovedTensor:$on_true, Accel_MovedTensor:$on_false);
  let results = (outs Accel_MovedTensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,` type($result)";
  let hasFolder = 1;
}

def Accel_StopGradientOp : Accel_ElementwiseOp<"stop_gradient", [SameOperandsAndResultType]> {
  let summary = "its operand, to which it sends no gradient";
  let description = [{
    `result = operand`, and the derivative is zero: PyTorch's `detach`.

    ```mlir
    %y = accel.stop_gradient %x : tensor<4x8xf32>
    ```

    Has no kernel: DifferentiateModule removes it.
  }];
  let arguments = (ins Accel_FloatTensor:$operand);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Accel_CastOp : Accel_ElementwiseOp<"cast", [SameOperandsAndResultShape]> {
  let summary = "converts the element type";
  let description = [{
    Every element of `operand` as an element of `result`'s type: floats to integers by truncation towards zero, anything
    to `i1` by comparison with zero, `i1` to numbers as 0 or 1. From a smaller float to a larger one the number stays the same.

    What becomes a float of 16 or 8 bits becomes f32 first, so that a number of f64 or of an integer may be rounded twice; then, once:

    | result | range, smallest number | a number of f32 becomes |
    |---|---|---|
    | `bf16` | 3.39e38, 2^-133 | the nearest number, of two that are as near the one with an even mantissa |
    | `f16` | 65504, 2^-24 | the same |
    | `f8E4M3FN` | 448, 2^-9, no infinity | the same |
    | `f8E5M2` | 57344, 2^-16 | the same |
    | `f8E8M0FNU` | powers of two from 2^-127 to 2^127, no sign, no zero, no infinity | the smallest power of two that is not smaller |

    - Numbers below the smallest normal one are those of the format, whatever the processor does with its own subnormal numbers.
    - Beyond the range: with `saturate` what would be rounded to more than the largest number becomes that number, an infinity too. Casts
      to 8 bits always saturate. Without `saturate` (bf16, f16) it becomes an infinity, which loss scaling for f16 looks for.
    - A NaN stays one, with its sign and the upper bits of its mantissa where the format has room for them. NaN is thus the only
      sign of a fault that an 8-bit float can carry: who looks for infinities looks at the operand. `f8E5M2` could hold infinities, but
      the OCP's specification lets a saturating cast turn them into the largest number, and so do processors; and then E4M3 and E5M2
      behave alike.
    - Scales are rounded up, as those of Transformer Engine's MX recipe are: what is divided by the scale must not leave the range. Zero
      and negative numbers become 2^-127, infinity 2^127.

    ```mlir
    %y = accel.cast %x : tensor<4x8xi64> -> tensor<4x8xf32>
    %h = accel.cast %y : tensor<4x8xf32> -> tensor<4x8xf16>
    %q = accel.cast %y saturate : tensor<4x8xf32> -> tensor<4x8xf8E4M3FN>
    ```

    **Constraints**
    - (C1) what is cast to or from an 8-bit float is a float.
    - (C2) `saturate` stands where `result` is f8E4M3FN or f8E5M2, may stand where it is bf16 or f16, and stands nowhere else.

    A cast from or to an 8-bit float has no gradient: they are inserted behind Differentiate. Lowers to integer arithmetic in a fused
    kernel; for subnormal numbers, to one float addition whose rounding is that of the format.
  }];
  let arguments = (ins Accel_MovedTensor:$operand, UnitAttr:$saturate);
  let results = (outs Accel_MovedTensor:$result);
  // Saturates where the result's type always does.
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Type":$elementType, CArg<"bool", "false">:$saturate)>];
  let assemblyFormat = "$operand (`saturate` $saturate^)? attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Accel_QuantizeOp : Accel_ElementwiseOp<"quantize", [SameOperandsAndResultShape]> {
  let summary = "the nearest number of an 8-bit code";
  let description = [{
    Every element of `result` is the byte whose number is nearest to that of `operand`. The dynamic code of "8-bit Optimizers
    via Block-wise Quantization" (Dettmers et al. 2022) spends its bytes on seven decades: with e = 0 ... 6, decade e is
    [10^(e-7), 10^(e-6)], cut into n equal cells whose middles are its numbers; 0 and 1 are numbers, too.

    | code | cells of decade e | byte of number j of decade e |
    |---|---|---|
    | `dynamic_unsigned` | 2^(e+1) | 2^(e+1) + j - 1; 0 is byte 0, and 1 is byte 255 |
    | `dynamic_signed` | 2^e | 2^e + j, negative ones in two's complement; 0 is byte 0, and 1, which has no negative, is byte 128 |

    What is larger than the largest number becomes that, what is smaller than the smallest one that; NaN becomes 0. An operand
    within a rounding error of f32 of the middle between two numbers may become either.

    ```mlir
    %c = accel.quantize dynamic_signed, %x : tensor<4x256xf32> -> tensor<4x256xui8>
    ```

    Lowers to some 25 operations of a fused kernel, without a table and without a branch.
  }];
  let arguments = (ins Accel_ByteCode:$code, RankedTensorOf<[F32, F64]>:$operand);
  let results = (outs Accel_CodeTensor:$result);
  let builders = [OpBuilder<(ins "::accel::ByteCode":$code, "::mlir::Value":$operand)>];
  let assemblyFormat = "$code `,` $operand attr-dict `:` type($operand) `->` type($result)";
}

def Accel_DequantizeOp : Accel_ElementwiseOp<"dequantize", [SameOperandsAndResultShape]> {
  let summary = "the numbers of an 8-bit code";
  let description = [{
    Every element of `result` is the number that the byte of `operand` stands for in `code`; `accel.quantize` has the codes.
    In f32 its relative error is below 1e-6.

    ```mlir
    %x = accel.dequantize dynamic_signed, %c : tensor<4x256xui8> -> tensor<4x256xf32>
    ```

    Lowers to some 20 operations of a fused kernel, without a table and without a branch.
  }];
  let arguments = (ins Accel_ByteCode:$code, Accel_CodeTensor:$operand);
  let results = (outs RankedTensorOf<[F32, F64]>:$result);
  let assemblyFormat = "$code `,` $operand attr-dict `:` type($operand) `->` type($result)";
}

def Accel_GeluOp : Accel_ElementwiseOp<"gelu", [SameOperandsAndResultType]> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `operand * Phi(operand)`; `Phi` is the normal distribution, exact (`none`) or by its tanh form (`tanh`).

    ```mlir
    %y = accel.gelu tanh, %x : tensor<4x8xf32>
    ```

    Lowers to primitives in Fuse (ExpandComposites), or becomes part of a product's call, of whose kernel it then is an operation.
  }];
  let arguments = (ins Accel_GeluApproximation:$approximation, Accel_FloatTensor:$operand);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$approximation `,` $operand attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    /// Builds the primitives that it stands for.
    ::mlir::Value expand(::mlir::OpBuilder &builder);
  }];
}

def Accel_GeluGradOp : Accel_ElementwiseOp<"gelu_grad", [AllTypesMatch<["gradient", "result"]>, SameOperandsAndResultShape]> {
  let summary = "gradient of the Gaussian error linear unit";
  let description = [{
    `gradient` times the derivative of `accel.gelu` of the same form at `operand`, whose floats may be narrower than those of the gradient.

    ```mlir
    %dx = accel.gelu_grad tanh, %dy, %x : tensor<4x8xf32>, tensor<4x8xbf16>
    ```

    Not differentiable. Lowers as `accel.gelu` does.
  }];
  let arguments = (ins Accel_GeluApproximation:$approximation, Accel_FloatTensor:$gradient, Accel_FloatTensor:$operand);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$approximation `,` $gradient `,` $operand attr-dict `:` type($gradient) `,` type($operand)";
  let extraClassDeclaration = [{
    /// Builds the primitives that it stands for.
    ::mlir::Value expand(::mlir::OpBuilder &builder);
  }];
}
#endif
