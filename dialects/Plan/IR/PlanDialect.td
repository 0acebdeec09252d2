// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `plan` dialect.
#ifndef ACCEL_DIALECTS_PLAN_IR_PLANDIALECT_TD
#define ACCEL_DIALECTS_PLAN_IR_PLANDIALECT_TD
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::accel::plan";
  let summary = "the training step as instructions over buffers";
  let description = [{
    ```
      accel (tensors) --> plan (this dialect) --> plan file (instructions, code, weights)
    ```
    One operation is one instruction of the plan file. Buffers are `memref` values made by `plan.buffer` at the top of a
    function and by `plan.view`; an instruction names every buffer it reads or writes. Until Schedule the order of
    operations is the order of execution; from Schedule on, `stream`, `waits` and `signals` say what may overlap; from
    Memory on, every transient buffer has an offset in the arena.

    How many ranks there are is known when a plan is loaded. What depends on it is said by `#plan.shard`: sizes of buffers
    (`shard` of `plan.buffer`), a rank's part of a buffer (`plan.part`), and how far a kernel runs (`shard` of
    `plan.launch`). Types are those of the whole.
  }];
  let dependentDialects = ["::accel::AccelDialect"];
  let useDefaultAttributePrinterParser = 1;
}

def Plan_ShardAttr : AttrDef<Plan_Dialect, "Shard"> {
  let mnemonic = "shard";
  let summary = "how elements are cut over ranks";
  let description = [{
    A flat range of `elements` is cut over the N ranks along `axes`: L = granule * ceil(elements / (granule N)), and rank r owns
    [r L, min(elements, (r + 1) L)), possibly nothing.

    ```mlir
    %b = plan.buffer persistent parameters "model.decayed.master" {shard = #plan.shard<4096 granule 128 over "fsdp">} : memref<4096xf32>
    ```

    Elements and granule are positive, and there is at least one axis, each once.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$elements, "int64_t":$granule, ArrayRefParameter<"::mlir::StringAttr">:$axes);
  let assemblyFormat = "`<` $elements `granule` $granule `over` $axes `>`";
}

def Plan_SizeAttr : AttrDef<Plan_Dialect, "Size"> {
  let mnemonic = "size";
  let summary = "a number of bytes that may depend on the number of ranks";
  let description = [{
    `<4096 bytes>` are as many; `<32 bits of <4096 granule 128 over "fsdp">>` are, for N ranks, as many bits for each of the N L elements
    that the parts of all ranks have (`#plan.shard`), rounded up to bytes.

    ```mlir
    %b = plan.buffer transient activations : memref<8xf32>
    plan.all_reduce %b over ["replica"] {bytes_sent = #plan.size<64 bytes>} : memref<8xf32>
    ```

    The number is positive.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$number, OptionalParameter<"::accel::plan::ShardAttr">:$shard);
  let assemblyFormat = "`<` $number (`bits` `of` $shard^) : (`bytes`)? `>`";
}

def Plan_SizeArrayAttr : TypedArrayAttrBase<Plan_SizeAttr, "a list of sizes">;
def Plan_GathersAttr : TypedArrayAttrBase<Plan_SizeArrayAttr, "a list of sizes of segments for each bucket">;

def Plan_PeakAttr : AttrDef<Plan_Dialect, "Peak"> {
  let mnemonic = "peak";
  let summary = "where the transient memory of a program is fullest";
  let description = [{
    Stands as `plan.peak` on the module from AssignOffsets on: at the `instruction` of `function` buffers of `bytes` bytes are in use in
    the device's memory, and nowhere more. Instructions are numbered in program order from 0, and a loop counts as one more in
    front of its body: these are the numbers in the plan.

    ```mlir
    module attributes {plan.peak = #plan.peak<@step at 0, 16 bytes>} {
      func.func @step() attributes {accel.role = #accel.role<step>} {
        %b = plan.buffer transient activations {offset = 0 : i64} : memref<4xf32>
        plan.fill %b : memref<4xf32>
        return
      }
    }
    ```

    Neither number is negative.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$function, "int64_t":$instruction, "int64_t":$bytes);
  let assemblyFormat = "`<` $function `at` $instruction `,` $bytes `bytes` `>`";
}

// #accel.segment_ref. Its own TableGen file would declare the enumerations of the `accel` dialect here once more.
def Plan_SegmentRef : Attr<CPred<"::llvm::isa<::accel::SegmentRefAttr>($_self)">, "the name of a segment of a bucket"> {
  let storageType = "::accel::SegmentRefAttr";
  let returnType = "::accel::SegmentRefAttr";
  let convertFromStorage = "$_self";
}

def Plan_StreamKind : I32EnumAttr<"StreamKind", "what the instructions of a stream do", [
    I32EnumAttrCase<"Compute", 0, "compute">, I32EnumAttrCase<"Communication", 1, "communication">,
    I32EnumAttrCase<"Host", 2, "host">]> {
  let cppNamespace = "::accel::plan";
}

def Plan_EventAttr : AttrDef<Plan_Dialect, "Event"> {
  let mnemonic = "event";
  let summary = "an event of a function";
  let description = [{
    Stands in the list `signals` of the instruction that signals it when it is done.

    ```mlir
    %b = plan.buffer transient activations : memref<4xf32>
    plan.fill %b {signals = [#plan.event<0>]} : memref<4xf32>
    ```

    Events are counted from 0 in each function.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$number);
  let assemblyFormat = "`<` $number `>`";
}

def Plan_WaitAttr : AttrDef<Plan_Dialect, "Wait"> {
  let mnemonic = "wait";
  let summary = "an event that an instruction waits for";
  let description = [{
    Stands in the list `waits` of an instruction, which starts when event `event` has been signalled: in the loop by the iteration
    `distance` iterations ago, if there was one. A distance of 0 is not written.

    ```mlir
    plan.repeat {
      %b = plan.buffer transient activations : memref<4xf32>
      plan.fill %b {waits = [#plan.wait<0>, #plan.wait<1, 1 ago>]} : memref<4xf32>
    }
    ```

    Neither number is negative.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$event, DefaultValuedParameter<"int64_t", "0">:$distance);
  let assemblyFormat = "`<` $event (`,` $distance^ `ago`)? `>`";
}

def Plan_EventArrayAttr : TypedArrayAttrBase<Plan_EventAttr, "a list of events">;
def Plan_WaitArrayAttr : TypedArrayAttrBase<Plan_WaitAttr, "a list of events that are waited for">;

def Plan_Reduction : I32EnumAttr<"Reduction", "what ranks make of their numbers", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">]> {
  let cppNamespace = "::accel::plan";
}

def Plan_Region : I32EnumAttr<"Region", "how long a buffer's contents live", [
    I32EnumAttrCase<"Transient", 0, "transient">, I32EnumAttrCase<"Persistent", 1, "persistent">,
    I32EnumAttrCase<"Constant", 2, "constant">, I32EnumAttrCase<"IO", 3, "io">]> {
  let cppNamespace = "::accel::plan";
}

def Plan_MemoryClass : I32EnumAttr<"MemoryClass", "what a buffer's bytes count as in estimates", [
    I32EnumAttrCase<"Parameters", 0, "parameters">, I32EnumAttrCase<"Gradients", 1, "gradients">,
    I32EnumAttrCase<"Optimizer", 2, "optimizer">, I32EnumAttrCase<"Activations", 3, "activations">,
    I32EnumAttrCase<"Gathered", 4, "gathered">, I32EnumAttrCase<"IO", 5, "io">,
    I32EnumAttrCase<"Constants", 6, "constants">, I32EnumAttrCase<"Scalars", 7, "scalars">,
    I32EnumAttrCase<"Workspace", 8, "workspace">]> {
  let cppNamespace = "::accel::plan";
}

def Plan_Space : I32EnumAttr<"Space", "whose memory a buffer lies in", [
    I32EnumAttrCase<"Device", 0, "device">, I32EnumAttrCase<"Shared", 1, "shared">]> {
  let cppNamespace = "::accel::plan";
}

def Plan_Phase : I32EnumAttr<"Phase", "which part of its function an instruction belongs to", [
    I32EnumAttrCase<"Init", 0, "init">, I32EnumAttrCase<"Load", 1, "load">, I32EnumAttrCase<"Forward", 2, "forward">,
    I32EnumAttrCase<"Backward", 3, "backward">, I32EnumAttrCase<"Reduce", 4, "reduce">,
    I32EnumAttrCase<"Update", 5, "update">, I32EnumAttrCase<"Report", 6, "report">]> {
  let cppNamespace = "::accel::plan";
  let genSpecializedAttr = 0;
}

def Plan_PhaseAttr : EnumAttr<Plan_Dialect, Plan_Phase, "phase"> {
  let summary = "which part of its function an instruction belongs to";
  let description = [{
    Stands as `phase` on each instruction from MarkPhases on: setting the state up (`init`); fetching data and what is done in front
    of the loop (`load`); in the loop `forward` up to the sum of losses and `backward` behind it; what ranks do together (`reduce`);
    the optimizer (`update`); numbers for the host (`report`). Traces and reports group by it.

    ```mlir
    %b = plan.buffer transient activations : memref<4xf32>
    plan.fill %b {phase = #plan.phase<load>} : memref<4xf32>
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Plan_CostAttr : AttrDef<Plan_Dialect, "Cost"> {
  let mnemonic = "cost";
  let summary = "what an instruction costs, for traces, profiles and reports";
  let description = [{
    `bytes` are read and written, what is updated twice; a workspace is not counted. `counts` are the floating-point and other
    operations, by the type (`types`) that they compute in. Of an instruction that works on a rank's part it is the cost of the whole.

    ```mlir
    %b = plan.buffer transient activations : memref<4xf32>
    plan.fill %b {cost = #plan.cost<16 bytes>} : memref<4xf32>
    ```

    Bytes are not negative, and there is a positive count for each type, each once.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$bytes, ArrayRefParameter<"::mlir::Type">:$types, ArrayRefParameter<"int64_t">:$counts);
  let hasCustomAssemblyFormat = 1;
}

def Plan_Sign : I32EnumAttr<"Sign", "the signs of infinities", [
    I32EnumAttrCase<"Negative", 1, "negative">, I32EnumAttrCase<"Positive", 2, "positive">, I32EnumAttrCase<"Both", 3, "both">]> {
  let cppNamespace = "::accel::plan";
}

def Plan_InfinityAttr : AttrDef<Plan_Dialect, "Infinity"> {
  let mnemonic = "infinity";
  let summary = "infinities that an instruction may write although nothing is wrong";
  let description = [{
    Stands in the list `infinities` of an instruction: access number `access`, from 0 in the order of its operands, may leave infinities of
    this sign because a mask has put them there, or because they follow from one. A run that searches where numbers stopped to be
    finite does not take them for a fault. Of accesses that are not listed every infinity is one. A NaN always is.

    ```mlir
    %b = plan.buffer transient activations : memref<4xf32>
    %c = plan.buffer transient activations : memref<4xf32>
    plan.copy %b to %c {infinities = [#plan.infinity<1 negative>]} : memref<4xf32>, memref<4xf32>
    ```

    The number is not negative.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$access, EnumParameter<Plan_Sign>:$sign);
  let assemblyFormat = "`<` $access $sign `>`";
}

def Plan_InfinityArrayAttr : TypedArrayAttrBase<Plan_InfinityAttr, "a list of infinities that are no fault">;

def Plan_Access : I32EnumAttr<"Access", "what an instruction does with a buffer", [
    I32EnumAttrCase<"Read", 0, "read">, I32EnumAttrCase<"Write", 1, "write">, I32EnumAttrCase<"ReadWrite", 2, "update">]> {
  let cppNamespace = "::accel::plan";
}

def Plan_AccessArrayAttr : TypedArrayAttrBase<Plan_Access, "a list of accesses">;

def Plan_DeviceKind : I32EnumAttr<"DeviceKind", "what executes code", [
    I32EnumAttrCase<"Cpu", 0, "cpu">, I32EnumAttrCase<"Cuda", 1, "cuda">]> {
  let cppNamespace = "::accel::plan";
}

def Plan_TileKind : I32EnumAttr<"TileKind", "what the tiles of a kernel are made of", [
    I32EnumAttrCase<"Elements", 0, "elements">, I32EnumAttrCase<"Rows", 1, "rows">, I32EnumAttrCase<"Columns", 2, "columns">,
    I32EnumAttrCase<"Heads", 3, "heads">]> {
  let cppNamespace = "::accel::plan";
}

def Plan_CodeAttr : AttrDef<Plan_Dialect, "Code"> {
  let mnemonic = "code";
  let summary = "the launch geometry of a kernel's code in one variant";
  let description = [{
    A target cuts the iteration domain of a kernel into `tiles`, each of `tile` elements, rows, columns or heads; the last one may
    be shorter. Threads share the tiles out, `grain` of them at a time, or 0 as they like: a kernel whose grain is all its
    tiles is one thread's work. Each thread gets `workspace` bytes of its own. `vectors` is how many vectors of 16 floats a
    register block is wide, and `packed` how many columns of a product are packed at once; `dots` is how many neighbours of the summed index
    one instruction multiplies, where there is one for operands of 16 bits. None of them changes a bit. On a GPU each tile is one warp's work, and
    blocks have so many `threads`; on a CPU there are none. What is 0 is not written.

    It stands in the dictionary `plan.code` of a kernel, under the name of the variant, from AssignGeometry on.

    ```mlir
    plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
    func.func private @k(%x: tensor<256xf32>) -> tensor<256xf32> attributes {
        plan.kernel = {kind = "flat", elements = 256 : i64, rows = 1 : i64, columns = 256 : i64},
        plan.code = {"x86-64-v3" = #plan.code<2 tiles of 128 elements, grain 2>}} {
      %y = accel.neg %x : tensor<256xf32>
      return %y : tensor<256xf32>
    }
    ```

    Tiles and their sizes are positive, the grain is 0 or `tiles`, a workspace is a multiple of 64 bytes, and threads are a multiple of a warp's 32,
    at most 1024.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$tiles, "int64_t":$tile, EnumParameter<Plan_TileKind>:$of, "int64_t":$grain, "int64_t":$workspace,
                        "int64_t":$vectors, "int64_t":$packed, "int64_t":$dots, "int64_t":$threads);
  let hasCustomAssemblyFormat = 1;
}

def Plan_FactorAttr : AttrDef<Plan_Dialect, "Factor"> {
  let mnemonic = "factor";
  let summary = "where an operand of a product lies, and what scales it";
  let description = [{
    An operand lies row by row, without gaps, `offset` elements behind the beginning of the kernel's operand of that number; `transposed`, its last
    two dimensions are swapped. The sums of floats of 8 bits are multiplied by a scale of each operand, an f32 that lies `scale_offset`
    elements behind the beginning of the kernel's operand `scale`; -1: there is none. Only the number is always written.

    ```mlir
    plan.variant @"with-library" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
    func.func private @k(%x: tensor<4x8xf8E4M3FN>, %y: tensor<16x8xf8E4M3FN>, %s: tensor<2xf32>) -> tensor<4x16xf32> attributes {
        plan.kernel = {kind = "product", elements = 64 : i64, rows = 4 : i64, columns = 16 : i64, block = 8 : i64},
        plan.code = {"with-library" = #plan.library_call<"matrices" "multiply"
            product <1 of 4x16 over 8, lhs 0, rhs 1 transposed scaled by 2 from 1>, workspace 4096>}} {
      %z = accel.matmul %x, %y {transpose_rhs} : tensor<4x8xf8E4M3FN>, tensor<16x8xf8E4M3FN> -> tensor<4x16xf32>
      %t = accel.slice %s [1] strides [1] : tensor<2xf32> -> tensor<1xf32>
      %u = accel.reshape %t : tensor<1xf32> -> tensor<f32>
      %v = accel.broadcast %u [] : tensor<f32> -> tensor<4x16xf32>
      %w = accel.mul %z, %v : tensor<4x16xf32>
      return %w : tensor<4x16xf32>
    }
    ```

    Operands and offsets are not negative.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$operand, "int64_t":$offset, "bool":$transposed, "int64_t":$scale, "int64_t":$scale_offset);
  let hasCustomAssemblyFormat = 1;
}

def Plan_Activation : I32EnumAttr<"Activation", "what becomes of the sums of a product", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Gelu", 1, "gelu">, I32EnumAttrCase<"GeluGradient", 2, "gelu_gradient">]> {
  let cppNamespace = "::accel::plan";
}

def Plan_ProductAttr : AttrDef<Plan_Dialect, "Product"> {
  let mnemonic = "product";
  let summary = "the matrix product that a library is to compute for a kernel";
  let description = [{
    `result[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n]` for `matrices` values of b, `rows` of m, `columns` of n and `depth` of k, times the
    scales of both factors (`#plan.factor`); a transposed one lies as (k, m), or (n, k). The result is the kernel's only one, row by row, rounded to its type, with its `plan.accumulate`.
    An operand that does not begin with its memory is written `lhs 0 from 512`. `tf32`: both factors are f32 and are rounded to ten bits of mantissa
    before they are multiplied. `bias 2 from 8`: a number for each column, of the result's type, which lies 8 elements behind the beginning of the kernel's
    operand 2, is added to the scaled sums before they are rounded; of the parameters -1 says that there is none. `gelu`: of that the result is GELU in its
    form by tanh; `gelu keeping 3`: what it is applied to is stored too, rounded, as operand 3, the kernel's other result. `gelu_gradient of 2 from 512`: the
    sums are multiplied by the derivative of GELU at numbers of the result's shape and type that lie in operand 2.

    ```mlir
    plan.variant @"with-library" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
    func.func private @k(%x: tensor<4x8xf32>, %y: tensor<16x8xf32>) -> tensor<4x16xf32> attributes {
        plan.kernel = {kind = "product", elements = 64 : i64, rows = 4 : i64, columns = 16 : i64, block = 8 : i64},
        plan.code = {"with-library" = #plan.library_call<"matrices" "multiply"
            product <1 of 4x16 over 8, lhs 0, rhs 1 transposed, tf32>, workspace 4096>}} {
      %z = accel.matmul %x, %y {transpose_rhs} : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
      return %z : tensor<4x16xf32>
    }
    ```

    Sizes are positive, and places are not negative. No factor of TF32 has a scale, and no product with an activation. GELU's gradient has a place and no bias.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$matrices, "int64_t":$rows, "int64_t":$columns, "int64_t":$depth,
                        "::accel::plan::FactorAttr":$lhs, "::accel::plan::FactorAttr":$rhs, "bool":$tf32, "int64_t":$bias,
                        "int64_t":$bias_offset, EnumParameter<Plan_Activation>:$activation, "int64_t":$kept, "int64_t":$kept_offset);
  let hasCustomAssemblyFormat = 1;
}

def Plan_ConvolutionDirection : I32EnumAttr<"ConvolutionDirection", "which tensor of a convolution is computed", [
    I32EnumAttrCase<"Forward", 0, "forward">, I32EnumAttrCase<"WeightGradient", 1, "weight_gradient">]> {
  let cppNamespace = "::accel::plan";
}

def Plan_StridedAttr : AttrDef<Plan_Dialect, "Strided"> {
  let mnemonic = "strided";
  let summary = "where a tensor lies in an operand of a kernel, dimension by dimension";
  let description = [{
    Element (i, j, ...) of the tensor lies `offset + i * strides[0] + j * strides[1] + ...` elements behind the beginning of the kernel's
    operand of that number. An offset of 0 is not written.

    ```mlir
    plan.variant @"with-library" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
    func.func private @k(%x: tensor<1x5x7x2xf32>, %w: tensor<3x2x2x2xf32>) -> tensor<12x3xf32> attributes {
        plan.kernel = {kind = "product", elements = 36 : i64, rows = 12 : i64, columns = 3 : i64, block = 16 : i64},
        plan.code = {"with-library" = #plan.library_call<"tensors" "convolve" convolution <forward of 1 samples at [3, 4], windows [2, 2] strides [1, 1] dilations [1, 1],
            2 channels to 3, image <0 from 14, strides [70, 14, 2, 1]>, weights <1, strides [8, 4, 2, 1]>, output <2, strides [36, 12, 3, 1]>>, workspace 4096>}} {
      %0 = accel.slice %x [0, 1, 0, 0] strides [1, 1, 1, 1] : tensor<1x5x7x2xf32> -> tensor<1x4x5x2xf32>
      %1 = accel.windows %0 axes [1, 2] sizes [2, 2] strides [1, 1] dilations [1, 1] : tensor<1x4x5x2xf32> -> tensor<1x3x4x2x2x2xf32>
      %2 = accel.transpose %1 [0, 1, 2, 4, 5, 3] : tensor<1x3x4x2x2x2xf32> -> tensor<1x3x4x2x2x2xf32>
      %3 = accel.reshape %2 : tensor<1x3x4x2x2x2xf32> -> tensor<12x8xf32>
      %4 = accel.reshape %w : tensor<3x2x2x2xf32> -> tensor<3x8xf32>
      %5 = accel.matmul %3, %4 {transpose_rhs} : tensor<12x8xf32>, tensor<3x8xf32> -> tensor<12x3xf32>
      return %5 : tensor<12x3xf32>
    }
    ```

    Operand and offset are not negative, and strides are positive.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$operand, DefaultValuedParameter<"int64_t", "0">:$offset, ArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = "`<` $operand (`from` $offset^)? `,` `strides` ` ` `[` $strides `]` `>`";
}

def Plan_ConvolutionAttr : AttrDef<Plan_Dialect, "Convolution"> {
  let mnemonic = "convolution";
  let summary = "the convolution that a library is to compute for a kernel";
  let description = [{
    `output[n, p, o] = sum over k and c of image[n, p * strides + k * dilations, c] * weights[o, k, c]` for `samples` values of n, as many p along each
    spatial dimension as `at` says, `filters` of o, `windows` of k and `channels` of c. The image has no more elements than windows reach; zeros around it lie
    in memory. A `forward` convolution computes the output, `weight_gradient` the weights' gradient `weights[o, k, c] = sum over n and p of output[n, p, o] *
    image[n, p * strides + k * dilations, c]`, where `output` is the gradient of the output. What is computed is the kernel's only result, with its `plan.accumulate`: sums are made
    in f32 and rounded to the result's type. The three tensors (`#plan.strided`) are of one type; their dimensions are in the order (n, spatial, c), (o, spatial, c) and
    (n, spatial, o). `tf32`: what is multiplied is f32 and is rounded to ten bits of mantissa before.

    ```mlir
    plan.variant @"with-library" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
    func.func private @k(%x: tensor<1x5x4xf32>, %g: tensor<3x6xf32>) -> tensor<6x12xf32> attributes {
        plan.kernel = {kind = "product", elements = 72 : i64, rows = 6 : i64, columns = 12 : i64, block = 16 : i64},
        plan.code = {"with-library" = #plan.library_call<"tensors" "convolve" convolution <weight_gradient of 1 samples at [3], windows [3] strides [1] dilations [1],
            4 channels to 6, image <0, strides [20, 4, 1]>, weights <2, strides [12, 4, 1]>, output <1, strides [18, 6, 1]>, tf32>, workspace 4096>}} {
      %0 = accel.windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<1x5x4xf32> -> tensor<1x3x4x3xf32>
      %1 = accel.transpose %0 [0, 1, 3, 2] : tensor<1x3x4x3xf32> -> tensor<1x3x3x4xf32>
      %2 = accel.reshape %1 : tensor<1x3x3x4xf32> -> tensor<3x12xf32>
      %3 = accel.matmul %g, %2 as weight_gradient {transpose_lhs} : tensor<3x6xf32>, tensor<3x12xf32> -> tensor<6x12xf32>
      return %3 : tensor<6x12xf32>
    }
    ```

    Sizes are positive; there are one to three spatial dimensions, and each list has as many numbers, those of strides two more.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins EnumParameter<Plan_ConvolutionDirection>:$direction, "int64_t":$samples, ArrayRefParameter<"int64_t">:$places,
                        ArrayRefParameter<"int64_t">:$windows, ArrayRefParameter<"int64_t">:$strides, ArrayRefParameter<"int64_t">:$dilations,
                        "int64_t":$channels, "int64_t":$filters, "::accel::plan::StridedAttr":$image, "::accel::plan::StridedAttr":$weights,
                        "::accel::plan::StridedAttr":$output, "bool":$tf32);
  let assemblyFormat = [{
    `<` $direction `of` $samples `samples` `at` ` ` `[` $places `]` `,` `windows` ` ` `[` $windows `]` `strides` ` ` `[` $strides `]`
    `dilations` ` ` `[` $dilations `]` `,` $channels `channels` `to` $filters `,` `image` $image `,` `weights` $weights `,`
    `output` $output `` custom<Tf32>($tf32) `>`
  }];
}

def Plan_LibraryCallAttr : AttrDef<Plan_Dialect, "LibraryCall"> {
  let mnemonic = "library_call";
  let summary = "the function of a library that does a kernel's work in one variant";
  let description = [{
    Calls `function` of `library` once per launch, for all of the kernel, whose body says what is computed. It gets `workspace` bytes; 0
    is not written. Where that is a product or a convolution, it may say which (`#plan.product`, `#plan.convolution`). It stands in the dictionary `plan.code` of a kernel in place of a `#plan.code`: other variants of the same kernel may
    have code.

    ```mlir
    plan.variant @"with-library" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
    func.func private @k(%x: tensor<256xf32>) -> tensor<256xf32> attributes {
        plan.kernel = {kind = "flat", elements = 256 : i64, rows = 1 : i64, columns = 256 : i64},
        plan.code = {"with-library" = #plan.library_call<"vectors" "negate", workspace 4096>}} {
      %y = accel.neg %x : tensor<256xf32>
      return %y : tensor<256xf32>
    }
    ```

    Neither name is empty, and a workspace is a multiple of 64 bytes. A call computes a product or a convolution, not both.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins StringRefParameter<"the library">:$library, StringRefParameter<"its function">:$function,
                        DefaultValuedParameter<"int64_t", "0">:$workspace,
                        OptionalParameter<"::accel::plan::ProductAttr">:$product,
                        OptionalParameter<"::accel::plan::ConvolutionAttr">:$convolution);
  let assemblyFormat = "`<` $library $function (`product` $product^)? (`convolution` $convolution^)? (`,` `workspace` $workspace^)? `>`";
  let extraClassDeclaration = [{
    /// How a launch is cut that cannot be: one tile, of one thread.
    ::accel::plan::CodeAttr getGeometry(int64_t elements) const;
  }];
}

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;
#endif
