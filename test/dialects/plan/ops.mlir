// RUN: accel-opt %s --verify-roundtrip | FileCheck %s

plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2", "fma"] lanes 64
plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
func.func private @k0(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {plan.code = {"with-library" = #plan.library_call<"vectors" "negate", workspace 64>, "x86-64-v3" = #plan.code<1 tiles of 128 elements, grain 1, workspace 64>}, plan.kernel = {columns = 32 : i64, elements = 32 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.neg %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Every operation of the dialect.
// CHECK: plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2", "fma"] lanes 64
// CHECK-NEXT: plan.stream @compute compute
// CHECK-NEXT: plan.stream @communication communication
// CHECK-NEXT: plan.stream @host host
// CHECK: plan.code = {"with-library" = #plan.library_call<"vectors" "negate", workspace 64>, "x86-64-v3" = #plan.code<1 tiles of 128 elements, grain 1, workspace 64>}
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[SEGMENT:.+]] = plan.buffer persistent parameters "model.decayed.master" : memref<256xf32>
  %0 = plan.buffer persistent parameters "model.decayed.master" : memref<256xf32>
  // CHECK: plan.view %[[SEGMENT]] at 64 : memref<256xf32> to memref<8x16xf32>
  %1 = plan.view %0 at 64 : memref<256xf32> to memref<8x16xf32>
  // CHECK: plan.buffer io io "x" {copies = 2 : i64} : memref<4x8xf32>
  %2 = plan.buffer io io "x" {copies = 2 : i64} : memref<4x8xf32>
  // CHECK: plan.buffer transient activations {offset = 64 : i64} : memref<4x8xf32>
  %3 = plan.buffer transient activations {offset = 64 : i64} : memref<4x8xf32>
  // CHECK: %[[WORKSPACE:.+]] = plan.buffer persistent workspace "workspace" {per_thread} : memref<16xf32>
  %6 = plan.buffer persistent workspace "workspace" {per_thread} : memref<16xf32>
  %4 = plan.buffer transient activations : memref<4x16xf32>
  // CHECK: plan.buffer constant constants {value = dense<1.000000e+00> : tensor<f64>} : memref<f64>
  %5 = plan.buffer constant constants {value = dense<1.0> : tensor<f64>} : memref<f64>
  // CHECK: plan.load "w" into %{{.*}} : memref<8x16xf32>
  plan.load "w" into %1 : memref<8x16xf32>
  // CHECK: plan.fetch ["x"] into %{{.*}} ahead 0 {signals = [#plan.event<0>], stream = @communication} : memref<4x8xf32>
  plan.fetch ["x"] into %2 ahead 0 {signals = [#plan.event<0>], stream = @communication} : memref<4x8xf32>
  // CHECK: plan.repeat {
  plan.repeat {
    // CHECK: plan.launch @k0(%{{.*}}, %{{.*}}) [read, write] workspace(%[[WORKSPACE]] : memref<16xf32>) {waits = [#plan.wait<0>]} : memref<4x8xf32>, memref<4x8xf32>
    plan.launch @k0(%2, %3) [read, write] workspace(%6 : memref<16xf32>) {waits = [#plan.wait<0>]} : memref<4x8xf32>, memref<4x8xf32>
  }
  // CHECK: plan.metric "loss", %{{.*}} : memref<f64>
  plan.metric "loss", %5 : memref<f64>
  return
}

// Floats of 16 and 8 bits lie in buffers of any region.
// CHECK-LABEL: func.func @small_floats
func.func @small_floats() {
  // CHECK: plan.buffer transient activations : memref<4xbf16>
  %0 = plan.buffer transient activations : memref<4xbf16>
  // CHECK: plan.buffer transient activations : memref<4xf16>
  %1 = plan.buffer transient activations : memref<4xf16>
  // CHECK: plan.buffer persistent parameters "model.decayed.compute" : memref<4xf8E4M3FN>
  %2 = plan.buffer persistent parameters "model.decayed.compute" : memref<4xf8E4M3FN>
  // CHECK: plan.buffer constant constants {value = dense<[1.500000e+00, -5.734400e+04]> : tensor<2xf8E5M2>} : memref<2xf8E5M2>
  %3 = plan.buffer constant constants {value = dense<[1.5, -57344.0]> : tensor<2xf8E5M2>} : memref<2xf8E5M2>
  // CHECK: plan.buffer transient activations : memref<4xf8E8M0FNU>
  %4 = plan.buffer transient activations : memref<4xf8E8M0FNU>
  return
}

// What a library is to compute, and code of blocks of threads.
// CHECK-LABEL: func.func private @product(
// CHECK-SAME: #plan.library_call<"matrices" "multiply" product <3 of 4x16 over 8, lhs 0 transposed, rhs 1 from 512 transposed>, workspace 64>
// CHECK-SAME: #plan.code<1 tiles of 128 elements, threads 128>
// CHECK-SAME: #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1, bias 2 from 8, tf32>>
// CHECK-SAME: #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1, bias 2, gelu keeping 3>>
// CHECK-SAME: #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1, gelu>>
// CHECK-SAME: #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1, gelu_gradient of 2 from 64>>
func.func private @product() attributes {plan.code = {a = #plan.library_call<"matrices" "multiply" product <3 of 4x16 over 8, lhs 0 transposed, rhs 1 from 512 transposed>, workspace 64>,
    b = #plan.code<1 tiles of 128 elements, threads 128>,
    c = #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1, tf32, bias 2 from 8>>,
    d = #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1, bias 2, gelu keeping 3>>,
    e = #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1, gelu>>,
    f = #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1, gelu_gradient of 2 from 64>>}}

// A convolution that a library is to compute; an offset of 0 is not written.
// CHECK-LABEL: func.func private @convolution(
// CHECK-SAME: #plan.library_call<"tensors" "convolve" convolution <forward of 2 samples at [3, 4], windows [3, 5] strides [1, 2] dilations [2, 1], 8 channels to 16, image <0 from 64, strides [616, 88, 8, 1]>, weights <1, strides [1, 640, 128, 16]>, output <2, strides [192, 64, 16, 1]>, tf32>, workspace 64>
// CHECK-SAME: #plan.library_call<"tensors" "convolve" convolution <weight_gradient of 2 samples at [3], windows [3] strides [1] dilations [1], 8 channels to 16, image <0, strides [40, 8, 1]>, weights <2, strides [24, 8, 1]>, output <1, strides [48, 16, 1]>>>
func.func private @convolution() attributes {plan.code = {a = #plan.library_call<"tensors" "convolve" convolution <forward of 2 samples at [3, 4], windows [3, 5] strides [1, 2] dilations [2, 1],
      8 channels to 16, image <0 from 64, strides [616, 88, 8, 1]>, weights <1 from 0, strides [1, 640, 128, 16]>, output <2, strides [192, 64, 16, 1]>, tf32>, workspace 64>,
    b = #plan.library_call<"tensors" "convolve" convolution <weight_gradient of 2 samples at [3], windows [3] strides [1] dilations [1],
      8 channels to 16, image <0, strides [40, 8, 1]>, weights <2, strides [24, 8, 1]>, output <1, strides [48, 16, 1]>>>}}
