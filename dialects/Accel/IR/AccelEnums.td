// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations of the `accel` dialect.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ACCELENUMS_TD
#define ACCEL_DIALECTS_ACCEL_IR_ACCELENUMS_TD
include "dialects/Accel/IR/AccelDialect.td"

def Accel_ComparePredicate : I32EnumAttr<"ComparePredicate", "how two elements are compared", [
    I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">, I32EnumAttrCase<"LT", 2, "lt">,
    I32EnumAttrCase<"LE", 3, "le">, I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]> {
  let cppNamespace = "::accel";
}

def Accel_BitFunction : I32EnumAttr<"BitFunction", "what becomes of the bits of two integers", [
    I32EnumAttrCase<"And", 0, "and">, I32EnumAttrCase<"Or", 1, "or">, I32EnumAttrCase<"Xor", 2, "xor">,
    I32EnumAttrCase<"ShiftLeft", 3, "shift_left">, I32EnumAttrCase<"ShiftRight", 4, "shift_right">]> {
  let cppNamespace = "::accel";
}

def Accel_GeluApproximation : I32EnumAttr<"GeluApproximation", "which form of GELU", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Tanh", 1, "tanh">]> {
  let cppNamespace = "::accel";
}

def Accel_RandomFactor : I32EnumAttr<"RandomFactor", "how the random factors of a dropout that drops nothing are distributed, with mean 1", [
    I32EnumAttrCase<"Uniform", 0, "uniform">, I32EnumAttrCase<"Normal", 1, "normal">]> {
  let cppNamespace = "::accel";
}

def Accel_ByteCode : I32EnumAttr<"ByteCode", "which numbers a byte stands for", [
    I32EnumAttrCase<"DynamicSigned", 0, "dynamic_signed">, I32EnumAttrCase<"DynamicUnsigned", 1, "dynamic_unsigned">]> {
  let cppNamespace = "::accel";
}

def Accel_FunctionRole : I32EnumAttr<"FunctionRole", "what a function of the program is for", [
    I32EnumAttrCase<"Initialize", 0, "initialize">, I32EnumAttrCase<"Step", 1, "step">,
    I32EnumAttrCase<"Evaluate", 2, "evaluate">, I32EnumAttrCase<"Infer", 3, "infer">,
    I32EnumAttrCase<"Count", 4, "count">]> {
  let cppNamespace = "::accel";
  let genSpecializedAttr = 0;
}

