// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a training step is made of besides tensors: parameters, state, microbatches, updates.
#ifndef ACCEL_DIALECTS_ACCEL_IR_PROGRAM_TD
#define ACCEL_DIALECTS_ACCEL_IR_PROGRAM_TD
include "dialects/Accel/IR/AccelDialect.td"
include "dialects/Accel/IR/AccelEnums.td"

def Accel_ParameterOp : Accel_Op<"parameter", [Symbol]> {
  let summary = "a tensor of the model";
  let description = [{
    Declares a tensor of the model under its original name and in its original orientation (that of the framework's
    state dict; the exporter's transposes are undone by the importer). `trainable` ones get a gradient and an optimizer state. A
    `statistic`, the running mean of a batch norm for example, is no result of training: microbatches accumulate how it changes, and the step adds that to it.

    `initial` says where the value at step 0 comes from: a dictionary
    `{kind = "file", key = "..."}` (weights that came with the model: the importer's weight table has the bytes, whole
    tensor, row-major, this orientation), `{kind = "normal", mean, deviation, site}`,
    `{kind = "uniform", bound, site}` (from -bound to bound), or `{kind = "constant", value}`.
    `provenance` is what the importer had to do to find it (see docs/importing.md); absent for a plain initializer.
    Precision adds `compute`, the element type that microbatches read the parameter in: its value rounded to that type, once per
    step. Before it is rounded to 8 bits it is multiplied by a scale: element `scale` of the state `@weight_scale`; or, where the recipe has
    blocks (`accel.fp8`), each of its squares by one of those from there on, row by row. Accumulate (GroupParameters) adds what the update of
    the parameter does differently: `lr_factor` multiplies its learning rate (absent: 1), `decays` says whether weight decay applies to it
    (absent: by its rank), and `weight_decay` is its own number instead of the hyperparameter of that name; one of 0 is no decay. Shard adds
    `segment` (symbol of the segment's master state) and `offset` (element offset in it).

    ```mlir
    accel.parameter @wte : tensor<256x64xf32> trainable {initial = {kind = "normal", mean = 0.0, deviation = 0.02, site = 7 : i64}}
    ```

    **Constraints**
    - (C1) the type is a ranked tensor with a static shape.
    - (C2) a trainable parameter has a float element type.
    - (C3) `initial` has one of the forms above, with all its keys.
    - (C4) `compute` is bf16, f16, f8E4M3FN or f8E5M2, and the parameter is of f32.
    - (C5) there is a `scale` exactly where `compute` has 8 bits.
    - (C6) a `statistic` is of f32, not `trainable` and read as it is stored.
    - (C7) only a trainable parameter has `lr_factor`, `decays` or `weight_decay`.
    - (C8) `lr_factor` and `weight_decay` are finite and not negative.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, UnitAttr:$trainable, UnitAttr:$statistic, OptionalAttr<DictionaryAttr>:$initial,
                   OptionalAttr<DictionaryAttr>:$provenance, OptionalAttr<TypeAttr>:$compute, OptionalAttr<I64Attr>:$scale,
                   OptionalAttr<FlatSymbolRefAttr>:$segment, OptionalAttr<I64Attr>:$offset, OptionalAttr<F64Attr>:$lr_factor, OptionalAttr<BoolAttr>:$decays,
                   OptionalAttr<F64Attr>:$weight_decay);
  // Updated as the others are.
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$name, "::mlir::TypeAttr":$type, "::mlir::UnitAttr":$trainable, "::mlir::UnitAttr":$statistic,
                             "::mlir::DictionaryAttr":$initial, "::mlir::DictionaryAttr":$provenance, "::mlir::TypeAttr":$compute,
                             "::mlir::IntegerAttr":$scale, "::mlir::FlatSymbolRefAttr":$segment, "::mlir::IntegerAttr":$offset), [{
    build($_builder, $_state, name, type, trainable, statistic, initial, provenance, compute, scale, segment, offset, /*lr_factor=*/{}, /*decays=*/{},
          /*weight_decay=*/{});
  }]>];
  let assemblyFormat = "$sym_name `:` $type (`trainable` $trainable^)? (`statistic` $statistic^)? (`compute` $compute^)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether microbatches add to it: a gradient, or how a statistic changes.
    bool isAccumulated() { return getTrainable() || getStatistic(); }
    /// What its learning rate is multiplied by.
    double getRateFactor();
    /// Whether weight decay applies to it, where it does to parameters of `decayRank` and more unless something else is said.
    bool isDecayed(int64_t decayRank = 2);
    /// Its own weight decay; none: the hyperparameter's, or it is not decayed.
    std::optional<double> getOwnDecay();
    /// The type in which microbatches read it.
    ::mlir::RankedTensorType getComputeType();
    /// The slot of its segment that holds it in `type`.
    ::accel::SlotRole getSlotRole(::mlir::Type type);
  }];
}

