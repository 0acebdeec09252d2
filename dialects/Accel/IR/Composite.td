// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composites of the `accel` dialect: operations worth a kernel of their own, each with a decomposition.
#ifndef ACCEL_DIALECTS_ACCEL_IR_COMPOSITE_TD
#define ACCEL_DIALECTS_ACCEL_IR_COMPOSITE_TD
include "dialects/Accel/IR/Shape.td"
include "dialects/Accel/IR/AccelEnums.td"

def Accel_LayerNormOp : Accel_FusedOp<"layer_norm", "Composite"> {
  let summary = "normalises the last dimension";
  let description = [{
    `mean` and `rstd = 1 / sqrt(variance + epsilon)`, of the biased variance, are taken over the last dimension (size c) of `operand`;
    `result = (operand - mean) * rstd * scale + bias`. `scale` and `bias` have shape (c); `bias` may be absent. `mean` and
    `rstd` have the operand's shape without the last dimension.

    ```mlir
    %y, %mean, %rstd = accel.layer_norm %x, %g, %b epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
    ```

    **Constraints**
    - (C1) `scale` and `bias` have shape (c), `mean` and `rstd` the operand's shape without the last dimension; the
      element types agree.
    - (C2) `epsilon` is not negative.

    Only `result` is differentiable; its gradient uses `mean` and `rstd`. Lowers to primitives in Fuse (ExpandComposites).
  }];
  let arguments = (ins Accel_FloatTensor:$operand, Accel_FloatTensor:$scale, Optional<Accel_FloatTensor>:$bias, F64Attr:$epsilon);
  let results = (outs Accel_FloatTensor:$result, Accel_FloatTensor:$mean, Accel_FloatTensor:$rstd);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Value":$scale, "::mlir::Value":$bias, "double":$epsilon)>];
  let assemblyFormat = "$operand `,` $scale (`,` $bias^)? `epsilon` $epsilon attr-dict `:` type($operand) `,` type($scale) (`,` type($bias)^)? `->` type($result) `,` type($mean) `,` type($rstd)";
  let hasVerifier = 1;
}

