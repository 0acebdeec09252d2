// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Precision.
#ifndef ACCEL_PASSES_PRECISION_PASSES_TD
#define ACCEL_PASSES_PRECISION_PASSES_TD
include "mlir/Pass/PassBase.td"

def InsertPrecisionCastsPass : Pass<"accel-insert-precision-casts", "mlir::ModuleOp"> {
  let summary = "decides the type of every product and of what kernels store for each other";
  let description = [{
    With `precision=f32` nothing changes. Otherwise every product, attention and embedding of `@microbatch` is a *site*, together with the
    products that are its gradients, and a site is low if no rule says otherwise: `rules` are `exclude=REGEX` or `include=REGEX`,
    matched with the names of the parameters that the site reads and of its ONNX node; the last one that matches decides, and if
    the first rule is an `include`, what no rule matches is excluded.

    A low site reads low operands. Products sum in f32; what is computed of the sums element by element, bias and activation for
    instance, is computed of the unrounded sum, and what is then stored for other kernels is rounded once. The gradients of weights stay f32. Attention computes
    in f32, and its results are low. Rows times the matrices that they choose are summed in f32 and rounded at once, as nothing joins their kernels. Everything else computes in f32: what it reads of low values is widened, which is exact.
    Rounded are (1) what low sites read, (2) the value in which the element-wise operations behind a product, an embedding or a
    norm end, (3) what the forward program keeps for its gradients, (4) what products sum, but gradients of weights, where the target stores that before anything
    is computed of it; if a library adds a bias before it stores them, behind that, and the library reads the bias low, too. Numbers for a whole row, as the statistics of a norm or the losses of
    targets, stay f32. With `residual=f32` sums of two activations, the residual stream of a transformer, stay f32 as well.

    A parameter that only low sites read gets `compute`: the step reads a low copy of it.

    With `fp8=current`, beside bf16, products of parameters read floats of 8 bits. A tensor that one of them reads is multiplied by the largest number of its
    type over its own largest magnitude, in this microbatch, and rounded; a parameter by its element of `@weight_scale`, once per step. The inverses of
    both scales multiply the sums. A site stays bf16 if it is an embedding, attention, the logits, a product of rows with the matrices that they choose or one of activations alone, if a size of one of its
    three products is no multiple of 16, if its parameter is read in bf16 elsewhere, or if a rule says so. None left is an error.

    With `fp8=delayed` a tensor is multiplied by its element of `@delayed_scale`, which is known before the step, and what undoes it is that of
    `@delayed_inverse`. The microbatch raises its element of `@delayed_amax` to the largest magnitude that it finds. ExpandUpdate makes the next
    scales of those, and of `@delayed_history`, which is there if the magnitudes of more than one step count.

    With `fp8=block` and `fp8=mx`, 128 and 32 neighbours of a product's summed index share a scale, a power of two, and what is left of them at the end
    does. A tensor that two products sum along different dimensions is cut, scaled and rounded twice, each time from the same numbers. Parameters are cut into
    squares of so many rows and columns, which serve all three products, and have a scale for each square in `@weight_scale`, row by row.

    **Requires** `@microbatch` as Differentiate leaves it.
    **Ensures** VerifyPrecision.

    ```mlir
    accel.parameter @w : tensor<8x16xf32> trainable compute bf16
    func.func @microbatch(%x: tensor<4x8xf32> {accel.name = "x"}) {
      %low = accel.cast %x : tensor<4x8xf32> -> tensor<4x8xbf16>
      %w = accel.read @w : tensor<8x16xbf16>
      %z = accel.matmul %low, %w : tensor<4x8xbf16>, tensor<8x16xbf16> -> tensor<4x16xf32>
      return
    }
    ```
  }];
  let options = [Option<"precision", "precision", "std::string", "\"f32\"", "f32, bf16 or f16: the type of products' operands">,
                 Option<"residual", "residual", "std::string", "\"\"", "f32: sums of two activations stay f32; nothing, or the type of products' operands: they are rounded as well">,
                 Option<"fp8", "fp8", "std::string", "\"\"", "The recipe by which products read floats of 8 bits, beside bf16: current, delayed, block or mx; nothing: none do">,
                 Option<"fp8Format", "fp8-format", "std::string", "\"\"", "hybrid: f8E4M3FN, gradients f8E5M2; e4m3: both f8E4M3FN; nothing: e4m3 with block and mx, else hybrid">,
                 Option<"fp8Amax", "fp8-amax", "std::string", "\"max\"", "Of delayed. max: scales are made for the largest magnitude in the history; most_recent: for that of the step before">,
                 Option<"fp8History", "fp8-history", "int64_t", "1024", "Of delayed with max: how many steps the history has">,
                 Option<"fp8Margin", "fp8-margin", "int64_t", "0", "Of delayed: scales are smaller by two to the power of it">,
                 Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">,
                 ListOption<"rules", "rules", "std::string", "Which sites are low: exclude=REGEX or include=REGEX">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def VerifyPrecisionPass : Pass<"accel-verify-precision", "mlir::ModuleOp"> {
  let summary = "verifies that every product computes in the type that was decided for it";
  let description = [{
    Where the module has `accel.precision`, every product, attention and embedding table of `@microbatch`, and of the kernels of the final
    program, either reads operands of that type, each of which is traced to the cast that rounded it, to a parameter with `compute`, to
    another low result or to what a kernel reads, or is listed as excluded (`accel.precision_reason`). Products are summed in f32. A parameter is read
    in one type. What a kernel stores in that type it has rounded, or read.

    Where the module has `accel.fp8` as well, every product reads operands of one of its types or says why it reads those of `accel.precision`, and
    the sums of those of 8 bits are multiplied by the inverses of the scales of both operands before anybody reads them. Where the recipe has blocks, the scales
    that a product reads beside its operands are those of their blocks.

    **Requires** nothing.
    **Ensures** changes nothing.
  }];
}
#endif
