// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Accumulate.
#ifndef ACCEL_PASSES_ACCUMULATE_PASSES_TD
#define ACCEL_PASSES_ACCUMULATE_PASSES_TD
include "mlir/Pass/PassBase.td"

def InsertMicrobatchLoopPass : Pass<"accel-insert-microbatch-loop", "mlir::ModuleOp"> {
  let summary = "makes a step of any number of microbatches";
  let description = [{
    Turns `@microbatch` into the body of an `accel.repeat` in `@step`, of role `step`: arguments become `accel.input`s with the same
    attributes, accumulators are zero before the loop, and after it the exact mean is reported. The sums are exact whatever
    the number of microbatches: only sum and count are accumulated, and the division comes last.

    **Requires** `@microbatch` as Differentiate leaves it.
    **Ensures** metrics `loss`, `tokens` and `gradient_scale` = 2^k / targets, the factor that makes the accumulated gradient
    that of the mean loss; where the module has `@loss_scale`, also divided by it, and metric `loss_scale`. Without any valid target both sums are zero and so is the loss. `accel.global_batch` of the module says how
    many samples a step has unless a run says otherwise.

    ```mlir
    accel.state @loss_sum accumulator : tensor<f64>
    func.func @step() attributes {accel.role = #accel.role<step>} {
      %zero = accel.constant dense<0.0> : tensor<f64>
      accel.write @loss_sum, %zero : tensor<f64>
      accel.repeat {
        %x = accel.input "x" : tensor<4x8xf32>
      }
      return
    }
    ```
  }];
  let options = [Option<"globalBatch", "global-batch", "int64_t", "32", "Samples of a step, unless a run says otherwise">];
  let dependentDialects = ["::accel::AccelDialect", "::mlir::func::FuncDialect"];
}