def Accel_BatchNormOp : Accel_FusedOp<"batch_norm", "Composite", [AllTypesMatch<["operand", "result"]>,
    AllTypesMatch<["scale", "bias", "running_mean", "running_variance", "mean", "variance"]>]> {
  let summary = "normalises each channel over the samples of a microbatch";
  let description = [{
    Channels (c of them) lie along dimension 1 of `operand`. `mean` and `variance`, the biased one, of a channel are taken over all other dimensions, over
    those elements whose `weights` are not 0: index i of dimension `along` has element i of `weights`, which is 1 or 0. Without `weights` all
    count. With `synchronized` the microbatches that all ranks compute in an iteration are taken together.
    `result = (operand - mean) / sqrt(variance + epsilon) * scale + bias`, and `result = bias` where fewer than two elements count, which have no variance.

    In a function that does not train, `result` uses `running_mean` and `running_variance` instead. A step moves these, of each
    microbatch (or of all ranks' microbatches of an iteration) in the order of the samples, by `momentum` of the way to `mean` and to the unbiased variance.

    ```mlir
    %y, %m, %v = accel.batch_norm %x, %g, %b, %rm, %rv along 0 epsilon 1.0e-5 momentum 0.1 : tensor<4x8xf32>, tensor<8xf32>
    ```

    **Constraints**
    - (C1) `operand` has rank 2 or more; all vectors of channels have shape (c); `weights` has the size of dimension `along`, which is not 1; the element
      types agree.
    - (C2) `epsilon` is not negative, and `momentum` lies in [0, 1].

    Only `result` is differentiable; its gradient uses `mean` and `variance`. Becomes primitives in Differentiate (ExpandBatchNorm).
  }];
  let arguments = (ins Accel_FloatTensor:$operand, Accel_FloatTensor:$scale, Accel_FloatTensor:$bias, Accel_FloatTensor:$running_mean,
                   Accel_FloatTensor:$running_variance, Optional<Accel_FloatTensor>:$weights, I64Attr:$along, F64Attr:$epsilon, F64Attr:$momentum,
                   UnitAttr:$synchronized);
  let results = (outs Accel_FloatTensor:$result, Accel_FloatTensor:$mean, Accel_FloatTensor:$variance);
  let assemblyFormat = "$operand `,` $scale `,` $bias `,` $running_mean `,` $running_variance (`weights` $weights^)? `along` $along `epsilon` $epsilon `momentum` $momentum (`synchronized` $synchronized^)? attr-dict `:` type($operand) `,` type($scale) (`,` type($weights)^)?";
  let hasVerifier = 1;
}

def Accel_SoftmaxOp : Accel_FusedOp<"softmax", "Composite", [SameOperandsAndResultType]> {
  let summary = "softmax over the last dimension";
  let description = [{
    `result = exp(operand - max) / sum(exp(operand - max))` along the last dimension.

    ```mlir
    %y = accel.softmax %x : tensor<4x8xf32>
    ```

    **Constraints**
    - (C1) `operand` has rank 1 or more.

    Lowers to primitives in Fuse (ExpandComposites).
  }];
  let arguments = (ins Accel_FloatTensor:$operand);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Accel_SoftmaxCrossEntropyOp : Accel_FusedOp<"softmax_cross_entropy", "Composite"> {
  let summary = "cross entropy of logits against class labels";
  let description = [{
    For every row i of `logits` (shape (n, v)): `lse[i] = ln sum exp(logits[i, :])` and, if `labels[i]` is in [0, v),
    `losses[i] = lse[i] - logits[i, labels[i]]`; for any other label (the ignored ones, -100) `losses[i] = 0`.

    ```mlir
    %loss, %lse = accel.softmax_cross_entropy %x, %l : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>, tensor<4xf32>
    ```

    **Constraints**
    - (C1) `logits` has rank 2; `labels`, `losses` and `lse` have shape (n); the element types of floats agree.

    Only `losses` is differentiable. Lowers to primitives in Fuse (ExpandComposites).
  }];
  let arguments = (ins Accel_FloatTensor:$logits, Accel_IndexTensor:$labels);
  let results = (outs Accel_FloatTensor:$losses, Accel_FloatTensor:$lse);
  let builders = [OpBuilder<(ins "::mlir::Value":$logits, "::mlir::Value":$labels)>];
  let assemblyFormat = "$logits `,` $labels attr-dict `:` type($logits) `,` type($labels) `->` type($losses) `,` type($lse)";
  let hasVerifier = 1;
}

def Accel_DropoutOp : Accel_FusedOp<"dropout", "Composite", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "drops elements at random and scales the others";
  let description = [{
    `result = keep ? operand / (1 - probability) : 0`. Element e (row-major within its sample) of sample s is kept if word
    `e mod 4` of Philox4x32-10 with key (fold(seed), site) and counter (e / 4, s), taken as an unsigned 32-bit integer, is at
    least `round(probability * 2^32)`. `samples` holds the global sample index of every sample; the first dimension of
    `operand` is a multiple of its size: sample i owns an equal, consecutive part. Recomputed in backward, never stored.
    `site_offset`, if present, is added to `site`, modulo 2^32: kernels of different sites are the same code then.
    With `factor` nothing is dropped: `result = operand * f`, where f is random with mean 1, so that 1 takes its place where
    nothing is random. `uniform`: f = 2 u, u = floor(word / 2^8) * 2^-24 in [0, 1), of the word above. `normal`: f = 1 + z, z made by
    Box and Muller's method from words a = 2 floor((e mod 4) / 2) and a + 1 of the block: z = sqrt(-2 ln u1) cos(2 pi u2) for even
    e, with sin for odd ones; u1 = (word a + 1) * 2^-32, u2 = word (a + 1) * 2^-32.

    ```mlir
    %y = accel.dropout %x, %samples, %seed probability 0.1 site 3 : tensor<4x8xf32>, tensor<2xi64>, tensor<i64>
    %z = accel.dropout %x, %samples, %seed probability 0.1 site 0 plus %offset : tensor<4x8xf32>, tensor<2xi64>, tensor<i64>
    %n = accel.dropout %x, %samples, %seed probability 0.0 factor normal site 4 : tensor<4x8xf32>, tensor<2xi64>, tensor<i64>
    ```

    **Constraints**
    - (C1) `samples` has rank 1, `seed` rank 0; the elements of `operand` divide evenly among the samples.
    - (C2) `probability` lies in [0, 1).
    - (C3) with `factor`, `probability` is 0.

    Linear in `operand`: its gradient is itself. Lowers to Philox arithmetic inside fused kernels.
  }];
  let arguments = (ins Accel_FloatTensor:$operand, RankedTensorOf<[I64]>:$samples, RankedTensorOf<[I64]>:$seed, F64Attr:$probability, I64Attr:$site, Optional<Accel_SiteOffset>:$site_offset, OptionalAttr<Accel_RandomFactor>:$factor);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$operand `,` $samples `,` $seed `probability` $probability (`factor` $factor^)? `site` $site (`plus` $site_offset^)? attr-dict `:` type($operand) `,` type($samples) `,` type($seed)";
  let hasVerifier = 1;
}

def Accel_RandomNormalOp : Accel_FusedOp<"random_normal", "Source"> {
  let summary = "normally distributed initial values";
  let description = [{
    Element e is `mean + deviation * z`, where z is made by Box and Muller's method from words of Philox4x32-10 with key
    (fold(seed), site) and counter (e / 2, 0): u1 = (word 2(e mod 2) + 1) * 2^-32, u2 = word (2(e mod 2) + 1) * 2^-32,
    z = sqrt(-2 ln u1) cos(2 pi u2). `site_offset`, if present, is added to `site`, modulo 2^32.

    ```mlir
    %w = accel.random_normal %seed mean 0.0 deviation 0.02 site 7 : tensor<i64> -> tensor<4x8xf32>
    ```

    **Constraints**
    - (C1) `deviation` is not negative; `seed` has rank 0.

    Used by `init` only. Lowers to a fused kernel.
  }];
  let arguments = (ins RankedTensorOf<[I64]>:$seed, F64Attr:$mean, F64Attr:$deviation, I64Attr:$site, Optional<Accel_SiteOffset>:$site_offset);
  let results = (outs Accel_FloatTensor:$result);
  let assemblyFormat = "$seed `mean` $mean `deviation` $deviation `site` $site (`plus` $site_offset^)? attr-dict `:` type($seed) `->` type($result)";
  let hasVerifier = 1;
}

def Accel_AttentionOp : Accel_FusedOp<"attention", "Composite", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<CostOpInterface>]> {
  let summary = "scaled dot-product attention";
  let description = [{
    With `query` of shape (b, h, t, d), `key` and `value` of shape (b, k, s, d) and (b, k, s, e), k dividing h (grouped
    queries: head i reads key head i / (h / k)):
    scores = `scale` * query key^T, or `softcap` * tanh(scores / `softcap`) of them if `softcap` is not 0; plus `bias`, plus `mask`
    (additive, float) or restricted to true elements of `mask` (i1), and with
    `causal` restricted to columns j <= i + (s - t). `lse` (b, h, t) is the logarithm of the sum of exponentials of a row's
    scores; `result` (b, h, t, e) = dropout(softmax(scores)) value. A row without any allowed column gives zeros and lse = -inf.
    `mask` has shape (b or 1, h or 1, t or 1, s), `bias` (1, h or 1, t or 1, s): it is the same for all samples. Dropout, if `probability` > 0, keeps the probability of row i and column j of
    head m of sample x if word (j / 16) mod 4 of Philox4x32-10 with key (fold(seed), site) and counter
    (16 ((m t + i) ceil(s / 64) + j / 64) + j mod 16, x) is at least `round(probability * 2^32)`, x being the element of
    `samples` (size b) for the batch; `site_offset`, if present, is added to `site`, as on `accel.dropout`. (The four words of a
    counter lie 16 columns apart, so that lanes along rows or along columns need no shuffle.)

    ```mlir
    %y, %lse = accel.attention %q, %k, %v scale 0.125 causal : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>
    ```

    **Constraints**
    - (C1) the shapes agree as given above; a float tensor has the element type of `query`, but where that has 16 bits, `lse`,
      `bias` and a float `mask` are f32, in which everything between operands and results is computed then.
    - (C2) `samples` and `seed` are present exactly if `probability` is positive; `probability` lies in [0, 1), `site` is 0
      and `site_offset` absent without dropout.
    - (C3) `softcap` is 0 or a positive number.

    Only `result` is differentiable: with respect to `query`, `key`, `value` and `bias` by `accel.attention_grad`, to a float
    `mask` that is not constant by primitives. Lowers to a kernel of its own kind, which never holds more than a tile of the
    scores per thread.
  }];
  let arguments = (ins Accel_FloatTensor:$query, Accel_FloatTensor:$key, Accel_FloatTensor:$value, Optional<Accel_Tensor>:$mask, Optional<Accel_FloatTensor>:$bias,
                   Optional<RankedTensorOf<[I64]>>:$samples, Optional<RankedTensorOf<[I64]>>:$seed, Optional<Accel_SiteOffset>:$site_offset,
                   F64Attr:$scale, DefaultValuedAttr<F64Attr, "0.0">:$softcap, UnitAttr:$causal, DefaultValuedAttr<F64Attr, "0.0">:$probability, DefaultValuedAttr<I64Attr, "0">:$site);
  let results = (outs Accel_FloatTensor:$result, Accel_FloatTensor:$lse);
  let builders = [OpBuilder<(ins "::mlir::Value":$query, "::mlir::Value":$key, "::mlir::Value":$value, "::mlir::Value":$mask,
                              "::mlir::Value":$samples, "::mlir::Value":$seed, "double":$scale, "bool":$causal,
                              "double":$probability, "int64_t":$site)>];
  let assemblyFormat = "$query `,` $key `,` $value (`mask` $mask^ `:` type($mask))? (`bias` $bias^ `:` type($bias))? (`dropout` $samples^ `,` $seed `probability` $probability `site` $site `:` type($samples) `,` type($seed))? (`plus` $site_offset^)? `scale` $scale (`softcap` $softcap^)? (`causal` $causal^)? attr-dict `:` type($query) `,` type($key) `,` type($value) `->` type($result) `,` type($lse)";
  let hasVerifier = 1;
}

