// RUN: accel-opt --run=f --run-steps=6 --split-input-file %s | FileCheck %s

// accel.update gives what PyTorch's optimizers give in double after six steps on sum(c w^2) / 2; only @w decays.

// torch.optim.AdamW at a constant rate
// CHECK: metric "grad_norm" = 1.892557981
// CHECK: metric "lr" = 0.1
// CHECK: parameter @w: tensor<2x3xf64> = [ [0.372731, 0.147122, -0.314903], [0.967117, 1.2405, -1.15259] ]
// CHECK: parameter @b: tensor<3xf64> = [-0.103523, 1.26726, 0.391066]
// CHECK: state @step_count: tensor<f64> = 6
// CHECK: state @beta1_power: tensor<f64> = 0.531441
accel.parameter @w : tensor<2x3xf64> trainable {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}
accel.parameter @b : tensor<3xf64> trainable {accel.value = dense<[0.389, 0.717, 0.932]> : tensor<3xf64>}
accel.state @lr hyperparameter : tensor<f64> {initial = 0.1 : f64}
accel.state @weight_decay hyperparameter : tensor<f64> {initial = 0.2 : f64}
accel.state @warmup_steps hyperparameter : tensor<f64> {initial = 2.0 : f64}
accel.state @beta1 hyperparameter : tensor<f64> {initial = 0.9 : f64}
accel.state @beta2 hyperparameter : tensor<f64> {initial = 0.95 : f64}
accel.state @eps hyperparameter : tensor<f64> {initial = 1.0e-8 : f64}
accel.state @step_count counter : tensor<f64>
accel.state @beta1_power counter : tensor<f64> {initial = 1.0 : f64}
accel.state @beta2_power counter : tensor<f64> {initial = 1.0 : f64}
func.func @f() {
  %cw = accel.constant dense<[[0.783, 0.974, 0.427], [-0.443, -0.978, -0.773]]> : tensor<2x3xf64>
  %w = accel.read @w : tensor<2x3xf64>
  %gw = accel.mul %w, %cw : tensor<2x3xf64>
  accel.accumulate @w, %gw : tensor<2x3xf64>
  %cb = accel.constant dense<[0.808, -0.952, 0.312]> : tensor<3xf64>
  %b = accel.read @b : tensor<3xf64>
  %gb = accel.mul %b, %cb : tensor<3xf64>
  accel.accumulate @b, %gb : tensor<3xf64>
  %scale = accel.constant dense<1.0> : tensor<f64>
  accel.update %scale kind "adamw" : tensor<f64>
  return
}

// -----

// torch.optim.AdamW and clip_grad_norm_, cosine after a warm-up
// CHECK: metric "grad_norm" = 1.826807569
// CHECK: metric "lr" = 0.02318019485
// CHECK: parameter @w: tensor<2x3xf64> = [ [0.517557, 0.0999778, -0.457442], [0.855964, 1.13582, -1.04569] ]
// CHECK: parameter @b: tensor<3xf64> = [-0.000107299, 1.13248, 0.52276]
// CHECK: state @step_count: tensor<f64> = 6
// CHECK: state @beta1_power: tensor<f64> = 0.531441
accel.parameter @w : tensor<2x3xf64> trainable {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}
accel.parameter @b : tensor<3xf64> trainable {accel.value = dense<[0.389, 0.717, 0.932]> : tensor<3xf64>}
accel.state @schedule hyperparameter : tensor<f64> {initial = 2.0 : f64}
accel.state @lr hyperparameter : tensor<f64> {initial = 0.1 : f64}
accel.state @weight_decay hyperparameter : tensor<f64> {initial = 0.2 : f64}
accel.state @warmup_steps hyperparameter : tensor<f64> {initial = 2.0 : f64}
accel.state @beta1 hyperparameter : tensor<f64> {initial = 0.9 : f64}
accel.state @beta2 hyperparameter : tensor<f64> {initial = 0.95 : f64}
accel.state @eps hyperparameter : tensor<f64> {initial = 1.0e-8 : f64}
accel.state @clip_norm hyperparameter : tensor<f64> {initial = 0.5 : f64}
accel.state @min_lr hyperparameter : tensor<f64> {initial = 0.01 : f64}
accel.state @schedule_steps hyperparameter : tensor<f64> {initial = 6.0 : f64}
accel.state @step_count counter : tensor<f64>
accel.state @beta1_power counter : tensor<f64> {initial = 1.0 : f64}
accel.state @beta2_power counter : tensor<f64> {initial = 1.0 : f64}
func.func @f() {
  %cw = accel.constant dense<[[0.783, 0.974, 0.427], [-0.443, -0.978, -0.773]]> : tensor<2x3xf64>
  %w = accel.read @w : tensor<2x3xf64>
  %gw = accel.mul %w, %cw : tensor<2x3xf64>
  accel.accumulate @w, %gw : tensor<2x3xf64>
  %cb = accel.constant dense<[0.808, -0.952, 0.312]> : tensor<3xf64>
  %b = accel.read @b : tensor<3xf64>
  %gb = accel.mul %b, %cb : tensor<3xf64>
  accel.accumulate @b, %gb : tensor<3xf64>
  %scale = accel.constant dense<1.0> : tensor<f64>
  accel.update %scale kind "adamw" : tensor<f64>
  return
}

