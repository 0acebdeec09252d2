// What a pass writes is changed in one place after the other; the verifier names the product, or the parameter.
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 fp8=mx' -o %t.right && accel-opt %t.right --accel-verify-precision -o /dev/null

// A scale is made for the largest magnitude of the block, as large as its type allows, and no smaller than it may be.
// RUN: sed 's/dense<4.480000e+02> : tensor<64x2xf32>/dense<2.240000e+02> : tensor<64x2xf32>/' %t.right > %t.wrong && not accel-opt %t.wrong --accel-verify-precision 2>&1 | FileCheck %s
// RUN: sed 's/dense<7.70371977E-34> : tensor<64x2xf32>/dense<0.0> : tensor<64x2xf32>/' %t.right > %t.wrong && not accel-opt %t.wrong --accel-verify-precision 2>&1 | FileCheck %s
// RUN: sed 's/accel.abs %\(.*\) : tensor<64x2x32xf32>/accel.neg %\1 : tensor<64x2x32xf32>/' %t.right > %t.wrong && not accel-opt %t.wrong --accel-verify-precision 2>&1 | FileCheck %s
// What multiplies a block is 1 over the scale that the product reads.
// RUN: sed 's/dense<1.000000e+00> : tensor<64x2xf32>/dense<2.000000e+00> : tensor<64x2xf32>/' %t.right > %t.wrong && not accel-opt %t.wrong --accel-verify-precision 2>&1 | FileCheck %s
// A parameter's scales are those of its squares, from its first one on.
// RUN: sed 's/broadcast \(.*\) \[0, 2\] : tensor<2x1xf8E8M0FNU> -> tensor<2x32x1x32xf8E8M0FNU>/broadcast \1 [0, 2] : tensor<2x1xf8E8M0FNU> -> tensor<2x16x1x64xf8E8M0FNU>/; s/tensor<2x32x1x32xf8E8M0FNU> -> tensor<64x32xf8E8M0FNU>/tensor<2x16x1x64xf8E8M0FNU> -> tensor<64x32xf8E8M0FNU>/' %t.right > %t.wrong && not accel-opt %t.wrong --accel-verify-precision 2>&1 | FileCheck %s
// RUN: sed 's/accel.read @weight_inverse/accel.read @weight_scale/' %t.right > %t.wrong && not accel-opt %t.wrong --accel-verify-precision 2>&1 | FileCheck %s
// Numbers lie as their blocks do, beginning with the first one.
// RUN: sed 's/accel.slice \(.*\) \[0, 0\] \(.*tensor<64x64xf8E4M3FN>\)/accel.slice \1 [0, 16] \2/' %t.right > %t.wrong && not accel-opt %t.wrong --accel-verify-precision 2>&1 | FileCheck %s
// CHECK: error: expected scales that undo those of the blocks of each operand, got others

// RUN: sed 's/{scale = 0 : i64}/{scale = 1 : i64}/' %t.right > %t.wrong && not accel-opt %t.wrong --accel-verify-precision 2>&1 | FileCheck %s --check-prefix=SQUARES
// SQUARES: error: expected parameter 'w' to have scales of its own among the 2 of 'weight_scale', got 1

// No product is without scales, or has others than the recipe's.
// RUN: sed 's/ scaled by(.*) per 32//' %t.right > %t.wrong && not accel-opt %t.wrong --accel-verify-precision 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected a scale for each 32 of the summed index, got blocks of 0
// RUN: sed 's/block = 32 : i64/block = 64 : i64/' %t.right > %t.wrong && not accel-opt %t.wrong --accel-verify-precision 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: expected a scale for each 64 of the summed index, got blocks of 32
// RUN: sed 's/block = 32 : i64, //' %t.right > %t.wrong && not accel-opt %t.wrong --accel-verify-precision 2>&1 | FileCheck %s --check-prefix=TENSORS
// TENSORS: error: expected no scales of blocks, got blocks of 32

accel.parameter @w : tensor<48x16xf32> trainable
accel.parameter @v : tensor<16x16xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
func.func @microbatch(%x: tensor<64x48xf32> {accel.name = "x"}) {
  %w = accel.read @w : tensor<48x16xf32>
  %z = accel.matmul %x, %w : tensor<64x48xf32>, tensor<48x16xf32> -> tensor<64x16xf32>
  %h = accel.tanh %z : tensor<64x16xf32>
  %v = accel.read @v : tensor<16x16xf32>
  %y = accel.matmul %h, %v : tensor<64x16xf32>, tensor<16x16xf32> -> tensor<64x16xf32>
  %sum = accel.reduce_sum %y [0, 1] : tensor<64x16xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  %one = accel.constant dense<1.0> : tensor<64x16xf32>
  %dh = accel.matmul %one, %v as input_gradient {transpose_rhs} : tensor<64x16xf32>, tensor<16x16xf32> -> tensor<64x16xf32>
  %square = accel.mul %h, %h : tensor<64x16xf32>
  %slope = accel.sub %one, %square : tensor<64x16xf32>
  %dz = accel.mul %dh, %slope : tensor<64x16xf32>
  %dw = accel.matmul %x, %dz as weight_gradient {transpose_lhs} : tensor<64x48xf32>, tensor<64x16xf32> -> tensor<48x16xf32>
  accel.accumulate @w, %dw : tensor<48x16xf32>
  return
}

