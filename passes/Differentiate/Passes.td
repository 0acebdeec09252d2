// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Differentiate.
#ifndef ACCEL_PASSES_DIFFERENTIATE_PASSES_TD
#define ACCEL_PASSES_DIFFERENTIATE_PASSES_TD
include "mlir/Pass/PassBase.td"

def AnnotateInputRangesPass : Pass<"accel-annotate-input-ranges", "mlir::ModuleOp"> {
  let summary = "says which numbers an integer input may hold";
  let description = [{
    An integer input that chooses rows of a table gets `accel.range = [0, rows - 1]`, so that the runtime can check the data
    before a kernel reads it. Elements are followed through operations that only move them and through sums with constants.
    Of several tables that the same element chooses from the smallest counts. Where the places of a dimension choose from
    different ones, as columns of categories do, each has a range of its own: `accel.ranges = [[0, 4], [0, 8], []]` along
    dimension `accel.ranges_axis`. One that is cast to floats and chooses no rows has none.

    **Requires** `@forward` as Import leaves it.
    **Ensures** adds attributes only.

    ```mlir
    accel.parameter @wte : tensor<256x8xf32> trainable
    func.func @forward(%ids: tensor<2x4xi64> {accel.name = "input_ids", accel.range = [0, 255]}) -> (tensor<2x4x8xf32> {accel.name = "y"}) {
      %t = accel.read @wte : tensor<256x8xf32>
      %y = accel.gather %t, %ids : tensor<256x8xf32>, tensor<2x4xi64> -> tensor<2x4x8xf32>
      return %y : tensor<2x4x8xf32>
    }
    ```
  }];
}

def FreezeParametersPass : Pass<"accel-freeze-parameters", "mlir::ModuleOp"> {
  let summary = "decides which parameters train";
  let description = [{
    Each of `rules` is `train=REGEX` or `freeze=REGEX`, a POSIX extended regular expression that is searched for in a
    parameter's name. The last rule that matches a name decides. A name that no rule matches does the opposite of the first
    rule: a list that begins with `freeze` says what not to train, one that begins with `train` says what to train alone.
    A frozen parameter is no longer `trainable`: it gets no gradient, no slots of the optimizer and no update.

    An ONNX file does not say what PyTorch froze. So a module whose parameters have the names of adapters (PEFT's `lora_A`,
    `lora_B`) is refused without rules: their base would be trained.

    **Requires** nothing.
    **Ensures** every rule matches a parameter, and one parameter at least trains.

    ```mlir
    // --accel-freeze-parameters=rules=train=lora_
    accel.parameter @"attn.base_layer.weight" : tensor<16x8xf32>
    accel.parameter @"attn.lora_A.weight" : tensor<2x8xf32> trainable
    ```
  }];
  let options = [ListOption<"rules", "rules", "std::string", "train=REGEX or freeze=REGEX; the last one that matches decides">];
}

