// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Fuse: from tensors to kernels and buffers.
#ifndef ACCEL_PASSES_FUSE_PASSES_TD
#define ACCEL_PASSES_FUSE_PASSES_TD
include "mlir/Pass/PassBase.td"

def ExpandCompositesPass : Pass<"accel-expand-composites", "::mlir::ModuleOp"> {
  let summary = "rewrites composites into primitives";
  let description = [{
    Layer norm, softmax, cross entropy, GELU and its gradient become primitives; pads become concatenations with zeros, and concatenations of more than 128 parts ones of concatenations; sums over middle
    dimensions are brought to the end, and large sums into one number become sums of rows. Sums of windows that a product makes become products of windows,
    those computed element by element arithmetic on slices, others sums of pads; reductions over the elements of windows become arithmetic on one slice for each element. A GELU, or its gradient, that the target computes with a product
    (`Target::getActivation`) stays what it is.

    Requires: static shapes.
    Ensures: no operation has the fusion kind Composite, except dropout, which is an element-wise operation of kernels, and
    attention and its gradient, which are kernels of their own.
  }];
  let options = [Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def NarrowConvolutionsPass : Pass<"accel-narrow-convolutions", "::mlir::ModuleOp"> {
  let summary = "rounds images in front of their windows, and gradients of weights";
  let description = [{
    A product of 16 bits reads windows of an image that was rounded, not windows that are: then they are a view of what lies in memory. The image is rounded in
    front of the zeros around it. Where the target stores what convolutions sum in the type of what they read (`Target::roundsConvolutions`), as cuDNN does, what
    is f32 of it until here, the gradients of weights, is rounded to 16 bits.

    Requires: that products read what InsertPrecisionCasts decided. Ensures: what products read stays; where the target wants it, gradients of weights of convolutions are rounded.

    ```mlir
    %low = accel.cast %x : tensor<1x5x2xf32> -> tensor<1x5x2xbf16>
    %w = accel.windows %low axes [1] sizes [3] strides [1] dilations [1] : tensor<1x5x2xbf16> -> tensor<1x3x2x3xbf16>
    %t = accel.transpose %w [0, 1, 3, 2] : tensor<1x3x2x3xbf16> -> tensor<1x3x3x2xbf16>
    %m = accel.reshape %t : tensor<1x3x3x2xbf16> -> tensor<3x6xbf16>
    %y = accel.matmul %m, %k {transpose_rhs} : tensor<3x6xbf16>, tensor<4x6xbf16> -> tensor<3x4xf32>
    ```
  }];
  let options = [Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def PadProductsPass : Pass<"accel-pad-products", "::mlir::ModuleOp"> {
  let summary = "pads products whose rows have a slow length";
  let description = [{
    A product of which an operand or the result has rows that are no multiple of what the target likes is computed of operands with zeros
    behind: columns and rows of zeros add nothing to sums, and what they make of the result is cut off. GPUs multiply tensors of 16 bits several times as
    fast where every row begins at a multiple of 16 bytes, and vocabularies have odd lengths. Products share the padded tensors.

    Requires: that products read what InsertPrecisionCasts decided. Ensures: the same values, but for the order of a library's sums.

    ```mlir
    %p = accel.pad %w [0, 0] strides [1, 1] : tensor<50257x64xbf16> -> tensor<50264x64xbf16>
    %l = accel.matmul %x, %p {transpose_rhs} : tensor<8x64xbf16>, tensor<50264x64xbf16> -> tensor<8x50264xbf16>
    %logits = accel.slice %l [0, 0] strides [1, 1] : tensor<8x50264xbf16> -> tensor<8x50257xbf16>
    ```
  }];
  let options = [Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def HoistPadsPass : Pass<"accel-hoist-pads", "::mlir::ModuleOp"> {
  let summary = "computes rows with their padding instead of padding them";
  let description = [{
    What is computed element by element of parts of longer rows, and padded to the length of those again, is computed of the longer rows, with
    zeros chosen behind. So the gradient of logits is written as the padded product wants to read it: no kernel copies it, and where padded rows
    are aligned threads take several elements at a time. Only short pads are hoisted, an eighth at most, and only where nobody else reads what
    is padded.

    Requires: nothing. Ensures: the same values.

    ```mlir
    %y = accel.exp %wide : tensor<8x50264xf32>
    %column = accel.iota 1 : tensor<8x50264xi64>
    %end = accel.constant dense<50257> : tensor<8x50264xi64>
    %isThere = accel.compare lt, %column, %end : tensor<8x50264xi64> -> tensor<8x50264xi1>
    %zero = accel.constant dense<0.000000e+00> : tensor<8x50264xf32>
    %padded = accel.select %isThere, %y, %zero : tensor<8x50264xi1>, tensor<8x50264xf32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def LayOutProductsPass : Pass<"accel-lay-out-products", "::mlir::ModuleOp"> {
  let summary = "gives products operands whose summed index comes last";
  let description = [{
    Where the target multiplies no other operands, an operand whose summed index is not the last one gets a transposed copy, which is what the product
    reads. GPUs before the generation 100 multiply floats of 8 bits only so. Products share copies: that of a weight serves the forward product or the
    gradient of its input, those of activations and gradients serve gradients of weights.

    Requires: that products read what InsertPrecisionCasts decided. Ensures: the same values, but for the order of a library's sums.

    ```mlir
    %t = accel.transpose %w [1, 0] stored : tensor<32x64xf8E4M3FN> -> tensor<64x32xf8E4M3FN>
    %y = accel.matmul %x, %t {transpose_rhs} : tensor<16x32xf8E4M3FN>, tensor<64x32xf8E4M3FN> -> tensor<16x64xf32>
    ```
  }];
  let options = [Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def SplitProductsPass : Pass<"accel-split-products", "::mlir::ModuleOp"> {
  let summary = "cuts the summed index of products with small results";
  let description = [{
    A product of two tensors of long columns, as the gradient of a weight is, becomes the products of parts of their rows and the sum of these, if the target
    wants that: where the result has few tiles, threads share the parts. It is the program that is cut, so all variants of its code add in the same order.

    Requires: ExpandComposites. Ensures: values change only by the order of sums.

    ```mlir
    %a = accel.reshape %x : tensor<8192x64xf32> -> tensor<8x1024x64xf32>
    %b = accel.reshape %g : tensor<8192x64xf32> -> tensor<8x1024x64xf32>
    %parts = accel.matmul %a, %b {transpose_lhs} : tensor<8x1024x64xf32>, tensor<8x1024x64xf32> -> tensor<8x64x64xf32>
    %product = accel.reduce_sum %parts [0] : tensor<8x64x64xf32> -> tensor<64x64xf32>
    ```
  }];
  let options = [Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def RecomputeActivationsPass : Pass<"accel-recompute-activations", "::mlir::ModuleOp"> {
  let summary = "computes again in backward what costs little to compute";
  let description = [{
    A value that forward computes element by element, of values that backward reads anyway, of parameters, or of a number for each row, is computed
    again in front of its first reader in backward, unless the target says that it is too small for that. So no memory holds it in between: of a GELU only the operand
    is kept, of a norm the operand and two numbers a row, of a convolution with its batch norm and activation what the convolution makes.

    Operations that backward computes of forward's values alone get `accel.recomputed`: OutlineKernels puts none of them into a kernel of forward.

    Requires: ExpandComposites. Ensures: values stay.

    ```mlir
    %again = accel.tanh %x {accel.recomputed} : tensor<1024x768xf32>
    ```
  }];
  let options = [Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">,
                 Option<"bytes", "bytes", "int64_t", "0", "From how many bytes on values are computed again; 0: the target says it">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def SplitSumsPass : Pass<"accel-split-sums", "::mlir::ModuleOp"> {
  let summary = "cuts sums over many rows into parts";
  let description = [{
    A sum over rows that is longer than the target likes becomes the sums of parts of it and their sum, as often as that is needed. Parts are
    equal, so a number of rows without divisors stays whole. Part p takes in rows p, p + parts and so on: the parts of a row-major tensor
    lie side by side, and their sums are column sums of one kernel. It is the program that is cut, so all variants of its code add in
    the same order.

    Requires: ExpandComposites. Ensures: values change only by the order of sums.

    ```mlir
    %parts = accel.reshape %x : tensor<1024x64xf32> -> tensor<64x1024xf32>
    %sums = accel.reduce_sum %parts [0] : tensor<64x1024xf32> -> tensor<1024xf32>
    %rows = accel.reshape %sums : tensor<1024xf32> -> tensor<16x64xf32>
    %sum = accel.reduce_sum %rows [0] : tensor<16x64xf32> -> tensor<64xf32>
    ```
  }];
  let options = [Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def HoistSitesPass : Pass<"accel-hoist-sites", "::mlir::ModuleOp"> {
  let summary = "makes the site of a random operation an operand";
  let description = [{
    The site of every `accel.dropout` and `accel.random_normal` becomes the value of a constant that the operation reads, one
    constant per site and function, and its attribute zero. What differs between the layers of a model is data then, and
    their kernels are one.

    Requires: nothing. Ensures: no random operation has a site other than 0; values do not change.

    ```mlir
    %site = accel.constant dense<7> : tensor<i64>
    %w = accel.random_normal %seed mean 0.0 deviation 0.02 site 0 plus %site : tensor<i64> -> tensor<16x8xf32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def LayOutAttentionPass : Pass<"accel-lay-out-attention", "::mlir::ModuleOp"> {
  let summary = "lets attention write its results in the order in which they are used";
  let description = [{
    Where a result of `accel.attention` or `accel.attention_grad` is transposed (heads behind tokens, as a projection wants
    them), everybody else reads it through the transposed value: the transpose is the result's only user, and the kernel
    writes it instead of the result.

    Requires: nothing. Ensures: a result of attention that has a transpose that keeps its last dimension has no other user.

    ```mlir
    %y, %lse = accel.attention %q, %k, %v scale 0.25 causal : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>
    %t = accel.transpose %y [0, 2, 1, 3] : tensor<2x4x8x16xf32> -> tensor<2x8x4x16xf32>
    %again = accel.transpose %t [0, 2, 1, 3] : tensor<2x8x4x16xf32> -> tensor<2x4x8x16xf32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def OutlineKernelsPass : Pass<"accel-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "groups operations into kernels";
  let description = [{
    Every operation that is neither a view nor an access to a symbol becomes part of a kernel: a private function with the
    attribute `plan.kernel` that says in `accel` operations what the kernel computes, called where the operations were. Equal kernels become one function. Values keep their meaning: the module can still be interpreted.

    A kernel has one of these shapes (`plan.kernel = {kind, ...}`):
    - `flat`: element-wise over `elements`, cut anywhere;
    - `rows`: `rows` rows of `columns` elements, with sums and maxima over rows; cut between rows. One without those may return
      what it computes in transposed order as well;
    - `columns`: sums over `rows` for each of `columns`; cut between columns, so that no sum depends on the cut;
    - `concat`: rows whose parts come from different operands;
    - `attention`: attention or its gradient, cut between heads and, forward, blocks of rows;
    - `product`: products of matrices of f32 (`matrices` of them if operands have leading dimensions), cut between matrices
      and between their blocks of columns or of rows, and element-wise operations on them that would otherwise read them
      from memory; `block` elements of each sum are added in one go.

    A kernel that reads one part of a value, which lies in one piece and begins at a multiple of 16 bytes, has the part as its
    operand. What is split in 16 parts or more that lie apart only because of the views in front is copied.

    The target says which of the operations that one loop could serve may be one kernel. Where an operation is not computed in the
    kernel of one that it reads, a remark says why.

    An operation moves behind a product only if nobody of the kernel that it leaves reads its result, or if the result is in
    memory anyway: what a kernel of row sums has in registers stays there.

    Requires: ExpandComposites.
    Ensures: outside kernels there are only calls, views of their operands, constants and accesses to symbols.
  }];
  let options = [Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">];
  let dependentDialects = ["::accel::AccelDialect", "::mlir::func::FuncDialect"];
}

def StoreGradientsPass : Pass<"accel-store-gradients", "::mlir::ModuleOp"> {
  let summary = "lets gradients begin with what the first kernel stores";
  let description = [{
    A step begins with gradients of zero. Instead of clearing them, the kernel that contributes first to a parameter's gradient
    stores its result in the first microbatch and adds it in later ones: it gets the state `accumulating` (false, true, true, ...)
    as a last argument, and `plan.accumulate` of its result is that argument's number. Where a rank holds its part of a
    gradient only, the state says whether what arrives is the first; PlaceReductions does the rest.

    A segment whose gradient begins so gets `plan.stored`. One with a parameter to which no kernel contributes does not.

    Requires: OutlineKernels.
    Ensures: of the kernels that contribute to a parameter of a segment with `plan.stored`, the first does not add in the first
    microbatch, and all others always add.

    ```mlir
    func.func private @bias_gradient(%dy: tensor<32x8xf32>, %accumulating: tensor<i1>) -> (tensor<8xf32> {plan.accumulate = 1 : i64}) attributes {
        plan.kernel = {kind = "columns", elements = 256 : i64, rows = 32 : i64, columns = 8 : i64}} {
      %sum = accel.reduce_sum %dy [0] : tensor<32x8xf32> -> tensor<8xf32>
      return %sum : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def AssignBuffersPass : Pass<"accel-assign-buffers", "::mlir::ModuleOp"> {
  let summary = "turns values into buffers of the plan";
  let description = [{
    `init` and `step` become sequences of `plan` instructions over buffers: one persistent buffer per state and segment
    slot (one that no function uses has its buffer in `init`: the host sets or reads it), views of those for parameters and gradients, double-buffered io buffers for inputs, and a transient buffer for
    every other value. Results that are written to a symbol or accumulated are produced in place. A result of a kernel that reads
    an operand element by element, or row by row, and that nobody reads afterwards, takes that operand's buffer: the gradient of
    a loss lies where the logits lay.

    Slots that are cut over ranks (`dist.held`): what reads and writes them runs over the rank's own elements. Of a slot held
    in part, parameters are read from a transient copy of the whole and microbatches add to a transient gradient of the whole,
    both with the slot's name, and `init` computes the whole and keeps the part. The `dist.all_gather` and `dist.reduce_scatter`
    of the loop, which say what fills and sums them, stay: Schedule places them, by bucket. For the latter there is a kernel
    with `plan.adds_reduced` for each type of segment, which adds a rank's part of the sum to what it holds.

    Gradients are cleared at the start of a step: of a segment with `plan.stored` only what lies between its parameters, and that
    once, in `init`.

    Requires: OutlineKernels, and StoreGradients where slots are held in part.
    Ensures: no tensor is left outside kernels; every state has a persistent buffer.
  }];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def AssignGeometryPass : Pass<"accel-assign-geometry", "::mlir::ModuleOp"> {
  let summary = "says how each kernel is cut in each variant of code";
  let description = [{
    Declares the code variants of the target as `plan.variant`s and gives every kernel `plan.code`: for each variant into how many
    tiles of what its iteration domain is cut, how many of them a thread takes at a time, and how much workspace it needs. Launches
    of kernels that need a workspace get their part of one that all share. With `tf32`, calls of products of f32 may round operands to TF32.

    Requires: AssignBuffers.
    Ensures: every kernel has `plan.code` for every variant, and every launch names all memory that it touches.

    ```mlir
    func.func private @k(%x: tensor<256xf32>) -> tensor<256xf32> attributes {
        plan.kernel = {kind = "flat", elements = 256 : i64, rows = 1 : i64, columns = 256 : i64}} {
      %y = accel.neg %x : tensor<256xf32>
      return %y : tensor<256xf32>
    }
    ```
  }];
  let options = [Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">,
                 Option<"tf32", "tf32", "bool", "false", "Products of f32 may round their operands to TF32, where the target can">];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def VerifyFusePass : Pass<"accel-verify-fuse", "::mlir::ModuleOp"> {
  let summary = "checks what Fuse promises";
  let description = [{
    Every launch's kernel exists, has the buffers' shapes, and does with each buffer what the launch says: reads arguments, stores results or
    adds them to what is there. Its results lie apart. What code of each variant touches is cut over ranks as the
    launch is, its workspace is large enough, no tensor is left outside kernels, and no transient
    buffer is read before it is written. What a step before, or, in transient ones, a microbatch before has left in gradients is
    neither read nor added to, and no contribution of this one is overwritten. Every state has a persistent buffer in some function,
    which holds all of it, or a rank's part where `dist.held` says so, and every output of a program that answers is written. What `init` has cleared in gradients no kernel
    writes: it stays zero.

    Requires: AssignGeometry. Changes nothing.
  }];
}
#endif