def Accel_StateOp : Accel_Op<"state", [Symbol]> {
  let summary = "a tensor that outlives a step";
  let description = [{
    Declares state besides parameters: hyperparameters, counters and accumulators, what microbatches find the maximum of
    (`accumulator_max`), sums of which every rank has its share (`partial`), maxima of the ranks' own (`partial_max`), scales of
    what is read in 8 bits and what they are made of (`scale`), tensors that the host gives a function to infer (`input`) and takes from
    it (`output`), under the name `accel.name`, and, after Shard, the flat slots of segments (`slot`). A slot says which segment it belongs to (`segment`), what it holds
    of it (`slot`), and what the optimizer does with the segment (`group`). `initial` is the value of every element at step 0 (default 0).

    ```mlir
    accel.state @lr hyperparameter : tensor<f64> {initial = 0.001 : f64}
    accel.state @"block0.decayed.first_moment" slot : tensor<4096xf32> {segment = #accel.segment_ref<@block0 "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>}
    ```

    **Constraints**
    - (C1) the type is a ranked tensor with a static shape.
    - (C2) a slot has `segment`, `slot` and `group`, and no other state has one of them.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, Accel_StateKind:$kind, OptionalAttr<F64Attr>:$initial,
                   OptionalAttr<Accel_SegmentRefAttr>:$segment, OptionalAttr<Accel_SlotAttr>:$slot, OptionalAttr<Accel_OptimizerGroupAttr>:$group);
  // Of no segment.
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::Type":$type, "::accel::StateKind":$kind,
                             CArg<"::mlir::FloatAttr", "{}">:$initial), [{
    build($_builder, $_state, name, type, kind, initial, /*segment=*/{}, /*slot=*/{}, /*group=*/{});
  }]>];
  let assemblyFormat = "$sym_name $kind `:` $type attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether this is the slot of a segment that holds the parameters, or one that holds their gradients.
    bool isMaster();
    bool isGradient();
    /// Whether microbatches read parameters here: the compute slot of a segment or, where there is none, the master.
    bool isRead();
    /// The symbol of another slot of the same segment; of slots only.
    std::string getSibling(::accel::SlotAttr slot);
    /// The symbol of the slot that holds the parameters; of slots only.
    std::string getMasterName();
  }];
}