def InsertCountingPass : Pass<"accel-insert-counting", "mlir::ModuleOp"> {
  let summary = "makes the function that counts what a step divides by";
  let description = [{
    A loss that adds means over different counts of targets needs those of the whole step, over all microbatches and ranks, before a
    microbatch computes. Where AttachObjective has declared such counts, this adds `@count`, of role `count`: a copy of the step
    that adds up samples and counts, and writes samples / count into the counters that microbatches of the step read. The step adds them
    up no more. A run calls it in front of each step, on the samples of the step. Other modules are left as they are.

    **Requires** `@step` as InsertMicrobatchLoop leaves it.
    **Ensures** `@count` changes these sums and counters alone.

    ```mlir
    accel.state @counted_samples accumulator : tensor<f64>
    accel.state @counted_0 accumulator : tensor<f64>
    accel.state @samples_per_count_0 counter : tensor<f64>
    func.func @count() attributes {accel.role = #accel.role<count>} {
      %zero = accel.constant dense<0.0> : tensor<f64>
      accel.write @counted_samples, %zero : tensor<f64>
      accel.write @counted_0, %zero : tensor<f64>
      accel.repeat {
        %mask = accel.input "mask" : tensor<4xf64>
        %sum = accel.reduce_sum %mask [0] : tensor<4xf64> -> tensor<f64>
        accel.accumulate @counted_0, %sum : tensor<f64>
      }
      %samples = accel.read @counted_samples : tensor<f64>
      %targets = accel.read @counted_0 : tensor<f64>
      %each = accel.div %samples, %targets : tensor<f64>
      accel.write @samples_per_count_0, %each : tensor<f64>
      return
    }
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect", "::mlir::func::FuncDialect"];
}

def InsertInferencePass : Pass<"accel-insert-inference", "mlir::ModuleOp"> {
  let summary = "makes the function that answers";
  let description = [{
    Replaces `@forward` by `@infer`, of role `infer`: what it takes becomes states of the kind `input`, which the host writes before
    each call, and what it returns becomes states of the kind `output`, which the host reads behind it. They say what the model calls
    them (`accel.name`), and what their values may be (`accel.range`). No parameter trains.

    **Requires** `@forward` as the frontend and Import leave it, with a name for each argument and result.
    **Ensures** no loop over microbatches, and nothing but outputs is written.

    ```mlir
    accel.parameter @w : tensor<8x8xf32>
    accel.state @input.x input : tensor<4x8xf32> {accel.name = "x"}
    accel.state @output.y output : tensor<4x8xf32> {accel.name = "y"}
    func.func @infer() attributes {accel.role = #accel.role<infer>} {
      %x = accel.read @input.x : tensor<4x8xf32>
      %w = accel.read @w : tensor<8x8xf32>
      %y = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
      accel.write @output.y, %y : tensor<4x8xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect", "::mlir::func::FuncDialect"];
}

def InsertEvaluationPass : Pass<"accel-insert-evaluation", "mlir::ModuleOp"> {
  let summary = "makes the function that measures the loss";
  let description = [{
    Adds `@evaluate`, of role `evaluate`: a copy of the step without gradients, dropout, and all that only these need. Its
    microbatches compute in the types that the step's do. A model whose microbatches have to be whole (`whole_microbatches` of
    `accel.objective`) gets none, because samples of a file could not be measured one by one, nor does one that says `no_evaluation`; a remark says so.

    **Requires** `@step` as InsertMicrobatchLoop leaves it.
    **Ensures** metrics `loss_sum` and `tokens`, the sums over all valid targets; nothing but these two accumulators is written, and no
    random number is drawn.

    ```mlir
    accel.state @loss_sum accumulator : tensor<f64>
    accel.state @target_count accumulator : tensor<f64>
    func.func @evaluate() attributes {accel.role = #accel.role<evaluate>} {
      %zero = accel.constant dense<0.0> : tensor<f64>
      accel.write @loss_sum, %zero : tensor<f64>
      accel.write @target_count, %zero : tensor<f64>
      accel.repeat {
        %x = accel.input "x" : tensor<4x8xf32>
      }
      %sum = accel.read @loss_sum : tensor<f64>
      accel.metric "loss_sum", %sum : tensor<f64>
      %count = accel.read @target_count : tensor<f64>
      accel.metric "tokens", %count : tensor<f64>
      return
    }
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect", "::mlir::func::FuncDialect"];
}

def GroupParametersPass : Pass<"accel-group-parameters", "mlir::ModuleOp"> {
  let summary = "says which parameters are updated in another way";
  let description = [{
    Gives trainable parameters `lr_factor`, `decays` and `weight_decay`, by their names. A module whose parameters all have the same rate and
    decay by their rank is left as it is.

    Each of `rules` is `REGEX:PROPERTY,...`: a POSIX extended regular expression that is searched for in a parameter's name, and behind the last
    colon `lr=0.1x`, a factor of the learning rate, or `lr=3e-5`, a rate where `lr` is the largest, and `decay=0.05`, its weight decay. Of the rules
    that match a name the last one that has a property decides that property. Rules concern what trains: a frozen parameter
    stays as it is, and a tied one has one name.

    With `layer-decay` X the rate of a parameter of layer i is multiplied by X^(last - i), as timm's `param_groups_layer_decay` does. Layers
    are found by names: of all names that are alike up to one whole number between dots the most numerous are blocks, which are
    layers 1, 2 ... in the order of their numbers. What the step first reads in front of the blocks, and between them, is layer 0; what it first reads
    behind them is the last layer. Factors of `rules` multiply these.

    With `decay` `hf` weight decay applies to what Hugging Face's Trainer decays: not to what belongs to a layer norm, nor to parameters whose names
    in small letters match `bias`, `layernorm`, `rmsnorm`, `(^|[.])norm($|[.])` or `_norm($|[.])`, but to all others. With `rank` it applies to tensors
    of rank 2 and more.

    **Requires** `@step` as InsertMicrobatchLoop leaves it.
    **Ensures** every rule matches a parameter that trains.

    ```mlir
    // --accel-group-parameters=rules="{^embed:lr=0.1x,decay=0}"
    accel.parameter @embed.weight : tensor<16x8xf32> trainable {lr_factor = 1.0e-1 : f64, weight_decay = 0.0 : f64}
    accel.parameter @head.weight : tensor<16x8xf32> trainable
    ```
  }];
  let options = [
    ListOption<"rules", "rules", "std::string", "REGEX:lr=X,decay=X; the last one that matches decides">,
    Option<"lr", "lr", "double", "1e-3", "Largest learning rate">,
    Option<"layerDecay", "layer-decay", "double", "1.0", "Factor of the learning rate from layer to layer, from the last one down">,
    Option<"decay", "decay", "std::string", "\"rank\"", "rank or hf: what decays">,
  ];
  let statistics = [Statistic<"grouped", "grouped", "Parameters that are updated in another way">];
}

def InsertUpdatePass : Pass<"accel-insert-update", "mlir::ModuleOp"> {
  let summary = "ends the step with an optimizer update";
  let description = [{
    Declares the hyperparameters that `optimizer` and all schedules read, with their values, and the counters they keep, and
    puts one `accel.update` at the end of `@step`. The kind of schedule (`@schedule`) and the largest norm of the gradient
    (`@clip_norm`, 0: none) are hyperparameters like the others, so that a run can choose them. Those of other
    optimizers are not declared: setting one at run time is an error instead of a change without effect. Where `accel.loss_scale` of
    the module names a policy under which the scale changes, its numbers and counters are declared as well. With `ema` it declares `@ema`,
    with which the optimizer averages parameters.

    **Requires** `@step` as InsertMicrobatchLoop leaves it.
    **Ensures** one `accel.update`, which reads `gradient_scale`.

    ```mlir
    accel.state @lr hyperparameter : tensor<f64> {initial = 1.0e-3 : f64}
    func.func @step() attributes {accel.role = #accel.role<step>} {
      %scale = accel.constant dense<0.25> : tensor<f64>
      accel.update %scale kind "adamw" : tensor<f64>
      return
    }
    ```
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "::accel::kDefaultOptimizer.str()", "A name of the table of optimizers">,
    Option<"schedule", "schedule", "std::string", "\"constant\"", "constant, linear, cosine or wsd">,
    Option<"lr", "lr", "double", "1e-3", "Largest learning rate">,
    Option<"minLr", "min-lr", "double", "0.0", "Learning rate at the end of the schedule">,
    ListOption<"numbers", "numbers", "std::string", "NAME=VALUE: hyperparameters that the optimizer reads besides those below; it has a value for each">,
    Option<"weightDecay", "weight-decay", "double", "0.01", "Weight decay of the decayed group">,
    Option<"clipNorm", "clip-norm", "double", "0.0", "Largest global gradient norm; 0 for no clipping">,
    Option<"warmupSteps", "warmup-steps", "double", "0.0", "Steps of linear warm-up">,
    Option<"decaySteps", "decay-steps", "double", "0.0", "Steps of the final decay (wsd)">,
    Option<"ema", "ema", "double", "0.0", "Share of the old value in an average of each parameter; 0: no averages">,
    Option<"skipsNonFinite", "skips-nonfinite", "bool", "false", "A run goes on after steps that are not finite: `accel.skips_nonfinite` of the module">,
    Option<"scheduleSteps", "schedule-steps", "double", "0.0", "Step at which the schedule ends; 0: set by the runtime">,
  ];
  let dependentDialects = ["::accel::AccelDialect"];
}

def InsertInitPass : Pass<"accel-insert-init", "mlir::ModuleOp"> {
  let summary = "makes the function that sets up all state";
  let description = [{
    Adds `@init`, of role `initialize`, which writes every parameter whose value is a number or random, and every state. Values that came with the
    model are not written: the plan loads them.

    **Requires** parameters with `initial`.
    **Ensures** every parameter without a file and every state is written once.

    ```mlir
    accel.parameter @"layers.0.weight" : tensor<16x8xf32> trainable
    func.func @init() attributes {accel.role = #accel.role<initialize>} {
      %seed = accel.input "seed" : tensor<i64>
      %w = accel.random_normal %seed mean 0.0 deviation 0.02 site 7 : tensor<i64> -> tensor<16x8xf32>
      accel.write @"layers.0.weight", %w : tensor<16x8xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect", "::mlir::func::FuncDialect"];
}

def ResolveTrainingPass : Pass<"accel-resolve-training", "mlir::ModuleOp"> {
  let summary = "decides what depends on whether a function trains";
  let description = [{
    The input `training` is true in the function of role `step` and false in all others. What chooses by it is replaced by what it chooses: a step
    normalises with the statistics of its microbatches, an evaluation with the running ones.

    **Requires** all functions of the program that are made of the microbatch.
    **Ensures** no function reads the input `training`.

    ```mlir
    accel.parameter @rm : tensor<8xf32> statistic
    accel.state @loss_sum accumulator : tensor<f64>
    func.func @evaluate() attributes {accel.role = #accel.role<evaluate>} {
      accel.repeat {
        %running = accel.read @rm : tensor<8xf32>
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def VerifyAccumulatePass : Pass<"accel-verify-accumulate", "mlir::ModuleOp"> {
  let summary = "verifies the module after Accumulate";
  let description = [{
    `@step` has one loop, in which every input is read and every gradient accumulated, and one update behind it; accumulators
    are written before the loop; metrics `loss` and `tokens` are reported; `@init` writes every state. `@evaluate`, if there is one,
    changes the sums of losses and targets alone, reports both, and draws no random numbers.

    **Requires** nothing.
    **Ensures** changes nothing.
  }];
}
#endif