def PlaceDropoutPass : Pass<"accel-place-dropout", "mlir::ModuleOp"> {
  let summary = "gives dropout its samples in front";
  let description = [{
    `accel.dropout` takes the first dimensions of its operand for samples. Where a model has put them elsewhere (positions in
    front of the batch, as PyTorch's `nn.MultiheadAttention` without `batch_first`), the operand is transposed before and back behind
    it. So what is dropped of a sample depends on the sample alone: on neither its neighbours, nor the size of the microbatch.

    **Requires** `@forward` as Import leaves it, and the module's `accel.batch`.
    **Ensures** dropout whose operand has separate samples has them in front.

    ```mlir
    // Of 6 positions of 2 samples.
    func.func @forward(%x: tensor<2x6x8xf32> {accel.name = "x"}) -> (tensor<6x2x8xf32> {accel.name = "y"}) {
      %samples = accel.input "sample_indices" : tensor<2xi64>
      %seed = accel.input "seed" : tensor<i64>
      %t = accel.transpose %x [1, 0, 2] : tensor<2x6x8xf32> -> tensor<6x2x8xf32>
      %front = accel.transpose %t [1, 0, 2] : tensor<6x2x8xf32> -> tensor<2x6x8xf32>
      %d = accel.dropout %front, %samples, %seed probability 0.1 site 1 : tensor<2x6x8xf32>, tensor<2xi64>, tensor<i64>
      %y = accel.transpose %d [1, 0, 2] : tensor<2x6x8xf32> -> tensor<6x2x8xf32>
      return %y : tensor<6x2x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def AttachObjectivePass : Pass<"accel-attach-objective", "mlir::ModuleOp"> {
  let summary = "puts the loss behind the model's outputs";
  let description = [{
    Turns `@forward` into `@microbatch`, which returns the loss of every target times the weight of its sample, their sum,
    and the weighted count of valid targets; adds the argument `labels` and attribute `accel.objective` of the module.

    | objective | output | labels | a target is |
    |---|---|---|---|
    | `causal-lm` | logits (b, t, v) | (b, t) i64 | a position with a label in [0, v) |
    | `classification` | logits (b, c) | (b) i64 | a sample with a label in [0, c) |
    | `mse` | (b, ...) | the output's type | an element |
    | `output:NAME` | NAME, (b, ...) | none | a sample: its elements are summed |
    | `loss` | a number | the model's own | what the number divides by |

    A number is taken apart into terms. A term is a sum, divided by a sum that depends on no parameter (the count of targets), by a
    number (so many targets), or by nothing (every sample is one target), of elements that belong to one sample each, times numbers
    that depend on no sample; none or all have a divisor. Numbers that depend on no sample may be added. Where terms divide by different
    counts, these are added up in states of their own, and counters are read that say how many samples the step has for each target
    (`dialects/Accel/IR/StepNames.h`); `no_evaluation` in `accel.objective` says so.
    Where the module has `accel.other_batches`, the numbers of the same loss with other batches, it tells the divisors of means, which grow with the
    samples, from factors; a number that depends on the samples in another way is an error. Without them, a number that is a multiple of the batch is taken for a divisor.
    With `loss-weight=samples` it may be any number; its mean over the microbatches is trained then.

    Microbatches have to be whole if that mean is trained, or if the samples behind the other kinds of outputs are not known to
    be separate (a mean over the batch): `whole_microbatches` in `accel.objective` says why.

    `auto` takes a number named `loss`, causal-lm if an output (b, t, v) stands beside an integer input (b, t), classification if there is an
    output (b, c). Of several candidates the one named `logits` is taken.

    **Requires** `@forward` as Import leaves it, and the module's `accel.batch`.
    **Ensures** `@microbatch` returns (float losses, `tensor<f64>`, `tensor<f64>`); other outputs are dead.

    ```mlir
    func.func private @microbatch(%x: tensor<4x8xf32> {accel.name = "x"}, %labels: tensor<4xi64> {accel.name = "labels", accel.target}) -> (tensor<4xf32>, tensor<f64>, tensor<f64>)
    ```
  }];
  let options = [
    Option<"objective", "objective", "std::string", "\"auto\"", "auto, causal-lm, classification, mse, or output:NAME">,
    Option<"lossWeight", "loss-weight", "std::string", "\"targets\"", "what a loss of the model's own is a mean over: targets, or samples">,
  ];
  let dependentDialects = ["::accel::AccelDialect"];
}

def SparsePredictionPass : Pass<"accel-sparse-prediction", "mlir::ModuleOp"> {
  let summary = "computes logits for rows with a label only";
  let description = [{
    The product that makes the logits of an `accel.softmax_cross_entropy` becomes an `accel.grouped_matmul` of one matrix that skips rows
    whose label is not a class (masked language models have labels for 15 of 100 tokens, instructions for their answers only). Such a row
    has the loss 0 and sends no gradient, so neither loss nor gradients change but for the order of sums. Between product and
    loss there may be arithmetic element by element that is finite at zero (a bias, a scale, a bound), reshapes and transposes that keep rows whole.

    **Requires** `@microbatch` as AttachObjective leaves it.
    **Ensures** no cross entropy has logits of a plain product; what cannot be had is an error (ACCEL-E0604).

    ```mlir
    func.func private @microbatch(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %labels: tensor<8xi64>) -> tensor<8xf32> {
      %zero = accel.constant dense<0> : tensor<8xi64>
      %logits = accel.grouped_matmul %x, %w, %zero {skip_others} : tensor<8x16xf32>, tensor<16x32xf32>, tensor<8xi64> -> tensor<8x32xf32>
      %loss, %lse = accel.softmax_cross_entropy %logits, %labels : tensor<8x32xf32>, tensor<8xi64> -> tensor<8xf32>, tensor<8xf32>
      return %loss : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def WeighBatchNormPass : Pass<"accel-weigh-batch-norm", "mlir::ModuleOp"> {
  let summary = "leaves padding out of the statistics of batch norms";
  let description = [{
    Gives each `accel.batch_norm` the weights of the samples, where its operand has separate samples: copies that fill a short microbatch have weight
    0 and change no statistics. Where samples are not separate, AttachObjective has asked for whole microbatches.

    With `synchronized` the statistics become those of all ranks' microbatches of an iteration, and the module says so
    (`accel.synchronized_statistics`). Where a sample has one element of a channel, the module says that a microbatch, or such an iteration, must
    have two samples (`accel.least_samples`): one element has no variance.

    **Requires** `@microbatch` as AttachObjective leaves it, and the module's `accel.batch`.
    **Ensures** batch norms whose operand has separate samples have `weights` along these.

    ```mlir
    accel.parameter @rm : tensor<8xf32> statistic
    accel.parameter @rv : tensor<8xf32> statistic
    func.func private @microbatch(%x: tensor<4x8xf32> {accel.name = "x"}, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
      %m = accel.read @rm : tensor<8xf32>
      %v = accel.read @rv : tensor<8xf32>
      %w = accel.input "sample_weights" : tensor<4xf32>
      %y, %mean, %variance = accel.batch_norm %x, %g, %b, %m, %v weights %w along 0 epsilon 1.0e-5 momentum 0.1 : tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>
      return %y : tensor<4x8xf32>
    }
    ```
  }];
  let options = [Option<"synchronized", "synchronized", "bool", "false", "statistics are those of the microbatches of all ranks together">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def ExpandBatchNormPass : Pass<"accel-expand-batch-norm", "mlir::ModuleOp"> {
  let summary = "makes primitives of batch norms";
  let description = [{
    Writes `accel.batch_norm` in primitives, which choose between statistics of the microbatch and running ones by the input `training`, and accumulates
    for each running statistic what the microbatch adds to it in a step: momentum * (1 - momentum)^k of the way from its value at the start of the step to
    the microbatch's, k being the input `microbatches_behind`. Synchronized ones add up over ranks (`accel.sum_over_ranks`) what statistics consist of, take
    `iterations_behind`, and each rank accumulates the share of its own samples.

    **Requires** gradients are built: their rule knows the operation.
    **Ensures** there is no `accel.batch_norm` any more.

    ```mlir
    accel.parameter @rm : tensor<8xf32> statistic
    func.func private @microbatch(%way: tensor<8xf32>) {
      %behind = accel.input "microbatches_behind" : tensor<f32>
      accel.accumulate @rm, %way : tensor<8xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def DifferentiateModulePass : Pass<"accel-differentiate-module", "mlir::ModuleOp"> {
  let summary = "accumulates the gradient of the loss for every trainable parameter";
  let description = [{
    Differentiates the sum of the losses of `@microbatch` times 2^-k, where 2^k is at least the number of targets of a
    microbatch, and accumulates each contribution to a parameter where it is complete; likewise the sum of losses and the
    count of targets (states `@loss_sum` and `@target_count`). `@microbatch` returns nothing any more. A parameter that does
    not influence the loss is trainable no longer: a warning names it.

    Values behind an `accel.stop_gradient` send no gradient to what is in front of it, and then are what they were computed of: there is none any more.

    With `loss-scale`, the gradient is also multiplied by state `@loss_scale`, which the pass declares: a counter if the policy
    changes it, a hyperparameter if it does not.

    **Requires** `@microbatch` as AttachObjective leaves it.
    **Ensures** `accel.gradient_exponent` of the module is k, and `accel.loss_scale` the policy, if there is one.

    ```mlir
    accel.parameter @w : tensor<16x8xf32> trainable
    accel.state @loss_sum accumulator : tensor<f64>
    func.func @microbatch(%x: tensor<16x8xf32> {accel.name = "x"}) {
      %wide = accel.cast %x : tensor<16x8xf32> -> tensor<16x8xf64>
      %loss = accel.reduce_sum %wide [0, 1] : tensor<16x8xf64> -> tensor<f64>
      accel.accumulate @w, %x : tensor<16x8xf32>
      accel.accumulate @loss_sum, %loss : tensor<f64>
      return
    }
    ```
  }];
  let options = [Option<"lossScale", "loss-scale", "std::string", "\"\"", "What the gradient is multiplied by while it is computed: torch, megatron or a number; nothing: 1">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def VerifyDifferentiatePass : Pass<"accel-verify-differentiate", "mlir::ModuleOp"> {
  let summary = "verifies the module after Differentiate";
  let description = [{
    Every trainable parameter has a gradient, only trainable parameters and accumulators are accumulated, `@microbatch`
    returns nothing, inputs are named, and the exponent covers the targets.

    **Requires** nothing.
    **Ensures** changes nothing.
  }];
}
#endif
