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

def Accel_GeluApproximation : I32EnumAttr<"GeluApproximation", "which form of GELU", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Tanh", 1, "tanh">]> {
  let cppNamespace = "::accel";
}

def Accel_ByteCode : I32EnumAttr<"ByteCode", "which numbers a byte stands for", [
    I32EnumAttrCase<"DynamicSigned", 0, "dynamic_signed">, I32EnumAttrCase<"DynamicUnsigned", 1, "dynamic_unsigned">]> {
  let cppNamespace = "::accel";
}

def Accel_FunctionRole : I32EnumAttr<"FunctionRole", "what a function of the program is for", [
    I32EnumAttrCase<"Initialize", 0, "initialize">, I32EnumAttrCase<"Step", 1, "step">,
    I32EnumAttrCase<"Evaluate", 2, "evaluate">, I32EnumAttrCase<"Infer", 3, "infer">]> {
  let cppNamespace = "::accel";
  let genSpecializedAttr = 0;
}

def Accel_FunctionRoleAttr : EnumAttr<Accel_Dialect, Accel_FunctionRole, "role"> {
  let summary = "what a function of the program is for";
  let description = [{
    Stands as `accel.role` on each function of the program: `initialize` sets the state up, once, before any other runs; `step`
    takes one step of training; `evaluate` measures and `infer` answers, and both leave parameters and the optimizer's state as they
    are. Whoever looks for a function looks for its role. Its name is for people.

    ```mlir
    func.func @step() attributes {accel.role = #accel.role<step>} {
      return
    }
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Accel_StateKind : I32EnumAttr<"StateKind", "what a state is", [
    I32EnumAttrCase<"Hyperparameter", 0, "hyperparameter">, I32EnumAttrCase<"Counter", 1, "counter">,
    I32EnumAttrCase<"Accumulator", 2, "accumulator">, I32EnumAttrCase<"Partial", 3, "partial">,
    I32EnumAttrCase<"Slot", 4, "slot">]> {
  let cppNamespace = "::accel";
}

def Accel_SlotRole : I32EnumAttr<"SlotRole", "what a slot of a segment holds", [
    I32EnumAttrCase<"Master", 0, "master">, I32EnumAttrCase<"Gradient", 1, "gradient">,
    I32EnumAttrCase<"Optimizer", 2, "optimizer">]> {
  let cppNamespace = "::accel";
}

def Accel_SlotAttr : AttrDef<Accel_Dialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "which slot of its segment a state is";
  let description = [{
    `master` holds the parameters, `gradient` what is accumulated for them, and `optimizer` what the optimizer keeps for them under
    the name `keptName`, which it alone understands.

    ```mlir
    accel.state @model.decayed.momentum slot : tensor<128xf32> {bucket = "model", segment = "decayed", slot = #accel.slot<optimizer : "momentum">, group = "decayed"}
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
    /// "master", "gradient" or the optimizer's name of it.
    ::llvm::StringRef getName() const;
  }];
}
#endif
