// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Import.
#ifndef ACCEL_PASSES_IMPORT_PASSES_TD
#define ACCEL_PASSES_IMPORT_PASSES_TD
include "mlir/Pass/PassBase.td"

def FoldEmptyTensorsPass : Pass<"accel-fold-empty-tensors", "mlir::ModuleOp"> {
  let summary = "folds what is computed of nothing, refuses what computes nothing";
  let description = [{
    A product or a sum over no elements is 0, their maximum is the lowest number, and a concatenation is that of the operands
    which have elements. Then no operation without elements is left, or it is an error at whatever made the size 0.

    With `results`, of a program that only answers, a tensor without elements may be a result of `@forward`; what makes one is a
    constant then.

    **Requires** static shapes.
    **Ensures** every tensor in `@forward` and every parameter has at least one element.

    ```mlir
    %n = accel.slice %x [0, 4] strides [1, 1] : tensor<2x4xf32> -> tensor<2x0xf32>
    %c = accel.concat %n, %x axis 1 : tensor<2x0xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
    // becomes %x
    ```
  }];
  let options = [Option<"results", "results", "bool", "false", "Results may have no elements">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def ExpandElementTypesPass : Pass<"accel-expand-element-types", "mlir::ModuleOp"> {
  let summary = "writes arithmetic on 16-bit floats in f32, and products of doubles as sums";
  let description = [{
    Kernels compute with f32, f64, integers and booleans, move elements of 16 bits, and multiply
    matrices of all floats but f64. Other operations on elements of 16 bits, which a model's own casts make, compute in f32, and their
    results are rounded, operation by operation, as in the model; a product of doubles becomes the sum of its products.

    A program that trains is expanded twice. Before it is differentiated (`differentiable`) products and attention of 16 bits become such
    of f32, whose gradients are products of one type again, for which Precision chooses one; products of doubles stay, as their gradients are
    products. Behind that the gradients are expanded: they sum and scatter in the types of the forward program.

    **Requires** static shapes.
    **Ensures** an operation on 16-bit floats is a product with a result of f32, attention, or moves elements; no product is of f64.
    With `differentiable`: an operation on 16-bit floats moves elements.

    ```mlir
    %y = accel.exp %x : tensor<4xbf16>
    // becomes
    %w = accel.cast %x : tensor<4xbf16> -> tensor<4xf32>
    %e = accel.exp %w : tensor<4xf32>
    %y = accel.cast %e : tensor<4xf32> -> tensor<4xbf16>
    ```
  }];
  let options = [Option<"differentiable", "differentiable", "bool", "false", "The program is differentiated afterwards: keep what has gradients">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def FoldConstantsPass : Pass<"accel-fold-constants", "mlir::ModuleOp"> {
  let summary = "evaluates what does not depend on inputs or parameters";
  let description = [{
    Runs every operation whose operands are constants on the interpreter, rounding each result to its element type, and
    replaces the values that remain in use by `accel.constant`. A broadcast of a constant stays a broadcast, so that no
    constant is larger than what made it; an `accel.iota` that something else reads stays as well.

    **Requires** static shapes.
    **Ensures** no operation but `accel.iota`, `accel.broadcast` and those beyond `max-elements` has only constant operands.

    ```mlir
    %r = accel.iota 0 : tensor<2x2xi64>
    %c = accel.iota 1 : tensor<2x2xi64>
    %m = accel.compare le, %c, %r : tensor<2x2xi64> -> tensor<2x2xi1>
    // becomes
    %m = accel.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
    ```
  }];
  let options = [Option<"maxElements", "max-elements", "int64_t", "1 << 26", "Largest tensor to evaluate, in elements">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def CleanGraphPass : Pass<"accel-clean-graph", "mlir::ModuleOp"> {
  let summary = "removes what exporters leave behind: dead and repeated operations, views that cancel out";
  let description = [{
    Folds identity views, merges chains of transposes and reshapes (also a transpose of the last two dimensions that was
    done on flattened leading ones), moves transposes into the flags of matrix products where that leaves the last
    dimension contiguous, removes dead operations and common subexpressions.

    **Requires** verified IR.
    **Ensures** no operation without effect is unused.

    ```mlir
    %t = accel.transpose %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
    %y = accel.matmul %x, %t : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    // becomes
    %y = accel.matmul %x, %w {transpose_rhs} : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def SinkTransposesPass : Pass<"accel-sink-transposes", "mlir::ModuleOp"> {
  let summary = "moves transposes of channels behind what follows";
  let description = [{
    Convolutions and pools are imported with the channels last, between a transpose that brings the channels there and one that
    brings them back. The latter moves behind element-wise operations, reductions, concatenations and what makes one dimension of all places, until it meets the next
    convolution's and both disappear. Operands that no transpose makes take part if they are broadcasts or splats; so a bias, a norm,
    an activation and a residual between convolutions are computed in the order in which their products lie in memory.

    **Requires** a clean graph.
    **Ensures** values are those from before.

    ```mlir
    %t = accel.transpose %x [0, 3, 1, 2] : tensor<2x5x5x8xf32> -> tensor<2x8x5x5xf32>
    %y = accel.relu %t : tensor<2x8x5x5xf32>
    // becomes
    %r = accel.relu %x : tensor<2x5x5x8xf32>
    %z = accel.transpose %r [0, 3, 1, 2] : tensor<2x5x5x8xf32> -> tensor<2x8x5x5xf32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def RecogniseLayerNormPass : Pass<"accel-recognise-layer-norm", "mlir::ModuleOp"> {
  let summary = "replaces the arithmetic of a layer norm by accel.layer_norm";
  let description = [{
    Recognises `(x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) * scale [+ bias]` over the last dimension, with the
    square as a product or a power, and the quotient as a division, a reciprocal or `accel.rsqrt`.

    **Requires** folded constants.
    **Ensures** values are those of the arithmetic up to rounding; a remark (passed) for each layer norm.

    ```mlir
    %y, %mean, %rstd = accel.layer_norm %x, %g, %b epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def RecogniseGeluPass : Pass<"accel-recognise-gelu", "mlir::ModuleOp"> {
  let summary = "replaces the arithmetic of a GELU by accel.gelu";
  let description = [{
    Recognises `x/2 (1 + erf(x / sqrt 2))` and `x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))` in whatever order of sums,
    products and powers they were written, by comparing polynomials.

    **Requires** folded constants.
    **Ensures** values are those of the arithmetic up to rounding; a remark for each `erf` and `tanh`: passed, or missed
    if it is not part of a GELU.

    ```mlir
    %y = accel.gelu tanh, %x : tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def RecogniseBinaryCrossEntropyPass : Pass<"accel-recognise-binary-cross-entropy", "mlir::ModuleOp"> {
  let summary = "gives the binary cross entropy of probabilities PyTorch's gradient";
  let description = [{
    Recognises `(t - 1) max(log(1 - x), -100) - t max(log x, -100)`, which exporters write for `F.binary_cross_entropy`. Its own
    gradient is no number where x is 0 or 1, as a sigmoid that has become sure is, though the loss is finite there. PyTorch's
    gradient is `(x - t) / max((1 - x) x, 1e-12)`. The values are computed from `accel.stop_gradient x`; beside them lies
    `(x - accel.stop_gradient x) g`, which is zero and has the gradient g. That of the targets stays.

    **Requires** folded constants.
    **Ensures** values are those of the arithmetic; a remark for each that was recognised.

    ```mlir
    %fixed = accel.stop_gradient %x : tensor<4x3xf32>
    %zero = accel.sub %x, %fixed : tensor<4x3xf32>
    %carrier = accel.mul %zero, %gradient : tensor<4x3xf32>
    %loss = accel.add %values, %carrier : tensor<4x3xf32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def ExpandStacksPass : Pass<"accel-expand-stacks", "mlir::ModuleOp"> {
  let summary = "sums arithmetic on a stack of numbers one by one";
  let description = [{
    Losses that are stacked and weighted, `(torch.stack(losses) * weights).sum()`, become a sum of products of numbers, each of which is a
    loss of its own to what takes them apart (AttachObjective). The stack is a concatenation of at most 64 numbers; between it and the
    sum over all its elements lie reshapes and arithmetic element by element. A product with a vector, `torch.stack(losses) @ weights`, is such a
    sum, too. A mere sum of a stack stays as it is.

    **Requires** static shapes.
    **Ensures** values are those of the arithmetic, up to the order of the sum.

    ```mlir
    %stack = accel.concat %a, %b axis 0 : tensor<1xf32>, tensor<1xf32> -> tensor<2xf32>
    %weighted = accel.mul %stack, %weights : tensor<2xf32>
    %loss = accel.reduce_sum %weighted [0] : tensor<2xf32> -> tensor<f32>
    // becomes
    %x = accel.mul %first, %w0 : tensor<f32>
    %y = accel.mul %second, %w1 : tensor<f32>
    %loss = accel.add %x, %y : tensor<f32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def RecogniseAttentionPass : Pass<"accel-recognise-attention", "mlir::ModuleOp"> {
  let summary = "replaces matmul, softmax, matmul by accel.attention";
  let description = [{
    Recognises scaled dot-product attention as exporters write it: scale on either operand or on the product, masks added
    or selected, masks that allow exactly the columns j <= i + (s - t) as `causal`, whether they are constants or computed
    from positions (which are judged by their comparisons, not computed), the NaN guard of a safe softmax, dropout of the probabilities as an operation or as attribute `accel.attention_dropout` of the softmax.
    Any other mask becomes the operand `mask`. The mask of an attention that is one already is judged in the same way. A
    softmax with that attribute which is not part of an attention gets an `accel.dropout`.

    **Requires** folded constants.
    **Ensures** values are those of the arithmetic up to rounding, but for rows where -inf leaves no column, which give zeros with
    or without that guard; no `accel.attention_dropout` is left; a remark for each
    matrix product of a softmax: passed, or missed with the reason; one (passed) for each mask that became another.

    ```mlir
    %y, %lse = accel.attention %q, %k, %v scale 0.125 causal : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def GroupKeyHeadsPass : Pass<"accel-group-key-heads", "mlir::ModuleOp"> {
  let summary = "reads key heads once that exporters repeat for the query heads sharing them";
  let description = [{
    Removes from `key` and `value` of an `accel.attention` the repetition of heads (b, k, t, d) to (b, k, g, t, d), seen as
    (b, k g, t, d), if both have it with one g: the operation reads key head i for the heads i g ... i g + g - 1 itself.

    **Requires** a clean graph: a repetition is a broadcast and a reshape.
    **Ensures** values are those from before.

    ```mlir
    %r = accel.broadcast %k [0, 1, 3, 4] : tensor<2x2x8x16xf32> -> tensor<2x2x3x8x16xf32>
    %h = accel.reshape %r : tensor<2x2x3x8x16xf32> -> tensor<2x6x8x16xf32>
    %s = accel.broadcast %v [0, 1, 3, 4] : tensor<2x2x8x16xf32> -> tensor<2x2x3x8x16xf32>
    %w = accel.reshape %s : tensor<2x2x3x8x16xf32> -> tensor<2x6x8x16xf32>
    %y, %lse = accel.attention %q, %h, %w scale 0.25 causal : tensor<2x6x8x16xf32>, tensor<2x6x8x16xf32>, tensor<2x6x8x16xf32> -> tensor<2x6x8x16xf32>, tensor<2x6x8xf32>
    // becomes
    %y, %lse = accel.attention %q, %k, %v scale 0.25 causal : tensor<2x6x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32> -> tensor<2x6x8x16xf32>, tensor<2x6x8xf32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def RecogniseGroupedProductsPass : Pass<"accel-recognise-grouped-products", "mlir::ModuleOp"> {
  let summary = "multiplies rows by the matrices that they choose without a copy of these";
  let description = [{
    Replaces the product of each row with a matrix that was gathered for it by `accel.grouped_matmul`: what exporters make of a mixture of experts
    (`weight[ids]`, then a batched product with one row or one column each). Rows whose index does not exist are NaN as before, but as results instead of as matrices.

    **Requires** a clean graph.
    **Ensures** values are those from before.

    ```mlir
    %g = accel.gather %w, %i : tensor<4x16x8xf32>, tensor<12xi64> -> tensor<12x16x8xf32>
    %x = accel.reshape %r : tensor<12x8xf32> -> tensor<12x8x1xf32>
    %y = accel.matmul %g, %x : tensor<12x16x8xf32>, tensor<12x8x1xf32> -> tensor<12x16x1xf32>
    // becomes
    %p = accel.grouped_matmul %r, %w, %i {transpose_weights} : tensor<12x8xf32>, tensor<4x16x8xf32>, tensor<12xi64> -> tensor<12x16xf32>
    %y = accel.reshape %p : tensor<12x16xf32> -> tensor<12x16x1xf32>
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def NumberDropoutSitesPass : Pass<"accel-number-dropout-sites", "mlir::ModuleOp"> {
  let summary = "numbers the dropout sites from 1 in graph order";
  let description = [{
    Gives every `accel.dropout` and every `accel.attention` with dropout its site, the number that separates its random
    numbers from those of other sites. `dropout` says whether the model's probabilities hold (`model`), none (`off`: all
    sites disappear) or one probability for all sites. One with a random factor drops nothing: `dropout` does not concern it.

    **Requires** nothing.
    **Ensures** sites are 1, 2, 3 ... in program order, those with a random factor behind all others; a remark (analysis) for each.

    ```mlir
    %y = accel.dropout %x, %samples, %seed probability 0.1 site 1 : tensor<4x8xf32>, tensor<2xi64>, tensor<i64>
    ```
  }];
  let options = [Option<"dropout", "dropout", "std::string", "\"model\"", "model, off, or a probability for every site">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def AddAdaptersPass : Pass<"accel-add-adapters", "mlir::ModuleOp"> {
  let summary = "adds a low-rank pair beside the products of chosen weights";
  let description = [{
    Low-rank adaptation as PEFT does it: beside the product of x and a weight W it adds `(alpha / rank * x A^T) B^T`, two small products with A of shape
    [rank, in] and B of shape [out, rank], which become parameters. A begins uniform between -1 / sqrt(in) and that, B zero; or both with the values of a
    file. Which side of W is `in` the product tells: weights of linear layers are [out, in], those of GPT-2's Conv1D [in, out].

    `targets` is found in the name of a weight, without `.weight`. Without it every weight called so is chosen whose product reaches that of another weight: all
    linear layers but output heads, and but those that PyTorch's MultiheadAttention ends with, whose weight it reads itself (a remark, missed): PEFT would not
    apply a pair there. With `modules` these are, and no others. A weight that a module reads several times gets one pair, applied at each product.
    One that several modules share, or that something else reads, too (a table tied to the head), is refused where it is chosen: one pair is not what PEFT
    would make of it.

    **Requires** a clean graph, and no parameters with the names of adapters.
    **Ensures** no product B A is computed; the attribute `accel.adapters` of the module lists the weights; dropout has sites behind all others; a remark
    (passed) for each weight.

    ```mlir
    %y = accel.matmul %x, %w {transpose_rhs} : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
    // becomes, with rank 2 and alpha 4
    %n = accel.matmul %x, %a {transpose_rhs} : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<4x2xf32>
    %two = accel.constant dense<2.0> : tensor<4x2xf32>
    %s = accel.mul %n, %two : tensor<4x2xf32>
    %d = accel.matmul %s, %b {transpose_rhs} : tensor<4x2xf32>, tensor<16x2xf32> -> tensor<4x16xf32>
    %z = accel.add %y, %d : tensor<4x16xf32>
    ```
  }];
  let options = [Option<"rank", "rank", "int64_t", "8", "Rows of A and columns of B">,
                 Option<"alpha", "alpha", "double", "8.0", "The pair is multiplied by alpha / rank">,
                 Option<"dropout", "dropout", "double", "0.0", "Probability of what A reads">,
                 Option<"targets", "targets", "std::string", "", "Pattern of the names of modules; none: linear layers but output heads">,
                 ListOption<"modules", "modules", "std::string", "Names of modules, in place of a pattern; the pairs begin with the file's values">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def VerifyImportPass : Pass<"accel-verify-import", "mlir::ModuleOp"> {
  let summary = "verifies the module after Import";
  let description = [{
    Refuses, all at once and each at its place in the model: operations outside the dialect, dynamic shapes, operations
    that have no kernel, parameters under names that the step needs, a missing or wrong `@forward`. A remark (missed) names each softmax of a matrix product that was
    not recognised as attention.

    **Requires** nothing.
    **Ensures** changes nothing.

    ```mlir
    func.func @forward(%x: tensor<4x8xf32> {accel.name = "x"}) -> (tensor<4x8xf32> {accel.name = "y"}) {
      %y = accel.relu %x : tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```
  }];
}
#endif