// -----

// torch.optim.AdamW and clip_grad_norm_, warm-up, stable, decay
// CHECK: metric "grad_norm" = 1.858587189
// CHECK: metric "lr" = 0.04
// CHECK: parameter @w: tensor<2x3xf64> = [ [0.469884, 0.121308, -0.41053], [0.893623, 1.17099, -1.08168] ]
// CHECK: parameter @b: tensor<3xf64> = [-0.0354531, 1.17761, 0.479809]
// CHECK: state @step_count: tensor<f64> = 6
// CHECK: state @beta1_power: tensor<f64> = 0.531441
accel.parameter @w : tensor<2x3xf64> trainable {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}
accel.parameter @b : tensor<3xf64> trainable {accel.value = dense<[0.389, 0.717, 0.932]> : tensor<3xf64>}
accel.state @schedule hyperparameter : tensor<f64> {initial = 3.0 : f64}
accel.state @lr hyperparameter : tensor<f64> {initial = 0.1 : f64}
accel.state @weight_decay hyperparameter : tensor<f64> {initial = 0.2 : f64}
accel.state @warmup_steps hyperparameter : tensor<f64> {initial = 2.0 : f64}
accel.state @beta1 hyperparameter : tensor<f64> {initial = 0.9 : f64}
accel.state @beta2 hyperparameter : tensor<f64> {initial = 0.95 : f64}
accel.state @eps hyperparameter : tensor<f64> {initial = 1.0e-8 : f64}
accel.state @clip_norm hyperparameter : tensor<f64> {initial = 0.5 : f64}
accel.state @min_lr hyperparameter : tensor<f64> {initial = 0.01 : f64}
accel.state @schedule_steps hyperparameter : tensor<f64> {initial = 6.0 : f64}
accel.state @decay_steps hyperparameter : tensor<f64> {initial = 3.0 : f64}
accel.state @step_count counter : tensor<f64>
accel.state @beta1_power counter : tensor<f64> {initial = 1.0 : f64}
accel.state @beta2_power counter : tensor<f64> {initial = 1.0 : f64}
func.func @f() {
  %cw = accel.constant dense<[[0.783, 0.974, 0.427], [-0.443, -0.978, -0.773]]> : tensor<2x3xf64>
  %w = accel.read @w : tensor<2x3xf64>
  %gw = accel.mul %w, %cw : tensor<2x3xf64>
  accel.accumulate @w, %gw : tensor<2x3xf64>
  %cb = accel.constant dense<[0.808, -0.952, 0.312]> : tensor<3xf64>
  %b = accel.read @b : tensor<3xf64>
  %gb = accel.mul %b, %cb : tensor<3xf64>
  accel.accumulate @b, %gb : tensor<3xf64>
  %scale = accel.constant dense<1.0> : tensor<f64>
  accel.update %scale kind "adamw" : tensor<f64>
  return
}

// -----

