// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the `plan` dialect: buffers and instructions.
#ifndef ACCEL_DIALECTS_PLAN_IR_PLANOPS_TD
#define ACCEL_DIALECTS_PLAN_IR_PLANOPS_TD
include "dialects/Plan/IR/PlanDialect.td"
include "dialects/Plan/IR/PlanInterfaces.td"

// What Schedule decides about an instruction: where it runs, for which events it waits, which events it signals, its phase, its cost and the layer of the model that it works for; that all gradients of the step are complete in front of it; and which infinities it may write although nothing is wrong.
defvar Plan_Decided = (ins OptionalAttr<FlatSymbolRefAttr>:$stream, OptionalAttr<Plan_WaitArrayAttr>:$waits,
                           OptionalAttr<Plan_EventArrayAttr>:$signals, OptionalAttr<Plan_PhaseAttr>:$phase,
                           OptionalAttr<Plan_CostAttr>:$cost, OptionalAttr<I64Attr>:$layer,
                           UnitAttr:$gradients_complete, OptionalAttr<Plan_InfinityArrayAttr>:$infinities);
// None of it is decided yet: for the builders.
defvar Plan_Undecided = "/*stream=*/::mlir::FlatSymbolRefAttr(), /*waits=*/::mlir::ArrayAttr(), "
                        "/*signals=*/::mlir::ArrayAttr(), PhaseAttr(), CostAttr(), /*layer=*/::mlir::IntegerAttr(), "
                        "/*gradients_complete=*/::mlir::UnitAttr(), /*infinities=*/::mlir::ArrayAttr()";

class Plan_Instruction<string mnemonic, dag own, list<string> overridden = []>
    : Plan_Op<mnemonic, !listconcat([DeclareOpInterfaceMethods<InstructionOpInterface, overridden>],
                                    !if(!eq(mnemonic, "launch"), [AttrSizedOperandSegments], []<Trait>))> {
  let arguments = !con(own, Plan_Decided);
}

// A collective says which segment's slot it moves, if it is one's (`segment`). What else Schedule decides about it: its number among those
// of its function, in program order, and how many bytes a rank sends (`bytes_sent`): of an all_reduce its parts to the other ranks and their sums back, twice the tensor for many ranks; of the others
// the elements of all parts.
class Plan_Collective<string mnemonic, dag own>
    : Plan_Instruction<mnemonic, !con(own, (ins OptionalAttr<Plan_SegmentRef>:$segment, OptionalAttr<I64Attr>:$sequence, OptionalAttr<Plan_SizeAttr>:$bytes_sent))>;
defvar Plan_UndecidedCollective = !strconcat("/*sequence=*/::mlir::IntegerAttr(), /*bytes_sent=*/SizeAttr(), ", Plan_Undecided);

