// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations of the `accel` dialect.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ACCELENUMS_TD
#define ACCEL_DIALECTS_ACCEL_IR_ACCELENUMS_TD
include "mlir/IR/EnumAttr.td"

def Accel_ComparePredicate : I32EnumAttr<"ComparePredicate", "how two elements are compared", [
    I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">, I32EnumAttrCase<"LT", 2, "lt">,
    I32EnumAttrCase<"LE", 3, "le">, I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]> {
  let cppNamespace = "::accel";
}

def Accel_GeluApproximation : I32EnumAttr<"GeluApproximation", "which form of GELU", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Tanh", 1, "tanh">]> {
  let cppNamespace = "::accel";
}
#endif