// torch.optim.SGD with momentum and clip_grad_norm_, linear after a warm-up
// CHECK: metric "grad_norm" = 1.533473176
// CHECK: metric "lr" = 0.0325
// CHECK: parameter @w: tensor<2x3xf64> = [ [0.581008, -0.137103, -0.632566], [0.466265, 0.894509, -0.73607] ]
// CHECK: parameter @b: tensor<3xf64> = [0.292002, 0.955127, 0.839074]
// CHECK: state @step_count: tensor<f64> = 6
accel.parameter @w : tensor<2x3xf64> trainable {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}
accel.parameter @b : tensor<3xf64> trainable {accel.value = dense<[0.389, 0.717, 0.932]> : tensor<3xf64>}
accel.state @schedule hyperparameter : tensor<f64> {initial = 1.0 : f64}
accel.state @lr hyperparameter : tensor<f64> {initial = 0.1 : f64}
accel.state @weight_decay hyperparameter : tensor<f64> {initial = 0.2 : f64}
accel.state @warmup_steps hyperparameter : tensor<f64> {initial = 2.0 : f64}
accel.state @momentum hyperparameter : tensor<f64> {initial = 0.8 : f64}
accel.state @clip_norm hyperparameter : tensor<f64> {initial = 0.5 : f64}
accel.state @min_lr hyperparameter : tensor<f64> {initial = 0.01 : f64}
accel.state @schedule_steps hyperparameter : tensor<f64> {initial = 6.0 : f64}
accel.state @step_count counter : tensor<f64>
func.func @f() {
  %cw = accel.constant dense<[[0.783, 0.974, 0.427], [-0.443, -0.978, -0.773]]> : tensor<2x3xf64>
  %w = accel.read @w : tensor<2x3xf64>
  %gw = accel.mul %w, %cw : tensor<2x3xf64>
  accel.accumulate @w, %gw : tensor<2x3xf64>
  %cb = accel.constant dense<[0.808, -0.952, 0.312]> : tensor<3xf64>
  %b = accel.read @b : tensor<3xf64>
  %gb = accel.mul %b, %cb : tensor<3xf64>
  accel.accumulate @b, %gb : tensor<3xf64>
  %scale = accel.constant dense<1.0> : tensor<f64>
  accel.update %scale kind "sgd" : tensor<f64>
  return
}

// -----

// Lion as an implementation of the paper on PyTorch's tensors gives it, at a constant rate
// CHECK: metric "grad_norm" = 1.887470798
// CHECK: metric "lr" = 0.1
// CHECK: parameter @w: tensor<2x3xf64> = [ [0.36213, 0.100502, -0.303068], [0.967664, 1.23971, -1.15201] ]
// CHECK: parameter @b: tensor<3xf64> = [-0.161, 1.267, 0.382]
// CHECK: state @step_count: tensor<f64> = 6
accel.parameter @w : tensor<2x3xf64> trainable {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}
accel.parameter @b : tensor<3xf64> trainable {accel.value = dense<[0.389, 0.717, 0.932]> : tensor<3xf64>}
accel.state @lr hyperparameter : tensor<f64> {initial = 0.1 : f64}
accel.state @weight_decay hyperparameter : tensor<f64> {initial = 0.2 : f64}
accel.state @warmup_steps hyperparameter : tensor<f64> {initial = 2.0 : f64}
accel.state @beta1 hyperparameter : tensor<f64> {initial = 0.9 : f64}
accel.state @beta2 hyperparameter : tensor<f64> {initial = 0.99 : f64}
accel.state @step_count counter : tensor<f64>
func.func @f() {
  %cw = accel.constant dense<[[0.783, 0.974, 0.427], [-0.443, -0.978, -0.773]]> : tensor<2x3xf64>
  %w = accel.read @w : tensor<2x3xf64>
  %gw = accel.mul %w, %cw : tensor<2x3xf64>
  accel.accumulate @w, %gw : tensor<2x3xf64>
  %cb = accel.constant dense<[0.808, -0.952, 0.312]> : tensor<3xf64>
  %b = accel.read @b : tensor<3xf64>
  %gb = accel.mul %b, %cb : tensor<3xf64>
  accel.accumulate @b, %gb : tensor<3xf64>
  %scale = accel.constant dense<1.0> : tensor<f64>
  accel.update %scale kind "lion" : tensor<f64>
  return
}

// -----

// AdamW with 8-bit moments as an implementation of the paper on PyTorch's tensors gives it: one block for each parameter here
// CHECK: metric "grad_norm" = 1.889769983
// CHECK: metric "lr" = 0.1
// CHECK: parameter @w: tensor<2x3xf64> = [ [0.373838, 0.137029, -0.316238], [0.972452, 1.23626, -1.15429] ]
// CHECK: parameter @b: tensor<3xf64> = [-0.105107, 1.26302, 0.392576]
// CHECK: state @step_count: tensor<f64> = 6
accel.parameter @w : tensor<2x3xf64> trainable {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}
accel.parameter @b : tensor<3xf64> trainable {accel.value = dense<[0.389, 0.717, 0.932]> : tensor<3xf64>}
accel.state @lr hyperparameter : tensor<f64> {initial = 0.1 : f64}
accel.state @weight_decay hyperparameter : tensor<f64> {initial = 0.2 : f64}
accel.state @warmup_steps hyperparameter : tensor<f64> {initial = 2.0 : f64}
accel.state @beta1 hyperparameter : tensor<f64> {initial = 0.9 : f64}
accel.state @beta2 hyperparameter : tensor<f64> {initial = 0.95 : f64}
accel.state @eps hyperparameter : tensor<f64> {initial = 1.0e-8 : f64}
accel.state @step_count counter : tensor<f64>
accel.state @beta1_power counter : tensor<f64> {initial = 1.0 : f64}
accel.state @beta2_power counter : tensor<f64> {initial = 1.0 : f64}
func.func @f() {
  %cw = accel.constant dense<[[0.783, 0.974, 0.427], [-0.443, -0.978, -0.773]]> : tensor<2x3xf64>
  %w = accel.read @w : tensor<2x3xf64>
  %gw = accel.mul %w, %cw : tensor<2x3xf64>
  accel.accumulate @w, %gw : tensor<2x3xf64>
  %cb = accel.constant dense<[0.808, -0.952, 0.312]> : tensor<3xf64>
  %b = accel.read @b : tensor<3xf64>
  %gb = accel.mul %b, %cb : tensor<3xf64>
  accel.accumulate @b, %gb : tensor<3xf64>
  %scale = accel.constant dense<1.0> : tensor<f64>
  accel.update %scale kind "adamw8" : tensor<f64>
  return
}

