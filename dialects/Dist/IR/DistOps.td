// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the `dist` dialect.
#ifndef ACCEL_DIALECTS_DIST_IR_DISTOPS_TD
#define ACCEL_DIALECTS_DIST_IR_DISTOPS_TD
include "dialects/Dist/IR/DistDialect.td"

/// Names states and says over which ranks something is done with them.
class Dist_StatesOp<string mnemonic>
    : Dist_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  dag states = (ins TypedArrayAttrBase<FlatSymbolRefAttr, "names of states">:$symbols, StrArrayAttr:$axes);
  let arguments = states;
  let assemblyFormat = "$symbols `over` $axes attr-dict";
  let hasVerifier = 1;
}

def Dist_AllReduceOp : Dist_StatesOp<"all_reduce"> {
  let summary = "sums states over ranks, or finds their largest elements";
  let description = [{
    Every state in `symbols` becomes, on all ranks, the sum of what it was on the ranks that differ along `axes` only, added
    in the order of the ranks: rank 0 + rank 1 + ... `by max` it becomes, element by element, the largest of them, or NaN if one
    is. The states are reduced one after the other, in the order given.

    ```mlir
    accel.state @loss_sum accumulator : tensor<f64>
    func.func @step() {
      dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
      return
    }
    ```

    **Constraints**
    - (C1) every symbol names an `accel.state` of floats in the module, each once.
    - (C2) `axes` are axes of the mesh, each once, and at least one.

    Lowers to one `plan.all_reduce` per state in Fuse (AssignBuffers).
  }];
  let arguments = !con(states, (ins DefaultValuedAttr<Dist_Reduction, "::accel::dist::Reduction::Sum">:$reduction));
  let assemblyFormat = "$symbols `over` $axes (`by` $reduction^)? attr-dict";
}

def Dist_AllReduceValueOp : Dist_Op<"all_reduce_value", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "sums a value of the microbatch over ranks";
  let description = [{
    `result` is, on all ranks that differ along `axes` only, the sum of their operands, added in the order of the ranks: rank 0 + rank 1 + ...
    It stands where the value is needed, inside the loop over microbatches; ranks have equally many iterations, so they meet in each.

    ```mlir
    %all = dist.all_reduce_value %sum over ["replica", "fsdp"] : tensor<8xf32>
    ```

    **Constraints**
    - (C1) `axes` are axes of the mesh, each once, and at least one.

    Lowers to `plan.all_reduce` in Fuse (AssignBuffers), on the operand's own memory where nobody else reads the operand, else on a copy.
  }];
  let arguments = (ins RankedTensorOf<[F64, F32]>:$operand, StrArrayAttr:$axes);
  let results = (outs RankedTensorOf<[F64, F32]>:$result);
  let assemblyFormat = "$operand `over` $axes attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Dist_ReduceScatterOp : Dist_StatesOp<"reduce_scatter"> {
  let summary = "sums gradients over ranks, to each rank its part";
  let description = [{
    Behind the loop over microbatches, for states held whole: the part of each state that a rank owns becomes the sum of
    what it was on the ranks that differ along `axes` only, added in the order of the ranks; the rest means nothing any more.

    At the end of the loop's body, for states held in part: what the microbatch has added (`accel.accumulate` of the
    segment's parameters) is summed in the same way, and each rank adds its part of the sum to what it holds.

    ```mlir
    accel.state @"model.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
    func.func @step() {
      dist.reduce_scatter [@"model.decayed.gradient"] over ["fsdp"]
      return
    }
    ```

    **Constraints**
    - (C1) every symbol names an `accel.state` of floats in the module, each once, with `dist.held`.
    - (C2) `axes` are axes of the mesh, each once, and at least one.

    Behind the loop it lowers to one `plan.reduce_scatter` per state in Fuse (AssignBuffers). In the loop it stays until Schedule
    (PlaceReductions), which reduces one bucket at a time, where its gradients are complete, and adds the rank's part to
    what it holds.
  }];
}

def Dist_AllGatherOp : Dist_StatesOp<"all_gather"> {
  let summary = "gives every rank all parts";
  let description = [{
    Behind the update, for states held whole: each rank's own part replaces that part on the ranks that differ along `axes`
    only.

    At the beginning of the loop's body, for states held in part: from here to the end of the body, parameters of these
    segments can be read.

    ```mlir
    accel.state @"model.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
    func.func @step() {
      dist.all_gather [@"model.decayed.master"] over ["fsdp"]
      return
    }
    ```

    **Constraints**
    - (C1) every symbol names an `accel.state` of floats in the module, each once, with `dist.held`.
    - (C2) `axes` are axes of the mesh, each once, and at least one.

    Behind the update it lowers to one `plan.all_gather` per state in Fuse (AssignBuffers). In the loop it stays until Schedule
    (PlaceGathers), which gathers one bucket at a time, one ahead of its use.
  }];
}
#endif
