// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interfaces by which passes work on any `accel` operation without knowing it.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ACCELINTERFACES_TD
#define ACCEL_DIALECTS_ACCEL_IR_ACCELINTERFACES_TD
include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::accel";
  let description = [{
    Reverse-mode differentiation, one rule per operation, written in operations of the dialect.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds, at the insertion point of `builder`, the gradients of the operands.
      `resultGradients` has one entry per result; a null value means a zero gradient.
      `operandGradients` has one entry per operand on entry, all null; the rule sets those that are not zero,
      each of its operand's type. Integer and boolean operands never get one.
      Returns failure after an error on the operation's location if the operation has no derivative.
      }],
      "::mlir::LogicalResult", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultGradients,
           "::llvm::MutableArrayRef<::mlir::Value>":$operandGradients)>,
  ];
}

def FusionOpInterface : OpInterface<"FusionOpInterface"> {
  let cppNamespace = "::accel";
  let description = [{ How an operation can take part in a fused kernel. }];
  let methods = [
    InterfaceMethod<"What the operation is to the fusion planner.", "::accel::FusionKind", "getFusionKind">,
  ];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::accel";
  let description = [{ Arithmetic cost, for estimates and reports. }];
  let methods = [
    InterfaceMethod<"Floating-point operations of one execution (a multiply-add counts two).", "int64_t", "getFlops">,
  ];
}
#endif
