// What a whole GPT looks like from the frontend to Shard: embeddings, two blocks, a tied head. The file is also the input
// of numerical tests.
// RUN: accel-opt %s --accel-import --accel-differentiate --accel-accumulate='clip-norm=1' --accel-shard | FileCheck %s

// Import: attention, GELU and layer norms as one operation each, weights in the orientation of the file.
// CHECK: accel.objective = {kind = "causal-lm", output = "logits", tokens = "input_ids"}
// Shard: one bucket per block, the tied embedding before them.
// CHECK: accel.parameter @wte.weight {{.*}}segment = @before.decayed.master
// CHECK: accel.parameter @h.0.attn.weight {{.*}}offset = 0 : i64, segment = @block0.decayed.master
// CHECK: accel.parameter @h.1.attn.weight {{.*}}offset = 0 : i64, segment = @block1.decayed.master
// CHECK: accel.parameter @ln_f.bias {{.*}}segment = @after.undecayed.master
// CHECK-LABEL: func @init
// CHECK-COUNT-10: accel.random_normal
// CHECK-LABEL: func @step
// CHECK: accel.repeat {
// CHECK-NEXT: accel.input "input_ids" {accel.range = [0, 63]}
// CHECK-NEXT: accel.input "labels" {accel.ignore = -100 : i64, accel.range = [0, 63], accel.target}
// CHECK-COUNT-2: causal
// CHECK: accel.softmax_cross_entropy
// CHECK-COUNT-1: accel.accumulate @wte.weight
// CHECK-COUNT-2: accel.attention_grad
// CHECK: accel.accumulate @wte.weight
// CHECK: accel.accumulate @loss_sum
// CHECK: accel.metric "grad_norm"
// CHECK: accel.write @before.decayed.master
// CHECK: accel.write @block0.decayed.master
// CHECK: accel.write @block0.undecayed.master
// CHECK: accel.write @block1.decayed.master
// CHECK: accel.write @after.undecayed.master
// CHECK: return
module @tiny attributes {accel.model = {name = "tiny"}, accel.batch = 2 : i64} {
  accel.parameter @"wte.weight" : tensor<64x32xf32> trainable {initial = {kind = "normal", mean = 0.0 : f64, deviation = 0.02 : f64, site = 101 : i64}}
  accel.parameter @"wpe.weight" : tensor<8x32xf32> trainable {initial = {kind = "normal", mean = 0.0 : f64, deviation = 0.02 : f64, site = 102 : i64}}
  accel.parameter @"h.0.ln_1.weight" : tensor<32xf32> trainable {initial = {kind = "constant", value = 1.0 : f64}}
  accel.parameter @"h.0.ln_1.bias" : tensor<32xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"h.0.attn.weight" : tensor<32x96xf32> trainable {initial = {kind = "normal", mean = 0.0 : f64, deviation = 0.02 : f64, site = 103 : i64}}
  accel.parameter @"h.0.attn.bias" : tensor<96xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"h.0.proj.weight" : tensor<32x32xf32> trainable {initial = {kind = "normal", mean = 0.0 : f64, deviation = 0.02 : f64, site = 104 : i64}}
  accel.parameter @"h.0.proj.bias" : tensor<32xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"h.0.ln_2.weight" : tensor<32xf32> trainable {initial = {kind = "constant", value = 1.0 : f64}}
  accel.parameter @"h.0.ln_2.bias" : tensor<32xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"h.0.fc.weight" : tensor<128x32xf32> trainable {initial = {kind = "normal", mean = 0.0 : f64, deviation = 0.02 : f64, site = 105 : i64}}
  accel.parameter @"h.0.fc.bias" : tensor<128xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"h.0.out.weight" : tensor<32x128xf32> trainable {initial = {kind = "normal", mean = 0.0 : f64, deviation = 0.02 : f64, site = 106 : i64}}
  accel.parameter @"h.0.out.bias" : tensor<32xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"h.1.ln_1.weight" : tensor<32xf32> trainable {initial = {kind = "constant", value = 1.0 : f64}}
  accel.parameter @"h.1.ln_1.bias" : tensor<32xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"h.1.attn.weight" : tensor<32x96xf32> trainable {initial = {kind = "normal", mean = 0.0 : f64, deviation = 0.02 : f64, site = 107 : i64}}
  accel.parameter @"h.1.attn.bias" : tensor<96xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"h.1.proj.weight" : tensor<32x32xf32> trainable {initial = {kind = "normal", mean = 0.0 : f64, deviation = 0.02 : f64, site = 108 : i64}}
  accel.parameter @"h.1.proj.bias" : tensor<32xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"h.1.ln_2.weight" : tensor<32xf32> trainable {initial = {kind = "constant", value = 1.0 : f64}}
  accel.parameter @"h.1.ln_2.bias" : tensor<32xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"h.1.fc.weight" : tensor<128x32xf32> trainable {initial = {kind = "normal", mean = 0.0 : f64, deviation = 0.02 : f64, site = 109 : i64}}
  accel.parameter @"h.1.fc.bias" : tensor<128xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"h.1.out.weight" : tensor<32x128xf32> trainable {initial = {kind = "normal", mean = 0.0 : f64, deviation = 0.02 : f64, site = 110 : i64}}
  accel.parameter @"h.1.out.bias" : tensor<32xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}
  accel.parameter @"ln_f.weight" : tensor<32xf32> trainable {initial = {kind = "constant", value = 1.0 : f64}}
  accel.parameter @"ln_f.bias" : tensor<32xf32> trainable {initial = {kind = "constant", value = 0.0 : f64}}

  func.func @forward(%ids: tensor<2x8xi64> {accel.name = "input_ids"}) -> (tensor<2x8x64xf32> {accel.name = "logits"}) {
    %wte = accel.read @"wte.weight" : tensor<64x32xf32>
    %tok = accel.gather %wte, %ids : tensor<64x32xf32>, tensor<2x8xi64> -> tensor<2x8x32xf32>
    %pos_ids = accel.iota 0 : tensor<8xi64>
    %wpe = accel.read @"wpe.weight" : tensor<8x32xf32>
    %pos = accel.gather %wpe, %pos_ids : tensor<8x32xf32>, tensor<8xi64> -> tensor<8x32xf32>
    %posb = accel.broadcast %pos [1, 2] : tensor<8x32xf32> -> tensor<2x8x32xf32>
    %x0 = accel.add %tok, %posb : tensor<2x8x32xf32>
    %ln_10_w = accel.read @"h.0.ln_1.weight" : tensor<32xf32>
    %ln_10_b = accel.read @"h.0.ln_1.bias" : tensor<32xf32>
    %ln_10, %ln_10_mean, %ln_10_rstd = accel.layer_norm %x0, %ln_10_w, %ln_10_b epsilon 1.0e-5 : tensor<2x8x32xf32>, tensor<32xf32>, tensor<32xf32> -> tensor<2x8x32xf32>, tensor<2x8xf32>, tensor<2x8xf32>
    %ln_10_r = accel.reshape %ln_10 : tensor<2x8x32xf32> -> tensor<16x32xf32>
    %attn0_w = accel.read @"h.0.attn.weight" : tensor<32x96xf32>
    %attn0_b = accel.read @"h.0.attn.bias" : tensor<96xf32>
    %attn0_m = accel.matmul %ln_10_r, %attn0_w : tensor<16x32xf32>, tensor<32x96xf32> -> tensor<16x96xf32>
    %attn0_bb = accel.broadcast %attn0_b [1] : tensor<96xf32> -> tensor<16x96xf32>
    %attn0 = accel.add %attn0_m, %attn0_bb : tensor<16x96xf32>
    %q0, %k0, %v0 = accel.split %attn0 axis 1 : tensor<16x96xf32> -> tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
    %q0_r = accel.reshape %q0 : tensor<16x32xf32> -> tensor<2x8x2x16xf32>
    %q0_h = accel.transpose %q0_r [0, 2, 1, 3] : tensor<2x8x2x16xf32> -> tensor<2x2x8x16xf32>
    %k0_r = accel.reshape %k0 : tensor<16x32xf32> -> tensor<2x8x2x16xf32>
    %k0_h = accel.transpose %k0_r [0, 2, 1, 3] : tensor<2x8x2x16xf32> -> tensor<2x2x8x16xf32>
    %v0_r = accel.reshape %v0 : tensor<16x32xf32> -> tensor<2x8x2x16xf32>
    %v0_h = accel.transpose %v0_r [0, 2, 1, 3] : tensor<2x8x2x16xf32> -> tensor<2x2x8x16xf32>
    %k0_f = accel.reshape %k0_h : tensor<2x2x8x16xf32> -> tensor<4x8x16xf32>
    %k0_ft = accel.transpose %k0_f [0, 2, 1] : tensor<4x8x16xf32> -> tensor<4x16x8xf32>
    %k0_t = accel.reshape %k0_ft : tensor<4x16x8xf32> -> tensor<2x2x16x8xf32>
    %half0 = accel.constant dense<0.5> : tensor<f32>
    %halfq0 = accel.broadcast %half0 [] : tensor<f32> -> tensor<2x2x8x16xf32>
    %halfk0 = accel.broadcast %half0 [] : tensor<f32> -> tensor<2x2x16x8xf32>
    %q0_s = accel.mul %q0_h, %halfq0 : tensor<2x2x8x16xf32>
    %k0_s = accel.mul %k0_t, %halfk0 : tensor<2x2x16x8xf32>
    %scores0 = accel.matmul %q0_s, %k0_s : tensor<2x2x8x16xf32>, tensor<2x2x16x8xf32> -> tensor<2x2x8x8xf32>
    %row0 = accel.iota 2 : tensor<2x1x8x8xi64>
    %column0 = accel.iota 3 : tensor<2x1x8x8xi64>
    %allowed0 = accel.compare le, %column0, %row0 : tensor<2x1x8x8xi64> -> tensor<2x1x8x8xi1>
    %zero0 = accel.constant dense<0.0> : tensor<2x1x8x8xf32>
    %low0 = accel.constant dense<-3.40282347E+38> : tensor<2x1x8x8xf32>
    %mask0 = accel.select %allowed0, %zero0, %low0 : tensor<2x1x8x8xi1>, tensor<2x1x8x8xf32>
    %maskb0 = accel.broadcast %mask0 [0, 1, 2, 3] : tensor<2x1x8x8xf32> -> tensor<2x2x8x8xf32>
    %masked0 = accel.add %scores0, %maskb0 : tensor<2x2x8x8xf32>
    %soft0 = accel.softmax %masked0 : tensor<2x2x8x8xf32>
    %nan0 = accel.is_nan %soft0 : tensor<2x2x8x8xf32> -> tensor<2x2x8x8xi1>
    %zeros0 = accel.constant dense<0.0> : tensor<2x2x8x8xf32>
    %safe0 = accel.select %nan0, %zeros0, %soft0 : tensor<2x2x8x8xi1>, tensor<2x2x8x8xf32>
    %att0 = accel.matmul %safe0, %v0_h : tensor<2x2x8x8xf32>, tensor<2x2x8x16xf32> -> tensor<2x2x8x16xf32>
    %att0_t = accel.transpose %att0 [0, 2, 1, 3] : tensor<2x2x8x16xf32> -> tensor<2x8x2x16xf32>
    %att0_r = accel.reshape %att0_t : tensor<2x8x2x16xf32> -> tensor<16x32xf32>
    %proj0_w = accel.read @"h.0.proj.weight" : tensor<32x32xf32>
    %proj0_b = accel.read @"h.0.proj.bias" : tensor<32xf32>
    %proj0_m = accel.matmul %att0_r, %proj0_w : tensor<16x32xf32>, tensor<32x32xf32> -> tensor<16x32xf32>
    %proj0_bb = accel.broadcast %proj0_b [1] : tensor<32xf32> -> tensor<16x32xf32>
    %proj0 = accel.add %proj0_m, %proj0_bb : tensor<16x32xf32>
    %proj0_x = accel.reshape %proj0 : tensor<16x32xf32> -> tensor<2x8x32xf32>
    %mid0 = accel.add %x0, %proj0_x : tensor<2x8x32xf32>
    %ln_20_w = accel.read @"h.0.ln_2.weight" : tensor<32xf32>
    %ln_20_b = accel.read @"h.0.ln_2.bias" : tensor<32xf32>
    %ln_20, %ln_20_mean, %ln_20_rstd = accel.layer_norm %mid0, %ln_20_w, %ln_20_b epsilon 1.0e-5 : tensor<2x8x32xf32>, tensor<32xf32>, tensor<32xf32> -> tensor<2x8x32xf32>, tensor<2x8xf32>, tensor<2x8xf32>
    %ln_20_r = accel.reshape %ln_20 : tensor<2x8x32xf32> -> tensor<16x32xf32>
    %fc0_w = accel.read @"h.0.fc.weight" : tensor<128x32xf32>
    %fc0_b = accel.read @"h.0.fc.bias" : tensor<128xf32>
    %fc0_t = accel.transpose %fc0_w [1, 0] : tensor<128x32xf32> -> tensor<32x128xf32>
    %fc0_m = accel.matmul %ln_20_r, %fc0_t : tensor<16x32xf32>, tensor<32x128xf32> -> tensor<16x128xf32>
    %fc0_bb = accel.broadcast %fc0_b [1] : tensor<128xf32> -> tensor<16x128xf32>
    %fc0 = accel.add %fc0_m, %fc0_bb : tensor<16x128xf32>
    %g_three0 = accel.constant dense<3.0> : tensor<16x128xf32>
    %g_c0 = accel.constant dense<0.044715> : tensor<16x128xf32>
    %g_root0 = accel.constant dense<0.797884583> : tensor<16x128xf32>
    %g_one0 = accel.constant dense<1.0> : tensor<16x128xf32>
    %g_h0 = accel.constant dense<0.5> : tensor<16x128xf32>
    %g_p0 = accel.pow %fc0, %g_three0 : tensor<16x128xf32>
    %g_cp0 = accel.mul %g_p0, %g_c0 : tensor<16x128xf32>
    %g_s0 = accel.add %fc0, %g_cp0 : tensor<16x128xf32>
    %g_u0 = accel.mul %g_s0, %g_root0 : tensor<16x128xf32>
    %g_t0 = accel.tanh %g_u0 : tensor<16x128xf32>
    %g_10 = accel.add %g_t0, %g_one0 : tensor<16x128xf32>
    %g_x0 = accel.mul %fc0, %g_h0 : tensor<16x128xf32>
    %gelu0 = accel.mul %g_x0, %g_10 : tensor<16x128xf32>
    %out0_w = accel.read @"h.0.out.weight" : tensor<32x128xf32>
    %out0_b = accel.read @"h.0.out.bias" : tensor<32xf32>
    %out0_t = accel.transpose %out0_w [1, 0] : tensor<32x128xf32> -> tensor<128x32xf32>
    %out0_m = accel.matmul %gelu0, %out0_t : tensor<16x128xf32>, tensor<128x32xf32> -> tensor<16x32xf32>
    %out0_bb = accel.broadcast %out0_b [1] : tensor<32xf32> -> tensor<16x32xf32>
    %out0 = accel.add %out0_m, %out0_bb : tensor<16x32xf32>
    %out0_x = accel.reshape %out0 : tensor<16x32xf32> -> tensor<2x8x32xf32>
    %x1 = accel.add %mid0, %out0_x : tensor<2x8x32xf32>
    %ln_11_w = accel.read @"h.1.ln_1.weight" : tensor<32xf32>
    %ln_11_b = accel.read @"h.1.ln_1.bias" : tensor<32xf32>
    %ln_11, %ln_11_mean, %ln_11_rstd = accel.layer_norm %x1, %ln_11_w, %ln_11_b epsilon 1.0e-5 : tensor<2x8x32xf32>, tensor<32xf32>, tensor<32xf32> -> tensor<2x8x32xf32>, tensor<2x8xf32>, tensor<2x8xf32>
    %ln_11_r = accel.reshape %ln_11 : tensor<2x8x32xf32> -> tensor<16x32xf32>
    %attn1_w = accel.read @"h.1.attn.weight" : tensor<32x96xf32>
    %attn1_b = accel.read @"h.1.attn.bias" : tensor<96xf32>
    %attn1_m = accel.matmul %ln_11_r, %attn1_w : tensor<16x32xf32>, tensor<32x96xf32> -> tensor<16x96xf32>
    %attn1_bb = accel.broadcast %attn1_b [1] : tensor<96xf32> -> tensor<16x96xf32>
    %attn1 = accel.add %attn1_m, %attn1_bb : tensor<16x96xf32>
    %q1, %k1, %v1 = accel.split %attn1 axis 1 : tensor<16x96xf32> -> tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
    %q1_r = accel.reshape %q1 : tensor<16x32xf32> -> tensor<2x8x2x16xf32>
    %q1_h = accel.transpose %q1_r [0, 2, 1, 3] : tensor<2x8x2x16xf32> -> tensor<2x2x8x16xf32>
    %k1_r = accel.reshape %k1 : tensor<16x32xf32> -> tensor<2x8x2x16xf32>
    %k1_h = accel.transpose %k1_r [0, 2, 1, 3] : tensor<2x8x2x16xf32> -> tensor<2x2x8x16xf32>
    %v1_r = accel.reshape %v1 : tensor<16x32xf32> -> tensor<2x8x2x16xf32>
    %v1_h = accel.transpose %v1_r [0, 2, 1, 3] : tensor<2x8x2x16xf32> -> tensor<2x2x8x16xf32>
    %k1_f = accel.reshape %k1_h : tensor<2x2x8x16xf32> -> tensor<4x8x16xf32>
    %k1_ft = accel.transpose %k1_f [0, 2, 1] : tensor<4x8x16xf32> -> tensor<4x16x8xf32>
    %k1_t = accel.reshape %k1_ft : tensor<4x16x8xf32> -> tensor<2x2x16x8xf32>
    %half1 = accel.constant dense<0.5> : tensor<f32>
    %halfq1 = accel.broadcast %half1 [] : tensor<f32> -> tensor<2x2x8x16xf32>
    %halfk1 = accel.broadcast %half1 [] : tensor<f32> -> tensor<2x2x16x8xf32>
    %q1_s = accel.mul %q1_h, %halfq1 : tensor<2x2x8x16xf32>
    %k1_s = accel.mul %k1_t, %halfk1 : tensor<2x2x16x8xf32>
    %scores1 = accel.matmul %q1_s, %k1_s : tensor<2x2x8x16xf32>, tensor<2x2x16x8xf32> -> tensor<2x2x8x8xf32>
    %row1 = accel.iota 2 : tensor<2x1x8x8xi64>
    %column1 = accel.iota 3 : tensor<2x1x8x8xi64>
    %allowed1 = accel.compare le, %column1, %row1 : tensor<2x1x8x8xi64> -> tensor<2x1x8x8xi1>
    %zero1 = accel.constant dense<0.0> : tensor<2x1x8x8xf32>
    %low1 = accel.constant dense<-3.40282347E+38> : tensor<2x1x8x8xf32>
    %mask1 = accel.select %allowed1, %zero1, %low1 : tensor<2x1x8x8xi1>, tensor<2x1x8x8xf32>
    %maskb1 = accel.broadcast %mask1 [0, 1, 2, 3] : tensor<2x1x8x8xf32> -> tensor<2x2x8x8xf32>
    %masked1 = accel.add %scores1, %maskb1 : tensor<2x2x8x8xf32>
    %soft1 = accel.softmax %masked1 : tensor<2x2x8x8xf32>
    %nan1 = accel.is_nan %soft1 : tensor<2x2x8x8xf32> -> tensor<2x2x8x8xi1>
    %zeros1 = accel.constant dense<0.0> : tensor<2x2x8x8xf32>
    %safe1 = accel.select %nan1, %zeros1, %soft1 : tensor<2x2x8x8xi1>, tensor<2x2x8x8xf32>
    %att1 = accel.matmul %safe1, %v1_h : tensor<2x2x8x8xf32>, tensor<2x2x8x16xf32> -> tensor<2x2x8x16xf32>
    %att1_t = accel.transpose %att1 [0, 2, 1, 3] : tensor<2x2x8x16xf32> -> tensor<2x8x2x16xf32>
    %att1_r = accel.reshape %att1_t : tensor<2x8x2x16xf32> -> tensor<16x32xf32>
    %proj1_w = accel.read @"h.1.proj.weight" : tensor<32x32xf32>
    %proj1_b = accel.read @"h.1.proj.bias" : tensor<32xf32>
    %proj1_m = accel.matmul %att1_r, %proj1_w : tensor<16x32xf32>, tensor<32x32xf32> -> tensor<16x32xf32>
    %proj1_bb = accel.broadcast %proj1_b [1] : tensor<32xf32> -> tensor<16x32xf32>
    %proj1 = accel.add %proj1_m, %proj1_bb : tensor<16x32xf32>
    %proj1_x = accel.reshape %proj1 : tensor<16x32xf32> -> tensor<2x8x32xf32>
    %mid1 = accel.add %x1, %proj1_x : tensor<2x8x32xf32>
    %ln_21_w = accel.read @"h.1.ln_2.weight" : tensor<32xf32>
    %ln_21_b = accel.read @"h.1.ln_2.bias" : tensor<32xf32>
    %ln_21, %ln_21_mean, %ln_21_rstd = accel.layer_norm %mid1, %ln_21_w, %ln_21_b epsilon 1.0e-5 : tensor<2x8x32xf32>, tensor<32xf32>, tensor<32xf32> -> tensor<2x8x32xf32>, tensor<2x8xf32>, tensor<2x8xf32>
    %ln_21_r = accel.reshape %ln_21 : tensor<2x8x32xf32> -> tensor<16x32xf32>
    %fc1_w = accel.read @"h.1.fc.weight" : tensor<128x32xf32>
    %fc1_b = accel.read @"h.1.fc.bias" : tensor<128xf32>
    %fc1_t = accel.transpose %fc1_w [1, 0] : tensor<128x32xf32> -> tensor<32x128xf32>
    %fc1_m = accel.matmul %ln_21_r, %fc1_t : tensor<16x32xf32>, tensor<32x128xf32> -> tensor<16x128xf32>
    %fc1_bb = accel.broadcast %fc1_b [1] : tensor<128xf32> -> tensor<16x128xf32>
    %fc1 = accel.add %fc1_m, %fc1_bb : tensor<16x128xf32>
    %g_three1 = accel.constant dense<3.0> : tensor<16x128xf32>
    %g_c1 = accel.constant dense<0.044715> : tensor<16x128xf32>
    %g_root1 = accel.constant dense<0.797884583> : tensor<16x128xf32>
    %g_one1 = accel.constant dense<1.0> : tensor<16x128xf32>
    %g_h1 = accel.constant dense<0.5> : tensor<16x128xf32>
    %g_p1 = accel.pow %fc1, %g_three1 : tensor<16x128xf32>
    %g_cp1 = accel.mul %g_p1, %g_c1 : tensor<16x128xf32>
    %g_s1 = accel.add %fc1, %g_cp1 : tensor<16x128xf32>
    %g_u1 = accel.mul %g_s1, %g_root1 : tensor<16x128xf32>
    %g_t1 = accel.tanh %g_u1 : tensor<16x128xf32>
    %g_11 = accel.add %g_t1, %g_one1 : tensor<16x128xf32>
    %g_x1 = accel.mul %fc1, %g_h1 : tensor<16x128xf32>
    %gelu1 = accel.mul %g_x1, %g_11 : tensor<16x128xf32>
    %out1_w = accel.read @"h.1.out.weight" : tensor<32x128xf32>
    %out1_b = accel.read @"h.1.out.bias" : tensor<32xf32>
    %out1_t = accel.transpose %out1_w [1, 0] : tensor<32x128xf32> -> tensor<128x32xf32>
    %out1_m = accel.matmul %gelu1, %out1_t : tensor<16x128xf32>, tensor<128x32xf32> -> tensor<16x32xf32>
    %out1_bb = accel.broadcast %out1_b [1] : tensor<32xf32> -> tensor<16x32xf32>
    %out1 = accel.add %out1_m, %out1_bb : tensor<16x32xf32>
    %out1_x = accel.reshape %out1 : tensor<16x32xf32> -> tensor<2x8x32xf32>
    %x2 = accel.add %mid1, %out1_x : tensor<2x8x32xf32>
    %ln_f_w = accel.read @"ln_f.weight" : tensor<32xf32>
    %ln_f_b = accel.read @"ln_f.bias" : tensor<32xf32>
    %ln_f, %ln_f_mean, %ln_f_rstd = accel.layer_norm %x2, %ln_f_w, %ln_f_b epsilon 1.0e-5 : tensor<2x8x32xf32>, tensor<32xf32>, tensor<32xf32> -> tensor<2x8x32xf32>, tensor<2x8xf32>, tensor<2x8xf32>
    %ln_f_r = accel.reshape %ln_f : tensor<2x8x32xf32> -> tensor<16x32xf32>
    %head = accel.transpose %wte [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
    %rows = accel.matmul %ln_f_r, %head : tensor<16x32xf32>, tensor<32x64xf32> -> tensor<16x64xf32>
    %logits = accel.reshape %rows : tensor<16x64xf32> -> tensor<2x8x64xf32>
    return %logits : tensor<2x8x64xf32>
  }
}
