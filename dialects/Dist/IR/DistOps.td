// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the `dist` dialect.
#ifndef ACCEL_DIALECTS_DIST_IR_DISTOPS_TD
#define ACCEL_DIALECTS_DIST_IR_DISTOPS_TD
include "dialects/Dist/IR/DistDialect.td"

def Dist_AllReduceOp : Dist_Op<"all_reduce", [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "sums states over ranks";
  let description = [{
    Every state in `symbols` becomes, on all ranks, the sum of what it was on the ranks that differ along `axes` only, added
    in the order of the ranks: rank 0 + rank 1 + ... The states are reduced one after the other, in the order given.

    ```mlir
    accel.state @loss_sum : tensor<f64> {kind = "accumulator"}
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
  let arguments = (ins TypedArrayAttrBase<FlatSymbolRefAttr, "names of states">:$symbols, StrArrayAttr:$axes);
  let assemblyFormat = "$symbols `over` $axes attr-dict";
  let hasVerifier = 1;
}
#endif