def Plan_BufferOp : Plan_Op<"buffer", [Pure]> {
  let summary = "memory of a rank";
  let description = [{
    Names a piece of memory with the shape and element type of `result` (row-major, contiguous; i8 are booleans, a byte
    each, and ui8 8-bit codes).
    `region`: transient buffers live within one execution of their function and lie in the arena at `offset` (bytes, set by
    Memory). Between Fuse and Schedule one with a `symbol` holds, in one microbatch, all of that slot, of which each rank
    holds a part: collectives of the `dist` dialect in the loop name it. Persistent ones live as long as the run (`symbol` is the state's or segment slot's name); constants hold
    `value`; io buffers are filled by `plan.fetch`. `klass` is the class under which estimates count the bytes. With
    `copies = 2` an io buffer exists twice and microbatch i uses copy i mod 2. With `shard` a rank has memory for its part of
    the elements only. In space `shared` the ranks of a host have one such buffer together; in `device`, the default, each has its own.
    With `per_thread` each thread of the rank has one. In a shared buffer buckets take turns: `gathers` says, for each bucket that ranks
    gather into it, how much of it the segments of the bucket take (PlaceGathers). It begins at a multiple of `alignment` bytes.

    ```mlir
    %b = plan.buffer transient activations : memref<64x128xf32>
    ```

    **Constraints**
    - (C1) the shape is static and the layout row-major.
    - (C2) persistent buffers have `symbol`, constants `value`; `copies` is 1, or of io buffers 2; an alignment is a power of two, at least
      64, and an offset a multiple of it; only transient buffers are shared, only shared ones have `gathers`, only persistent ones are
      sharded or each thread's own, and a `shard` is one of all their elements.
    - (C3) the elements are f64, f32, bf16, f16, f8E4M3FN, f8E5M2, f8E8M0FNU, i64, i32, booleans (i1, i8) or codes (ui8).
  }];
  let arguments = (ins Plan_Region:$region, Plan_MemoryClass:$klass, OptionalAttr<StrAttr>:$symbol, OptionalAttr<ElementsAttr>:$value,
                   OptionalAttr<I64Attr>:$offset, DefaultValuedAttr<I64Attr, "1">:$copies,
                   DefaultValuedAttr<Plan_Space, "::accel::plan::Space::Device">:$space, OptionalAttr<Plan_ShardAttr>:$shard,
                   UnitAttr:$per_thread, DefaultValuedAttr<I64Attr, "64">:$alignment,
                   OptionalAttr<Plan_GathersAttr>:$gathers);
  let results = (outs AnyMemRef:$result);
  let builders = [OpBuilder<(ins "::mlir::MemRefType":$type, "Region":$region, "MemoryClass":$klass,
                             CArg<"::mlir::StringAttr", "{}">:$symbol, CArg<"::mlir::ElementsAttr", "{}">:$value,
                             CArg<"int64_t", "1">:$copies, CArg<"Space", "Space::Device">:$space,
                             CArg<"ShardAttr", "{}">:$shard)>];
  let assemblyFormat = "$region $klass (`in` $space^)? ($symbol^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Plan_ViewOp : Plan_Op<"view", [Pure]> {
  let summary = "a contiguous part of a buffer";
  let description = [{
    The elements of `source` from element `offset` on, under the shape of `result`.

    ```mlir
    %w = plan.view %b at 1024 : memref<4096xf32> to memref<16x64xf32>
    ```

    **Constraints**
    - (C1) the element types agree and the result lies inside the source, which is no part.
  }];
  let arguments = (ins AnyMemRef:$source, I64Attr:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$source `at` $offset attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Plan_PartOp : Plan_Op<"part", [Pure, SameOperandsAndResultType]> {
  let summary = "a rank's part of a buffer";
  let description = [{
    The elements of `source` that the rank owns when they are cut as `shard` says. Its type is that of the whole, because the
    number of ranks is not known yet.

    ```mlir
    %own = plan.part %b {shard = #plan.shard<4096 granule 128 over "fsdp">} : memref<4096xf32>
    ```

    **Constraints**
    - (C1) `shard` cuts all elements of `source`, which is no part itself.
  }];
  let arguments = (ins AnyMemRef:$source, Plan_ShardAttr:$shard);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Plan_LaunchOp : Plan_Instruction<"launch", (ins FlatSymbolRefAttr:$kernel, Variadic<AnyMemRef>:$buffers, Optional<AnyMemRef>:$workspace,
    Plan_AccessArrayAttr:$modes, OptionalAttr<Plan_ShardAttr>:$shard)> {
  let summary = "runs a kernel";
  let description = [{
    Runs kernel `kernel` (a function with the attribute `plan.kernel` that says what it computes) on the buffers, over all of its
    iteration domain. How that is cut is said per variant by the kernel's `plan.code`. With `shard` it runs over the rank's own
    part of the domain only. `workspace` is memory that each thread has for itself, as much as the code of any variant needs.

    ```mlir
    plan.launch @k0(%x, %y) [read, write] : memref<64x128xf32>, memref<64x128xf32>
    ```

    **Constraints**
    - (C1) there is one access per buffer, and a workspace is each thread's own.
    - (C2) `kernel` names a kernel of the module. The buffers are its arguments, each of them read, and behind them its results, each of
      them updated where the kernel adds it to what is there (`plan.accumulate`) and written where it stores it, all of the kernel's shapes.
    - (C3) the tiles of each variant divide the elements of `shard`, and a granule is a whole number of tiles.
  }];
  let builders = [OpBuilder<(ins "::mlir::FlatSymbolRefAttr":$kernel, "::mlir::ValueRange":$buffers, "::mlir::Value":$workspace, "::mlir::ArrayAttr":$modes, "ShardAttr":$shard), !strconcat("build($_builder, $_state, kernel, buffers, workspace, modes, shard, ", Plan_Undecided, ");")>];
  let assemblyFormat = [{
    $kernel `(` $buffers `)` custom<Modes>($modes) (`workspace` `(` $workspace^ `:` type($workspace) `)`)? attr-dict
    `:` type($buffers)
  }];
  let hasVerifier = 1;
}

def Plan_FetchOp : Plan_Instruction<"fetch", (ins StrArrayAttr:$names, Variadic<AnyMemRef>:$buffers, I64Attr:$ahead), ["getRotation"]> {
  let summary = "fills the input buffers of a microbatch";
  let description = [{
    Asks the data pipeline for fields `names` of microbatch m + `ahead`, m being the current one; beyond the last one it does nothing.

    ```mlir
    plan.fetch ["input_ids"] into %b ahead 1 : memref<2x32xi64>
    ```

    **Constraints**
    - (C1) there is one name per buffer; `ahead` is 0 or 1.
  }];
  let builders = [OpBuilder<(ins "::mlir::ArrayAttr":$names, "::mlir::ValueRange":$buffers, "int64_t":$ahead), !strconcat("build($_builder, $_state, names, buffers, $_builder.getI64IntegerAttr(ahead), ", Plan_Undecided, ");")>];
  let assemblyFormat = "$names `into` $buffers `ahead` $ahead attr-dict `:` type($buffers)";
  let hasVerifier = 1;
}

def Plan_LoadOp : Plan_Instruction<"load", (ins StrAttr:$key, AnyMemRef:$buffer, OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$elements)> {
  let summary = "fills a buffer with weights that came with the model";
  let description = [{
    All of `buffer`; with `offset` and `elements`, those elements of it, and in a sharded buffer those of them that the rank
    owns.

    ```mlir
    %b = plan.buffer persistent parameters "wte" : memref<256x64xf32>
    plan.load "wte.weight" into %b : memref<256x64xf32>
    ```

    **Constraints**
    - (C1) there are both `offset` and `elements`, which lie inside the buffer, or neither; a sharded buffer has them.
  }];
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$key, "::mlir::Value":$buffer, "::mlir::IntegerAttr":$offset, "::mlir::IntegerAttr":$elements), !strconcat("build($_builder, $_state, key, buffer, offset, elements, ", Plan_Undecided, ");")>];
  let assemblyFormat = "$key `into` $buffer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Plan_FillOp : Plan_Instruction<"fill", (ins AnyMemRef:$buffer, UnitAttr:$is_true)> {
  let summary = "fills a buffer with zeros, or with true";
  let description = [{
    Bytes of zero; with `is_true` of one, which is what a boolean is that is true.

    ```mlir
    plan.fill %b : memref<4096xf32>
    plan.fill %c {is_true} : memref<i8>
    ```

    **Constraints**
    - (C1) with `is_true` the elements are booleans (i8).
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$buffer, CArg<"bool", "false">:$is_true), !strconcat("build($_builder, $_state, buffer, is_true ? $_builder.getUnitAttr() : ::mlir::UnitAttr(), ", Plan_Undecided, ");")>];
  let hasVerifier = 1;
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Plan_CopyOp : Plan_Instruction<"copy", (ins AnyMemRef:$source, AnyMemRef:$destination)> {
  let summary = "copies a buffer, or a rank's part of one";
  let description = [{
    ```mlir
    %a = plan.buffer transient activations : memref<4096xf32>
    %b = plan.buffer transient activations : memref<4096xf32>
    plan.copy %a to %b : memref<4096xf32>, memref<4096xf32>
    ```

    **Constraints**
    - (C1) the buffers have one type and do not overlap.
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$destination), !strconcat("build($_builder, $_state, source, destination, ", Plan_Undecided, ");")>];
  let assemblyFormat = "$source `to` $destination attr-dict `:` type($source) `,` type($destination)";
  let hasVerifier = 1;
}

def Plan_MetricOp : Plan_Instruction<"metric", (ins StrAttr:$name, AnyMemRef:$buffer)> {
  let summary = "hands a number of the step to the run";
  let description = [{
    ```mlir
    plan.metric "loss", %b : memref<f64>
    ```

    **Constraints**
    - (C1) the buffer has rank 0.
  }];
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$name, "::mlir::Value":$buffer), !strconcat("build($_builder, $_state, name, buffer, ", Plan_Undecided, ");")>];
  let assemblyFormat = "$name `,` $buffer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Plan_AllReduceOp : Plan_Collective<"all_reduce", (ins AnyMemRef:$buffer, StrArrayAttr:$axes, DefaultValuedAttr<Plan_Reduction, "::accel::plan::Reduction::Sum">:$reduction)> {
  let summary = "sums a buffer over ranks, or finds its largest elements";
  let description = [{
    `buffer` becomes, on all ranks that differ along `axes` only, the sum of what it was on them, added in the order of the
    ranks; `by max` the largest, element by element, NaN being larger than any number. Every rank executes the collectives of a function in the same order.

    ```mlir
    plan.all_reduce %b over ["replica", "fsdp"] : memref<4096xf32>
    ```

    **Constraints**
    - (C1) `axes` is not empty, and the elements are floats.
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$buffer, "::mlir::ArrayAttr":$axes, "::accel::plan::Reduction":$reduction, "::accel::SegmentRefAttr":$segment), !strconcat("build($_builder, $_state, buffer, axes, ReductionAttr::get($_builder.getContext(), reduction), segment, ", Plan_UndecidedCollective, ");")>];
  let assemblyFormat = "$buffer `over` $axes (`by` $reduction^)? attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Plan_AllGatherOp : Plan_Collective<"all_gather", (ins StrAttr:$state, AnyMemRef:$part, AnyMemRef:$whole, Plan_ShardAttr:$shard)> {
  let summary = "puts a tensor together from the ranks' parts";
  let description = [{
    `whole` becomes, on all ranks along the axes of `shard`, what they have in `part`, each its own elements. `state` is the
    slot whose elements they are.

    ```mlir
    %own = plan.buffer persistent parameters "model.decayed.master" {shard = #plan.shard<4096 granule 128 over "fsdp">} : memref<4096xf32>
    %b = plan.buffer transient gathered in shared : memref<4096xf32>
    plan.all_gather "model.decayed.master" %own into %b {shard = #plan.shard<4096 granule 128 over "fsdp">} : memref<4096xf32>, memref<4096xf32>
    ```

    **Constraints**
    - (C1) both have the elements of `shard`; `part` is a part or a sharded buffer that is cut by `shard`, `whole` is neither.
  }];
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$state, "::mlir::Value":$part, "::mlir::Value":$whole, "ShardAttr":$shard, "::accel::SegmentRefAttr":$segment), !strconcat("build($_builder, $_state, state, part, whole, shard, segment, ", Plan_UndecidedCollective, ");")>];
  let assemblyFormat = "$state $part `into` $whole attr-dict `:` type($part) `,` type($whole)";
  let hasVerifier = 1;
}

