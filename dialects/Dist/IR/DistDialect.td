// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `dist` dialect.
#ifndef ACCEL_DIALECTS_DIST_IR_DISTDIALECT_TD
#define ACCEL_DIALECTS_DIST_IR_DISTDIALECT_TD
include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let cppNamespace = "::accel::dist";
  let summary = "what the ranks of a run do together";
  let description = [{
    ```
      accel (one rank) --> accel + dist (a rank among others) --> plan
    ```
    A program of the `accel` dialect is that of one rank. The operations of this dialect say where it meets the programs of
    the others: all ranks execute them in the same order. Axes are those of the mesh: `replica`, `fsdp`, `tensor`,
    `pipeline`, `context`, `expert`. How many ranks lie along `replica` and `fsdp` is known when the plan is loaded; with
    one, every operation here leaves everything as it is, which is what the interpreter does.

    **Sharded states.** A segment's slot may be cut flat over the ranks along `fsdp`: of S elements rank r owns [r L, min(S, (r+1) L)), L
    being ceil(S / ranks) rounded up to the granule of its bucket. The attribute `dist.held` of an `accel.state` says what a
    rank has in memory:

    | `dist.held` | in memory | `accel.read` and `accel.write` of the state itself |
    |---|---|---|
    | absent | all S elements | all of them |
    | `#dist.held<whole>` | all S elements | those that the rank owns |
    | `#dist.held<part>` | those that the rank owns | those that the rank owns |

    Its type is that of the whole in all three cases. Operations between such reads and writes are element by element, or
    sums over rows of one granule: what a rank computes of them is its own elements.

    **Mesh.** `dist.mesh = {context = 1 : i64, expert = 1 : i64, fsdp = 0 : i64, ...}` on the module says how many ranks lie along each axis;
    0 is as many as a run has.

    **Coordinates.** A function of the program may be for some ranks only: `dist.coordinates = {pipeline = 1 : i64}` says which, along
    axes other than those of the data, whose ranks all run one program. Of ranks at the same coordinates each role has one function.
  }];
  let dependentDialects = ["::accel::AccelDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

def Dist_ShardingMode : I32EnumAttr<"ShardingMode", "of which slots ranks hold parts", [
    I32EnumAttrCase<"Plain", 0, "plain">, I32EnumAttrCase<"Zero1", 1, "zero1">, I32EnumAttrCase<"Zero2", 2, "zero2">,
    I32EnumAttrCase<"FSDP", 3, "fsdp">]> {
  let cppNamespace = "::accel::dist";
}

def Dist_Holding : I32EnumAttr<"Holding", "what a rank has of a state, and what its reads and writes of it touch", [
    I32EnumAttrCase<"All", 0, "all">, I32EnumAttrCase<"Whole", 1, "whole">, I32EnumAttrCase<"Part", 2, "part">]> {
  let cppNamespace = "::accel::dist";
  let genSpecializedAttr = 0;
}

def Dist_HoldingAttr : EnumAttr<Dist_Dialect, Dist_Holding, "held"> {
  let summary = "what a rank has of a state in memory";
  let description = [{
    Stands as `dist.held` on the slot of a segment: a rank has the `whole` and computes its part, or has its `part` only. A slot without
    it is held and computed as a whole.

    ```mlir
    accel.state @model.decayed.master slot : tensor<128xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
    ```

    What is `all` of a rank is not written.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Dist_Reduction : I32EnumAttr<"Reduction", "what ranks make of their numbers", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">]> {
  let cppNamespace = "::accel::dist";
}

class Dist_Op<string mnemonic, list<Trait> traits = []> : Op<Dist_Dialect, mnemonic, traits>;
#endif