def Accel_FunctionRoleAttr : EnumAttr<Accel_Dialect, Accel_FunctionRole, "role"> {
  let summary = "what a function of the program is for";
  let description = [{
    Stands as `accel.role` on each function of the program: `initialize` sets the state up, once, before any other runs; `step`
    takes one step of training; `count` runs in front of each step, on its samples, and counts what the step divides by; `evaluate` measures and `infer` answers, and both leave parameters and the optimizer's state as they
    are. Whoever looks for a function looks for its role. Its name is for people.

    ```mlir
    func.func @step() attributes {accel.role = #accel.role<step>} {
      return
    }
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Accel_ProductRole : I32EnumAttr<"ProductRole", "what a product is to the training step", [
    I32EnumAttrCase<"Forward", 0, "forward">, I32EnumAttrCase<"InputGradient", 1, "input_gradient">,
    I32EnumAttrCase<"WeightGradient", 2, "weight_gradient">]> {
  let cppNamespace = "::accel";
}

def Accel_StateKind : I32EnumAttr<"StateKind", "what a state is", [
    I32EnumAttrCase<"Hyperparameter", 0, "hyperparameter">, I32EnumAttrCase<"Counter", 1, "counter">,
    I32EnumAttrCase<"Accumulator", 2, "accumulator">, I32EnumAttrCase<"Partial", 3, "partial">,
    I32EnumAttrCase<"Slot", 4, "slot">, I32EnumAttrCase<"PartialMax", 5, "partial_max">,
    I32EnumAttrCase<"Scale", 6, "scale">, I32EnumAttrCase<"AccumulatorMax", 7, "accumulator_max">,
    I32EnumAttrCase<"Input", 8, "input">, I32EnumAttrCase<"Output", 9, "output">]> {
  let cppNamespace = "::accel";
}

def Accel_SlotRole : I32EnumAttr<"SlotRole", "what a slot of a segment holds", [
    I32EnumAttrCase<"Master", 0, "master">, I32EnumAttrCase<"Gradient", 1, "gradient">,
    I32EnumAttrCase<"Optimizer", 2, "optimizer">, I32EnumAttrCase<"Compute", 3, "compute">]> {
  let cppNamespace = "::accel";
}

def Accel_SlotAttr : AttrDef<Accel_Dialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "which slot of its segment a state is";
  let description = [{
    `master` holds the parameters, `compute` the same in the type that microbatches read, `gradient` what is accumulated for them, and
    `optimizer` what the optimizer keeps for them under the name `keptName`, which it alone understands.

    ```mlir
    accel.state @model.decayed.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
    ```

    Only what the optimizer keeps has a name of its own, which is not that of another role.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins EnumParameter<Accel_SlotRole>:$role, OptionalParameter<"::mlir::StringAttr">:$keptName);
  let assemblyFormat = "`<` $role (`:` $keptName^)? `>`";
  let extraClassDeclaration = [{
    static SlotAttr get(::mlir::MLIRContext *context, ::accel::SlotRole role);
    /// What the optimizer keeps under the name `keptName`.
    static SlotAttr getKept(::mlir::MLIRContext *context, ::llvm::StringRef kept);
    /// The name of its role or, if the optimizer keeps it, the optimizer's name of it.
    ::llvm::StringRef getName() const;
  }];
}

def Accel_OptimizerGroup : I32EnumAttr<"OptimizerGroup", "what the optimizer does with parameters", [
    I32EnumAttrCase<"Decayed", 0, "decayed">, I32EnumAttrCase<"Undecayed", 1, "undecayed">,
    I32EnumAttrCase<"Frozen", 2, "frozen">, I32EnumAttrCase<"Statistic", 3, "statistic">]> {
  let cppNamespace = "::accel";
  let genSpecializedAttr = 0;
}

def Accel_OptimizerGroupAttr : EnumAttr<Accel_Dialect, Accel_OptimizerGroup, "group"> {
  let summary = "what the optimizer does with the parameters of a segment";
  let description = [{
    The optimizer applies weight decay to `decayed` parameters, trains `undecayed` ones without it, and leaves `frozen` ones as they are.
    To a `statistic` is added what microbatches have accumulated for it, as it is: neither mean nor clipping nor learning rate concern it.

    ```mlir
    accel.state @model.frozen.master slot : tensor<128xf32> {segment = #accel.segment_ref<@model "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>}
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Accel_SegmentAttr : AttrDef<Accel_Dialect, "Segment"> {
  let mnemonic = "segment";
  let summary = "a flat run of parameters with one element type and one optimizer group";
  let description = [{
    Stands in the list `segments` of an `accel.bucket`. The segment `name` has `elements` elements, in which `parameters` lie in this
    order, each at a multiple of 16 elements. All of them belong to `group`, and have the same `lr_factor` and `weight_decay`.

    ```mlir
    accel.bucket @block0 {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 4096 elements of @wte, @wpe>]}
    ```

    The name is not empty, there is at least one element, and each parameter is listed once.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "::mlir::StringAttr":$name, EnumParameter<Accel_OptimizerGroup>:$group, "int64_t":$elements,
                        OptionalArrayRefParameter<"::mlir::FlatSymbolRefAttr">:$parameters);
  let assemblyFormat = "`<` $name `group` $group `,` $elements `elements` (`of` $parameters^)? `>`";
}

def Accel_SegmentArrayAttr : TypedArrayAttrBase<Accel_SegmentAttr, "a list of segments">;

def Accel_SegmentRefAttr : AttrDef<Accel_Dialect, "SegmentRef"> {
  let mnemonic = "segment_ref";
  let summary = "names a segment of a bucket";
  let description = [{
    `bucket` names an `accel.bucket` of the module, and `name` one of its segments. It stands as `segment` on each state that is a slot
    of the segment, and on each collective of the `plan` dialect that moves such a slot.

    ```mlir
    accel.bucket @block0 {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 256 elements>]}
    accel.state @block0.decayed.master slot : tensor<256xf32> {segment = #accel.segment_ref<@block0 "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
    ```

    The name is not empty.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$bucket, "::mlir::StringAttr":$name);
  let assemblyFormat = "`<` $bucket $name `>`";
  let extraClassDeclaration = [{
    /// The symbol of the state that is `slot` of the segment: "model.decayed.gradient".
    std::string getSlotName(::accel::SlotAttr slot) const;
  }];
}
#endif
