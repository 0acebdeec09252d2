// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `accel` dialect and the base classes of its operations.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ACCELDIALECT_TD
#define ACCEL_DIALECTS_ACCEL_IR_ACCELDIALECT_TD
include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/Accel/IR/AccelInterfaces.td"

def Accel_Dialect : Dialect {
  let name = "accel";
  let cppNamespace = "::accel";
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let summary = "the training step as a program over tensors";
  let description = [{
    ```
      ONNX model --> accel (this dialect) --> plan (buffers, streams, instructions)
    ```
    Operations have value semantics: every tensor is ranked, has a static shape after Import and is
    never modified. What outlives a step (parameters, optimizer state, counters) is a symbol of the module,
    read by `accel.read` and changed by `accel.write` and `accel.accumulate` only.
    There is no implicit broadcasting and no implicit conversion of element types.

    Elements are floats of 64, 32, 16 (`bf16`, `f16`) and 8 bits (`f8E4M3FN`, `f8E5M2`, and `f8E8M0FNU` for scales), integers (`i64`,
    `i32`), booleans (`i1`) and bytes of a code (`ui8`). 8-bit floats are stored, moved (views, `accel.concat`, `accel.gather`), chosen
    by `accel.select` and cast, and take part in no other arithmetic. Models may be written in bf16 and f16, so the dialect has arithmetic
    on them; kernels have none, and take them as 8-bit floats (`docs/kernels.md`).
  }];
}

def Accel_Float : AnyTypeOf<[F32, F64, BF16, F16], "floating point">;
def Accel_Integer : AnyTypeOf<[I32, I64], "signless integer">;
def Accel_Element : AnyTypeOf<[F32, F64, BF16, F16, I32, I64, I1], "element type">;
def Accel_Tensor : RankedTensorOf<[Accel_Element]>;
// ui8 holds codes (accel.quantize), which are stored and viewed, and no numbers to compute with.
def Accel_Code : AnyTypeOf<[UI8], "8-bit code">;
def Accel_CodeTensor : RankedTensorOf<[Accel_Code]>;
// 8-bit floats are stored, moved, chosen and cast; arithmetic is done in what they are cast to.
def Accel_MovedElement : AnyTypeOf<[F32, F64, BF16, F16, I32, I64, I1, F8E4M3FN, F8E5M2, F8E8M0FNU], "element type or 8-bit float">;
def Accel_MovedTensor : RankedTensorOf<[Accel_MovedElement]>;
// Whatever can lie in memory.
def Accel_StoredTensor : RankedTensorOf<[F32, F64, BF16, F16, F8E4M3FN, F8E5M2, F8E8M0FNU, I32, I64, I1, UI8]>;
def Accel_FloatTensor : RankedTensorOf<[Accel_Float]>;
// What products multiply.
def Accel_FactorTensor : RankedTensorOf<[F32, F64, BF16, F16, F8E4M3FN, F8E5M2]>;
// What blocks of them are multiplied by.
def Accel_ScaleTensor : RankedTensorOf<[F8E8M0FNU]>;
def Accel_IntegerTensor : RankedTensorOf<[Accel_Integer]>;
def Accel_IndexTensor : RankedTensorOf<[I64, I32]>;
def Accel_SiteOffset : Type<CPred<"$_self == ::mlir::RankedTensorType::get({}, ::mlir::IntegerType::get($_self.getContext(), 64))">,
  "tensor of one i64", "::mlir::RankedTensorType">,
  BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;
def Accel_BoolTensor : RankedTensorOf<[I1]>;
def Accel_NumberTensor : RankedTensorOf<[F32, F64, BF16, F16, I32, I64]>;

class Accel_Op<string mnemonic, list<Trait> traits = []> : Op<Accel_Dialect, mnemonic, traits>;

// A pure operation on tensors: no effects, a gradient rule (possibly "none"), a cost and a fusion kind.
class Accel_PureOp<string mnemonic, list<Trait> traits = []>
    : Accel_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<DifferentiableOpInterface>], traits)>;
#endif