def Plan_ReduceScatterOp : Plan_Collective<"reduce_scatter", (ins StrAttr:$state, AnyMemRef:$whole, AnyMemRef:$part, Plan_ShardAttr:$shard)> {
  let summary = "sums a tensor over ranks, to each rank its part";
  let description = [{
    `part` becomes the rank's own elements of the sum of `whole` over all ranks along the axes of `shard`, added in the order
    of the ranks. `state` is the slot whose elements they are.

    ```mlir
    %own = plan.buffer persistent gradients "model.decayed.gradient" {shard = #plan.shard<4096 granule 128 over "fsdp">} : memref<4096xf32>
    %b = plan.buffer transient gradients : memref<4096xf32>
    plan.reduce_scatter "model.decayed.gradient" %b into %own {shard = #plan.shard<4096 granule 128 over "fsdp">} : memref<4096xf32>, memref<4096xf32>
    ```

    **Constraints**
    - (C1) both have the elements of `shard`; `part` is a part or a sharded buffer that is cut by `shard`, `whole` is neither.
  }];
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$state, "::mlir::Value":$whole, "::mlir::Value":$part, "ShardAttr":$shard, "::accel::SegmentRefAttr":$segment), !strconcat("build($_builder, $_state, state, whole, part, shard, segment, ", Plan_UndecidedCollective, ");")>];
  let assemblyFormat = "$state $whole `into` $part attr-dict `:` type($whole) `,` type($part)";
  let hasVerifier = 1;
}

