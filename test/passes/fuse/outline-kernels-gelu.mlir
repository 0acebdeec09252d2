// RUN: accel-opt %s --accel-outline-kernels=target=sm_90 -split-input-file | FileCheck %s

// cuBLASLt computes GELU of the sums before it rounds them, and stores the sums for the gradient: one kernel with two results.
accel.state @x accumulator : tensor<32x16xbf16>
accel.state @w accumulator : tensor<16x48xbf16>
accel.state @b accumulator : tensor<48xbf16>
accel.state @product accumulator : tensor<32x32xf32>
accel.state @y accumulator : tensor<32xf32>
// CHECK-LABEL: func.func @step
// CHECK: %[[P:.+]]:2 = call @[[PRODUCT:matmul[a-z_0-9]+]](%{{.+}}, %{{.+}}, %{{.+}}) : (tensor<32x16xbf16>, tensor<16x48xbf16>, tensor<48xbf16>) -> (tensor<32x48xbf16>, tensor<32x48xbf16>)
// CHECK: call @{{[a-z_0-9]+}}(%[[P]]#1) : (tensor<32x48xbf16>) -> tensor<32xf32>
// CHECK: func.func private @[[PRODUCT]]
// CHECK: %[[A:.+]] = accel.add
// CHECK: accel.gelu tanh, %[[A]]
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<32x16xbf16>
  %w = accel.read @w : tensor<16x48xbf16>
  %b = accel.read @b : tensor<48xbf16>
  %p = accel.matmul %x, %w : tensor<32x16xbf16>, tensor<16x48xbf16> -> tensor<32x48xf32>
  %rows = accel.broadcast %b [1] : tensor<48xbf16> -> tensor<32x48xbf16>
  %wide = accel.cast %rows : tensor<32x48xbf16> -> tensor<32x48xf32>
  %a = accel.add %p, %wide : tensor<32x48xf32>
  %k = accel.cast %a : tensor<32x48xf32> -> tensor<32x48xbf16>
  %q = accel.matmul %k, %k {transpose_rhs} : tensor<32x48xbf16>, tensor<32x48xbf16> -> tensor<32x32xf32>
  accel.write @product, %q : tensor<32x32xf32>
  %g = accel.gelu tanh, %a : tensor<32x48xf32>
  %n = accel.cast %g : tensor<32x48xf32> -> tensor<32x48xbf16>
  %f = accel.cast %n : tensor<32x48xbf16> -> tensor<32x48xf32>
  %e = accel.exp %f : tensor<32x48xf32>
  %s = accel.reduce_sum %e [1] : tensor<32x48xf32> -> tensor<32xf32>
  accel.write @y, %s : tensor<32xf32>
  return
}

// -----

// The gradient of GELU multiplies the sums of its product; what it is taken at is read as it was stored.
accel.state @x accumulator : tensor<32x16xbf16>
accel.state @w accumulator : tensor<16x48xbf16>
accel.state @kept accumulator : tensor<32x48xbf16>
accel.state @product accumulator : tensor<32x32xf32>
accel.state @y accumulator : tensor<48xf32>
// CHECK-LABEL: func.func @step
// CHECK: %[[P:.+]] = call @[[PRODUCT:matmul[a-z_0-9]+]](%{{.+}}, %{{.+}}, %{{.+}}) : (tensor<32x16xbf16>, tensor<16x48xbf16>, tensor<32x48xbf16>) -> tensor<32x48xbf16>
// CHECK: call @{{[a-z_0-9]+}}(%[[P]]) : (tensor<32x48xbf16>) -> tensor<48xf32>
// CHECK: func.func private @[[PRODUCT]]
// CHECK: accel.gelu_grad tanh
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<32x16xbf16>
  %w = accel.read @w : tensor<16x48xbf16>
  %k = accel.read @kept : tensor<32x48xbf16>
  %p = accel.matmul %x, %w as input_gradient : tensor<32x16xbf16>, tensor<16x48xbf16> -> tensor<32x48xf32>
  %g = accel.gelu_grad tanh, %p, %k : tensor<32x48xf32>, tensor<32x48xbf16>
  %n = accel.cast %g : tensor<32x48xf32> -> tensor<32x48xbf16>
  %q = accel.matmul %n, %n {transpose_rhs} : tensor<32x48xbf16>, tensor<32x48xbf16> -> tensor<32x32xf32>
  accel.write @product, %q : tensor<32x32xf32>
  %f = accel.cast %n : tensor<32x48xbf16> -> tensor<32x48xf32>
  %s = accel.reduce_sum %f [0] : tensor<32x48xf32> -> tensor<48xf32>
  accel.write @y, %s : tensor<48xf32>
  return
}

// -----

// What only a sum of columns reads is rounded by the library all the same, which stores one type.
accel.state @x accumulator : tensor<32x16xbf16>
accel.state @w accumulator : tensor<16x48xbf16>
accel.state @kept accumulator : tensor<32x48xbf16>
accel.state @y accumulator : tensor<48xf32>
// CHECK-LABEL: func.func @step
// CHECK: %[[P:.+]] = call @matmul{{[a-z_0-9]+}}(%{{.+}}, %{{.+}}, %{{.+}}) : (tensor<32x16xbf16>, tensor<16x48xbf16>, tensor<32x48xbf16>) -> tensor<32x48xbf16>
// CHECK: call @reduce_sum_0(%[[P]]) : (tensor<32x48xbf16>) -> tensor<48xf32>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<32x16xbf16>
  %w = accel.read @w : tensor<16x48xbf16>
  %k = accel.read @kept : tensor<32x48xbf16>
  %p = accel.matmul %x, %w as input_gradient : tensor<32x16xbf16>, tensor<16x48xbf16> -> tensor<32x48xf32>
  %g = accel.gelu_grad tanh, %p, %k : tensor<32x48xf32>, tensor<32x48xbf16>
  %n = accel.cast %g : tensor<32x48xf32> -> tensor<32x48xbf16>
  %f = accel.cast %n : tensor<32x48xbf16> -> tensor<32x48xf32>
  %s = accel.reduce_sum %f [0] : tensor<32x48xf32> -> tensor<48xf32>
  accel.write @y, %s : tensor<48xf32>
  return
}