def Accel_ReadOp : Accel_Op<"read", [MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a parameter or state";
  let description = [{
    The value that `symbol` has at this point of the program. Each use of a tied weight has its own read, or shares one:
    both mean the same.

    ```mlir
    accel.parameter @wte : tensor<256x64xf32> trainable
    func.func @forward() -> tensor<256x64xf32> {
      %w = accel.read @wte : tensor<256x64xf32>
      return %w : tensor<256x64xf32>
    }
    ```

    **Constraints**
    - (C1) `symbol` names an `accel.parameter` or `accel.state` of the module with the result's type, or a parameter whose
      `compute` is the result's element type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs Accel_StoredTensor:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}

def Accel_WriteOp : Accel_Op<"write", [MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "replaces the value of a parameter or state";
  let description = [{
    From here on `symbol` has the value `value`.

    ```mlir
    accel.state @lr hyperparameter : tensor<f64> {initial = 0.001 : f64}
    func.func @halve() {
      %lr = accel.read @lr : tensor<f64>
      %half = accel.constant dense<0.5> : tensor<f64>
      %next = accel.mul %lr, %half : tensor<f64>
      accel.write @lr, %next : tensor<f64>
      return
    }
    ```

    **Constraints**
    - (C1) `symbol` names an `accel.parameter` or `accel.state` of the module with the value's type.

    Lowers to a copy, or to nothing where the value is computed in place.
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, Accel_StoredTensor:$value);
  let assemblyFormat = "$symbol `,` $value attr-dict `:` type($value)";
}

def Accel_AccumulateOp : Accel_Op<"accumulate", [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "adds to the gradient of a parameter or to an accumulator";
  let description = [{
    If `symbol` is a parameter, `value` is added to its gradient, or to the change of a statistic, which is zero at the start of a step; if it is a
    state, `value` is added to it. A tied weight is accumulated once per use.

    ```mlir
    accel.parameter @wte : tensor<256x64xf32> trainable
    func.func @microbatch(%g: tensor<256x64xf32>) {
      accel.accumulate @wte, %g : tensor<256x64xf32>
      return
    }
    ```

    **Constraints**
    - (C1) `symbol` names an `accel.parameter` that is trainable or a statistic, or an `accel.state`, of the module with the value's type.

    Lowers to an addition into the persistent slot, fused into the kernel that computes `value`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, Accel_FloatTensor:$value);
  let assemblyFormat = "$symbol `,` $value attr-dict `:` type($value)";
}

def Accel_GradientOp : Accel_Op<"gradient", [MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the accumulated gradient of a parameter";
  let description = [{
    What `accel.accumulate` has added to the gradient of the parameter `symbol` since the step began.

    ```mlir
    accel.parameter @wte : tensor<256x64xf32> trainable
    func.func @step() -> tensor<256x64xf32> {
      %g = accel.gradient @wte : tensor<256x64xf32>
      return %g : tensor<256x64xf32>
    }
    ```

    **Constraints**
    - (C1) `symbol` names a trainable `accel.parameter` of the module with the result's type.

    Replaced by a read of the flat gradient slot in Shard.
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}

def Accel_InputOp : Accel_Op<"input", [MemoryEffects<[MemRead]>]> {
  let summary = "what the data pipeline gives for the current microbatch";
  let description = [{
    `name` is an input of the model, a target, or one of the built-in ones: `sample_indices` (tensor<Bxi64>, global sample
    indices), `sample_weights` (tensor<Bxf32>, 1, or 0 for the padding of a short last iteration), `microbatches_behind` (tensor<f32>, how many
    microbatches of the step, of all ranks, come after this one in the order of their samples), `iterations_behind` (tensor<f32>, how many
    iterations of the step, in each of which every rank computes one microbatch, come after this one), `seed` (tensor<i64>), and `training`
    (tensor<i1>, whether the function trains), of which Accumulate makes a constant.

    ```mlir
    %ids = accel.input "input_ids" : tensor<4x64xi64>
    ```

    **Constraints**
    - (C1) an input with a built-in name has the type given above.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Accel_Tensor:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Accel_SumOverRanksOp : Accel_Op<"sum_over_ranks", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "what all ranks have computed in an iteration, added up";
  let description = [{
    Every rank computes one microbatch in an iteration of the loop; `result` is, on all of them, the sum of their operands. A rank alone has its
    operand back. Ranks run one program, so all of them take part, with what a microbatch of nothing but padding gives, too.

    ```mlir
    %all = accel.sum_over_ranks %sum : tensor<8xf32>
    ```

    Gradient rules write it and it has none. Becomes `dist.all_reduce_value` in Partition (InsertCollectives).
  }];
  let arguments = (ins Accel_FloatTensor:$operand);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Accel_RepeatOp : Accel_Op<"repeat", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "the loop over the microbatches of a step";
  let description = [{
    Runs its body once per microbatch; how often is a run-time count, at least one. The body has no results: what it
    leaves behind is accumulated in gradients and states. `accel.input` gives other data in each iteration.

    ```mlir
    accel.repeat {
      %x = accel.input "x" : tensor<4x8xf32>
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

def Accel_MetricOp : Accel_Op<"metric", [MemoryEffects<[MemWrite]>]> {
  let summary = "a number of the step that the run reports";
  let description = [{
    Reports `value`, a scalar, under `name`: the only data that leaves the device within a step.

    ```mlir
    accel.metric "loss", %x : tensor<f64>
    ```

    **Constraints**
    - (C1) the value has rank 0.

    Lowers to a store into the metrics slot.
  }];
  let arguments = (ins StrAttr:$name, RankedTensorOf<[F64]>:$value);
  let assemblyFormat = "$name `,` $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Accel_UpdateOp : Accel_Op<"update", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "one step of the optimizer on every trainable parameter";
  let description = [{
    Applies optimizer `kind`, a name of the table in `IR/Optimizers`, to all trainable parameters; gradient = accumulated gradient * `scale`.
    Hyperparameters are `accel.state`s of the module. Where it declares `@schedule` (0 constant, 1 linear, 2 cosine, 3 wsd),
    that chooses how the learning rate goes on after the warm-up, and where it declares `@clip_norm`, a number above 0 is the
    largest norm of the gradient. What is different for single parameters stands with them. Where the module declares `@ema`, the optimizer
    also keeps an average of each trainable parameter, and moves it by 1 - `@ema` of the way to the parameter's new value. Expanded by Shard (ExpandUpdate) into primitives over flat segments.

    ```mlir
    accel.update %s kind "adamw" : tensor<f64>
    ```

    **Constraints**
    - (C1) `scale` has rank 0; `kind` is a known name.
  }];
  let arguments = (ins RankedTensorOf<[F64]>:$scale, StrAttr:$kind);
  let assemblyFormat = "$scale `kind` $kind attr-dict `:` type($scale)";
  let hasVerifier = 1;
}

def Accel_BucketOp : Accel_Op<"bucket", [Symbol]> {
  let summary = "parameters gathered and reduced together";
  let description = [{
    An ordered list of segments, each uniform in dtype and optimizer group.
    `granule` is the number of elements to which shards are rounded. The bucket of a repeated block of the model has its number, from
    0, as `layer`.

    ```mlir
    accel.bucket @block0 {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 4096 elements of @wte>]}
    ```

    **Constraints**
    - (C1) the segments have different names, and no parameter lies in two of them.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$granule, Accel_SegmentArrayAttr:$segments, OptionalAttr<I64Attr>:$layer);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How others refer to the segment `name`.
    ::accel::SegmentRefAttr getReference(::mlir::StringAttr name);
  }];
}
#endif