def Plan_StreamOp : Plan_Op<"stream", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a queue of instructions of a rank";
  let description = [{
    Instructions of one stream run one after the other, in program order; those of different streams run at the same time, unless
    events order them. `kind` says what its instructions do: `compute` runs kernels, `communication` what ranks do together, `host`
    what the host does for the others, which is fetching data. The order of the streams in the module is that of the plan.

    ```mlir
    plan.stream @host host
    ```

    **Constraints**
    - (C1) of each kind there is at most one.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Plan_StreamKind:$kind);
  let assemblyFormat = "$sym_name $kind attr-dict";
  let hasVerifier = 1;
}

def Plan_VariantOp : Plan_Op<"variant", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a kind of processor that a plan has code for";
  let description = [{
    Every kernel has code in every variant of the module. They stand in the order in which a run prefers them: it takes the
    first whose `features` its device has. `processor` is what code is tuned for. Reductions are cut into `lanes` sums,
    which is part of what the code computes.

    ```mlir
    plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2", "fma"] lanes 64
    ```

    **Constraints**
    - (C1) `lanes` is positive, and the same in all variants of the module, whose code computes the same bits; only libraries may compute others.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Plan_DeviceKind:$device, StrAttr:$processor, StrArrayAttr:$features, I64Attr:$lanes);
  let assemblyFormat = "$sym_name $device `tuned` `for` $processor `needs` $features `lanes` $lanes attr-dict";
  let hasVerifier = 1;
}

def Plan_RepeatOp : Plan_Op<"repeat", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "the loop over the microbatches";
  let description = [{
    Executes its instructions once per microbatch.

    ```mlir
    plan.repeat {
    }
    ```
  }];
  let arguments = (ins OptionalAttr<Plan_PhaseAttr>:$phase, UnitAttr:$gradients_complete);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins), "$_state.addRegion();">];
  let assemblyFormat = "$body attr-dict";
}
#endif
