// RUN: accel-opt %s --accel-insert-update | FileCheck %s
// RUN: accel-opt %s --accel-insert-update='optimizer=sgd schedule=wsd numbers=momentum=0.8 clip-norm=2 decay-steps=10 skips-nonfinite' | FileCheck %s --check-prefix=SGD
// RUN: accel-opt %s --accel-insert-update='ema=0.875' | FileCheck %s --check-prefix=EMA
// RUN: accel-opt %s --accel-insert-update='optimizer=lion numbers=beta1=0.8' | FileCheck %s --check-prefix=LION

// The module names the optimizer: the plan's manifest reads it there.
// CHECK: module attributes {{{.*}}accel.optimizer = "adamw"
// SGD: module attributes {{{.*}}accel.optimizer = "sgd"{{.*}}accel.skips_nonfinite
// A run halts after a step that is not finite unless the module says otherwise.
// CHECK-NOT: accel.skips_nonfinite
// LION: module attributes {{{.*}}accel.optimizer = "lion"

// AdamW: its own numbers and none of the other optimizer; those of all schedules, and a bound of the norm that is none.
// CHECK-DAG: accel.state @lr hyperparameter : tensor<f64> {initial = 1.000000e-03 : f64}
// CHECK-DAG: accel.state @weight_decay hyperparameter : tensor<f64> {initial = 1.000000e-02 : f64}
// What a run may set each of them to, and which schedules read it, stands beside it.
// CHECK-DAG: accel.state @warmup_steps hyperparameter : tensor<f64> {accel.meaning = {integer}, initial
// CHECK-DAG: accel.state @beta1
// CHECK-DAG: accel.state @beta2
// CHECK-DAG: accel.state @eps
// CHECK-DAG: accel.state @step_count counter : tensor<f64> {initial = 0.000000e+00 : f64}
// CHECK-DAG: accel.state @skipped_steps counter : tensor<f64> {initial = 0.000000e+00 : f64}
// CHECK-DAG: accel.state @beta1_power counter : tensor<f64> {initial = 1.000000e+00 : f64}
// CHECK-DAG: accel.state @beta2_power
// CHECK-DAG: accel.state @schedule hyperparameter : tensor<f64> {accel.meaning = {choices = ["constant", "linear", "cosine", "wsd"], integer}, initial = 0.000000e+00 : f64}
// CHECK-DAG: accel.state @clip_norm hyperparameter : tensor<f64> {initial = 0.000000e+00 : f64
// CHECK-DAG: accel.state @min_lr hyperparameter : tensor<f64> {accel.meaning = {read_by = ["linear", "cosine", "wsd"]},
// CHECK-DAG: accel.state @schedule_steps hyperparameter : tensor<f64> {accel.meaning = {defaults_to_steps, integer, read_by = ["linear", "cosine", "wsd"]},
// CHECK-DAG: accel.state @decay_steps hyperparameter : tensor<f64> {accel.meaning = {integer, read_by = ["wsd"]},
// CHECK-NOT: accel.state @momentum
// CHECK: %[[SCALE:.+]] = accel.constant
// CHECK: accel.update %[[SCALE]] kind "adamw" :
// CHECK-NEXT: return

// CHECK-NOT: @ema
// EMA: accel.state @ema hyperparameter : tensor<f64> {initial = 8.750000e-01 : f64}

// SGD-DAG: accel.state @momentum hyperparameter : tensor<f64> {initial = 8.000000e-01 : f64}
// SGD-DAG: accel.state @schedule hyperparameter : tensor<f64> {accel.meaning = {{{.*}}}, initial = 3.000000e+00 : f64
// SGD-DAG: accel.state @clip_norm hyperparameter : tensor<f64> {initial = 2.000000e+00 : f64
// SGD-DAG: accel.state @min_lr
// SGD-DAG: accel.state @schedule_steps
// SGD-DAG: accel.state @decay_steps hyperparameter : tensor<f64> {accel.meaning = {{{.*}}}, initial = 1.000000e+01 : f64
// SGD-NOT: beta
// SGD: accel.update %{{.+}} kind "sgd" :

// Lion: what is not given is as its paper has it, and not as AdamW has it; no powers of its factors.
// LION-DAG: accel.state @beta1 hyperparameter : tensor<f64> {initial = 8.000000e-01 : f64}
// LION-DAG: accel.state @beta2 hyperparameter : tensor<f64> {initial = 0.98999999999999999 : f64}
// LION-DAG: accel.state @step_count
// LION-NOT: @eps
// LION-NOT: _power
// LION: accel.update %{{.+}} kind "lion" :
func.func @step() attributes {accel.role = #accel.role<step>} {
  %scale = accel.constant dense<0.5> : tensor<f64>
  accel.metric "gradient_scale", %scale : tensor<f64>
  return
}