// -----

// A statistic moves by what is accumulated for it: six times half of the way to 1.
// CHECK: parameter @s: tensor<2xf32> = [0.984375, 1.03125]
accel.parameter @w : tensor<2xf32> trainable {accel.value = dense<[0.5, 0.25]> : tensor<2xf32>}
accel.parameter @s : tensor<2xf32> statistic {accel.value = dense<[0.0, 3.0]> : tensor<2xf32>}
accel.state @lr hyperparameter : tensor<f64> {initial = 0.1 : f64}
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
func.func @f() {
  %w = accel.read @w : tensor<2xf32>
  accel.accumulate @w, %w : tensor<2xf32>
  %s = accel.read @s : tensor<2xf32>
  %one = accel.constant dense<1.0> : tensor<2xf32>
  %way = accel.sub %one, %s : tensor<2xf32>
  %half = accel.constant dense<0.5> : tensor<2xf32>
  %share = accel.mul %way, %half : tensor<2xf32>
  accel.accumulate @s, %share : tensor<2xf32>
  %scale = accel.constant dense<1.0> : tensor<f64>
  accel.update %scale kind "sgd" : tensor<f64>
  return
}

// -----

// torch.optim.AdamW with param_groups: @w at half the rate and without decay, @b at three times the rate and with a decay of its own
// CHECK: metric "lr" = 0.1
// CHECK: parameter @w: tensor<2x3xf64> = [ [0.718344, 0.00371288, -0.652485], [0.76941, 1.0735, -0.975501] ]
// CHECK: parameter @b: tensor<3xf64> = [-0.11034, 1.84816, -0.426405]
accel.parameter @w : tensor<2x3xf64> trainable {lr_factor = 0.5 : f64, decays = false, accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}
accel.parameter @b : tensor<3xf64> trainable {lr_factor = 3.0 : f64, weight_decay = 0.25 : f64, accel.value = dense<[0.389, 0.717, 0.932]> : tensor<3xf64>}
accel.state @lr hyperparameter : tensor<f64> {initial = 0.1 : f64}
accel.state @weight_decay hyperparameter : tensor<f64> {initial = 0.2 : f64}
accel.state @warmup_steps hyperparameter : tensor<f64> {initial = 2.0 : f64}
accel.state @ema hyperparameter : tensor<f64> {initial = 0.5 : f64}
accel.state @beta1 hyperparameter : tensor<f64> {initial = 0.9 : f64}
accel.state @beta2 hyperparameter : tensor<f64> {initial = 0.95 : f64}
accel.state @eps hyperparameter : tensor<f64> {initial = 1.0e-8 : f64}
accel.state @step_count counter : tensor<f64>
accel.state @beta1_power counter : tensor<f64> {initial = 1.0 : f64}
accel.state @beta2_power counter : tensor<f64> {initial = 1.0 : f64}
func.func @f() {
  %cw = accel.constant dense<[[0.783, 0.974, 0.427], [-0.443, -0.978, -0.773]]> : tensor<2x3xf64>
  %w = accel.read @w : tensor<2x3xf64>
  %gw = accel.mul %w, %cw : tensor<2x3xf64>
  accel.accumulate @w, %gw : tensor<2x3xf64>
  %cb = accel.constant dense<[0.808, -0.952, 0.312]> : tensor<3xf64>
  %b = accel.read @b : tensor<3xf64>
  %gb = accel.mul %b, %cb : tensor<3xf64>
  accel.accumulate @b, %gb : tensor<3xf64>
  %scale = accel.constant dense<1.0> : tensor<f64>
  accel.update %scale kind "adamw" : tensor<f64>
  return
}