def Accel_AttentionGradOp : Accel_FusedOp<"attention_grad", "Composite", [AttrSizedOperandSegments, AllTypesMatch<["query", "query_gradient"]>,
      AllTypesMatch<["key", "key_gradient"]>, AllTypesMatch<["value", "value_gradient"]>, AllTypesMatch<["result", "result_gradient"]>, DeclareOpInterfaceMethods<CostOpInterface>]> {
  let summary = "gradient of attention";
  let description = [{
    The gradients of `accel.attention`'s `query`, `key` and `value`, given its operands, its results `result` and `lse`, and
    the gradient of `result`. Probabilities are recomputed as exp(scores - lse). Attributes as on `accel.attention`.
    `bias_gradient`, if it is asked for, is the gradient of the scores behind `softcap`, summed over the samples in their order: of shape (1, h, t, s), whatever
    `bias` repeats.

    ```mlir
    %dq, %dk, %dv = accel.attention_grad %dy, %q, %k, %v, %y, %lse scale 0.125 causal : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>
    ```

    **Constraints**
    - (C1) as for `accel.attention`; `result_gradient` and `result` have one type, and every gradient that of its operand;
      `bias_gradient` has shape (1, h, t, s) and the element type of `bias`, without which it is absent.
    - (C2) as for `accel.attention`.
    - (C3) as for `accel.attention`.

    Not differentiable. Lowers to a kernel of its own kind, as `accel.attention` does.
  }];
  let arguments = (ins Accel_FloatTensor:$result_gradient, Accel_FloatTensor:$query, Accel_FloatTensor:$key, Accel_FloatTensor:$value,
                   Accel_FloatTensor:$result, Accel_FloatTensor:$lse, Optional<Accel_Tensor>:$mask, Optional<Accel_FloatTensor>:$bias,
                   Optional<RankedTensorOf<[I64]>>:$samples, Optional<RankedTensorOf<[I64]>>:$seed, Optional<Accel_SiteOffset>:$site_offset,
                   F64Attr:$scale, DefaultValuedAttr<F64Attr, "0.0">:$softcap, UnitAttr:$causal, DefaultValuedAttr<F64Attr, "0.0">:$probability, DefaultValuedAttr<I64Attr, "0">:$site);
  let results = (outs Accel_FloatTensor:$query_gradient, Accel_FloatTensor:$key_gradient, Accel_FloatTensor:$value_gradient, Optional<Accel_FloatTensor>:$bias_gradient);
  let assemblyFormat = "$result_gradient `,` $query `,` $key `,` $value `,` $result `,` $lse (`mask` $mask^ `:` type($mask))? (`bias` $bias^ `:` type($bias))? (`dropout` $samples^ `,` $seed `probability` $probability `site` $site `:` type($samples) `,` type($seed))? (`plus` $site_offset^)? `scale` $scale (`softcap` $softcap^)? (`causal` $causal^)? attr-dict `:` type($query) `,` type($key) `,` type($value) `,` type($result) `,` type($lse) (`->` type($bias_gradient)^)?";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}
#endif
