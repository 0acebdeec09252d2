// RUN: accel-opt %s --accel-outline-kernels=target=compute_80 -split-input-file | FileCheck %s

// cuBLASLt adds a bias of the type that it stores, which is widened where it is added and so is read as it lies in memory.
accel.state @x accumulator : tensor<32x16xbf16>
accel.state @w accumulator : tensor<16x48xbf16>
accel.state @b accumulator : tensor<48xbf16>
accel.state @y accumulator : tensor<32xf32>
// CHECK-LABEL: func.func @step
// CHECK: %[[P:.+]] = call @[[PRODUCT:matmul[a-z_0-9]+]](%{{.+}}, %{{.+}}, %{{.+}}) : (tensor<32x16xbf16>, tensor<16x48xbf16>, tensor<48xbf16>) -> tensor<32x48xbf16>
// CHECK: call @{{[a-z_0-9]+}}(%[[P]]) : (tensor<32x48xbf16>) -> tensor<32xf32>
// CHECK: func.func private @[[PRODUCT]]
// CHECK: accel.add
// CHECK: %[[N:.+]] = accel.cast %{{.+}} : tensor<32x48xf32> -> tensor<32x48xbf16>
// CHECK: return %[[N]]
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<32x16xbf16>
  %w = accel.read @w : tensor<16x48xbf16>
  %b = accel.read @b : tensor<48xbf16>
  %p = accel.matmul %x, %w : tensor<32x16xbf16>, tensor<16x48xbf16> -> tensor<32x48xf32>
  %rows = accel.broadcast %b [1] : tensor<48xbf16> -> tensor<32x48xbf16>
  %wide = accel.cast %rows : tensor<32x48xbf16> -> tensor<32x48xf32>
  %a = accel.add %p, %wide : tensor<32x48xf32>
  %n = accel.cast %a : tensor<32x48xf32> -> tensor<32x48xbf16>
  %f = accel.cast %n : tensor<32x48xbf16> -> tensor<32x48xf32>
  %e = accel.exp %f : tensor<32x48xf32>
  %s = accel.reduce_sum %e [1] : tensor<32x48xf32> -> tensor<32xf32>
  accel.write @y, %s : tensor<32xf32>
  return
}

// -----

// A bias of another type than what is stored is added by another kernel: the library knows none.
accel.state @x accumulator : tensor<32x16xbf16>
accel.state @w accumulator : tensor<16x48xbf16>
accel.state @b accumulator : tensor<48xf32>
accel.state @y accumulator : tensor<32x48xbf16>
// CHECK-LABEL: func.func @step
// CHECK: %[[P:.+]] = call @matmul{{[a-z_0-9]+}}(%{{.+}}, %{{.+}}) : (tensor<32x16xbf16>, tensor<16x48xbf16>) -> tensor<32x48xf32>
// CHECK: call @{{[a-z_0-9]+}}(%{{.+}}) : (tensor<32x48xf32>, tensor<48xf32>) -> tensor<32x48xbf16>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<32x16xbf16>
  %w = accel.read @w : tensor<16x48xbf16>
  %b = accel.read @b : tensor<48xf32>
  %p = accel.matmul %x, %w : tensor<32x16xbf16>, tensor<16x48xbf16> -> tensor<32x48xf32>
  %rows = accel.broadcast %b [1] : tensor<48xf32> -> tensor<32x48xf32>
  %a = accel.add %p, %rows : tensor<32x48xf32>
  %n = accel.cast %a : tensor<32x48xf32> -> tensor<32x48xbf16>
  accel.write @y, %n : tensor<32x48xbf16>
  return
}
