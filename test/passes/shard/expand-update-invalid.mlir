// RUN: accel-opt %s --accel-expand-update --split-input-file --verify-diagnostics

func.func @step(%s: tensor<f64>) {
  // expected-error@below {{expected segments with a gradient slot, got none; run accel-assign-buckets first}}
  accel.update %s kind "adamw" : tensor<f64>
  return
}

// -----

accel.state @lr hyperparameter : tensor<f64> {initial = 1.0e-3 : f64}
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @schedule hyperparameter : tensor<f64>
accel.state @m.undecayed.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "undecayed">, slot = #accel.slot<master>, group = #accel.group<undecayed>}
accel.state @m.undecayed.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "undecayed">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>}
func.func @step(%s: tensor<f64>) {
  // expected-error@below {{expected state 'step_count', which optimizer sgd with a schedule reads, got none}}
  // expected-error@below {{expected state 'skipped_steps', which}}
  // expected-error@below {{expected state 'loss_sum', which}}
  // expected-error@below {{expected state 'momentum', which}}
  // expected-error@below {{expected state 'min_lr', which}}
  // expected-error@below {{expected state 'schedule_steps', which}}
  // expected-error@below {{expected state 'decay_steps', which}}
  accel.update %s kind "sgd" : tensor<f64>
  return
}
