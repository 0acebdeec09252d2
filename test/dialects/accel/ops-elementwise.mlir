// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise operations print as they are written, and parse again.
// RUN: accel-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<4x8xf32>) {
  // CHECK: accel.neg %{{.+}} : tensor<4x8xf32>
  %0 = accel.neg %x : tensor<4x8xf32>
  // CHECK: accel.abs %{{.+}} : tensor<4x8xf32>
  %1 = accel.abs %x : tensor<4x8xf32>
  // CHECK: accel.exp %{{.+}} : tensor<4x8xf32>
  %2 = accel.exp %x : tensor<4x8xf32>
  // CHECK: accel.log %{{.+}} : tensor<4x8xf32>
  %3 = accel.log %x : tensor<4x8xf32>
  // CHECK: accel.sqrt %{{.+}} : tensor<4x8xf32>
  %4 = accel.sqrt %x : tensor<4x8xf32>
  // CHECK: accel.rsqrt %{{.+}} : tensor<4x8xf32>
  %5 = accel.rsqrt %x : tensor<4x8xf32>
  // CHECK: accel.tanh %{{.+}} : tensor<4x8xf32>
  %6 = accel.tanh %x : tensor<4x8xf32>
  // CHECK: accel.erf %{{.+}} : tensor<4x8xf32>
  %7 = accel.erf %x : tensor<4x8xf32>
  // CHECK: accel.sigmoid %{{.+}} : tensor<4x8xf32>
  %8 = accel.sigmoid %x : tensor<4x8xf32>
  // CHECK: accel.relu %{{.+}} : tensor<4x8xf32>
  %9 = accel.relu %x : tensor<4x8xf32>
  // CHECK: accel.sin %{{.+}} : tensor<4x8xf32>
  %10 = accel.sin %x : tensor<4x8xf32>
  // CHECK: accel.cos %{{.+}} : tensor<4x8xf32>
  %11 = accel.cos %x : tensor<4x8xf32>
  // CHECK: accel.gelu none, %{{.+}} : tensor<4x8xf32>
  %12 = accel.gelu none, %x : tensor<4x8xf32>
  // CHECK: accel.gelu tanh, %{{.+}} : tensor<4x8xf32>
  %13 = accel.gelu tanh, %x : tensor<4x8xf32>
  %low = accel.cast %x : tensor<4x8xf32> -> tensor<4x8xbf16>
  // CHECK: accel.gelu_grad tanh, %{{.+}}, %{{.+}} : tensor<4x8xf32>, tensor<4x8xbf16>
  %14 = accel.gelu_grad tanh, %x, %low : tensor<4x8xf32>, tensor<4x8xbf16>
  return
}

// Numbers of every kind are added; powers are of floats.
// CHECK-LABEL: func.func @binary
func.func @binary(%f: tensor<f64>, %h: tensor<3xf16>, %b: tensor<3xbf16>, %i: tensor<2x0xi32>, %l: tensor<5xi64>) {
  // CHECK: accel.add %{{.+}}, %{{.+}} : tensor<f64>
  %add = accel.add %f, %f : tensor<f64>
  // CHECK: accel.sub %{{.+}}, %{{.+}} : tensor<3xf16>
  %sub = accel.sub %h, %h : tensor<3xf16>
  // CHECK: accel.mul %{{.+}}, %{{.+}} : tensor<3xbf16>
  %mul = accel.mul %b, %b : tensor<3xbf16>
  // CHECK: accel.div %{{.+}}, %{{.+}} : tensor<2x0xi32>
  %div = accel.div %i, %i : tensor<2x0xi32>
  // CHECK: accel.max %{{.+}}, %{{.+}} : tensor<5xi64>
  %max = accel.max %l, %l : tensor<5xi64>
  // CHECK: accel.min %{{.+}}, %{{.+}} : tensor<5xi64>
  %min = accel.min %l, %l : tensor<5xi64>
  // CHECK: accel.pow %{{.+}}, %{{.+}} : tensor<3xf16>
  %pow = accel.pow %h, %h : tensor<3xf16>
  return
}

// CHECK-LABEL: func.func @codes
func.func @codes(%x: tensor<4xf32>) {
  // CHECK: accel.quantize dynamic_signed, %{{.+}} : tensor<4xf32> -> tensor<4xui8>
  %signed = accel.quantize dynamic_signed, %x : tensor<4xf32> -> tensor<4xui8>
  // CHECK: accel.quantize dynamic_unsigned, %{{.+}} : tensor<4xf32> -> tensor<4xui8>
  %unsigned = accel.quantize dynamic_unsigned, %x : tensor<4xf32> -> tensor<4xui8>
  // CHECK: accel.dequantize dynamic_signed, %{{.+}} : tensor<4xui8> -> tensor<4xf32>
  %number = accel.dequantize dynamic_signed, %signed : tensor<4xui8> -> tensor<4xf32>
  // CHECK: accel.dequantize dynamic_unsigned, %{{.+}} : tensor<4xui8> -> tensor<4xf64>
  %magnitude = accel.dequantize dynamic_unsigned, %unsigned : tensor<4xui8> -> tensor<4xf64>
  return
}

// CHECK-LABEL: func.func @logic
func.func @logic(%p: tensor<4xi1>, %x: tensor<4xf32>, %i: tensor<4xi64>) {
  // CHECK: accel.and %{{.+}}, %{{.+}} : tensor<4xi1>
  %and = accel.and %p, %p : tensor<4xi1>
  // CHECK: accel.or %{{.+}}, %{{.+}} : tensor<4xi1>
  %or = accel.or %p, %p : tensor<4xi1>
  // CHECK: accel.not %{{.+}} : tensor<4xi1>
  %not = accel.not %p : tensor<4xi1>
  // CHECK: accel.is_nan %{{.+}} : tensor<4xf32> -> tensor<4xi1>
  %nan = accel.is_nan %x : tensor<4xf32> -> tensor<4xi1>
  // CHECK: accel.compare eq, %{{.+}}, %{{.+}} : tensor<4xi64> -> tensor<4xi1>
  %eq = accel.compare eq, %i, %i : tensor<4xi64> -> tensor<4xi1>
  // CHECK: accel.compare ne, %{{.+}}, %{{.+}} : tensor<4xi64> -> tensor<4xi1>
  %ne = accel.compare ne, %i, %i : tensor<4xi64> -> tensor<4xi1>
  // CHECK: accel.compare lt, %{{.+}}, %{{.+}} : tensor<4xi64> -> tensor<4xi1>
  %lt = accel.compare lt, %i, %i : tensor<4xi64> -> tensor<4xi1>
  // CHECK: accel.compare le, %{{.+}}, %{{.+}} : tensor<4xi64> -> tensor<4xi1>
  %le = accel.compare le, %i, %i : tensor<4xi64> -> tensor<4xi1>
  // CHECK: accel.compare gt, %{{.+}}, %{{.+}} : tensor<4xi64> -> tensor<4xi1>
  %gt = accel.compare gt, %i, %i : tensor<4xi64> -> tensor<4xi1>
  // CHECK: accel.compare ge, %{{.+}}, %{{.+}} : tensor<4xi64> -> tensor<4xi1>
  %ge = accel.compare ge, %i, %i : tensor<4xi64> -> tensor<4xi1>
  // CHECK: accel.select %{{.+}}, %{{.+}}, %{{.+}} : tensor<4xi1>, tensor<4xf32>
  %select = accel.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  // CHECK: accel.stop_gradient %{{.+}} : tensor<4xf32>
  %stopped = accel.stop_gradient %x : tensor<4xf32>
  // CHECK: accel.cast %{{.+}} : tensor<4xi64> -> tensor<4xbf16>
  %cast = accel.cast %i : tensor<4xi64> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @bits
func.func @bits(%i: tensor<4xi32>, %l: tensor<5xi64>, %f: tensor<4xf32>) {
  // CHECK: accel.bitwise and, %{{.+}}, %{{.+}} : tensor<4xi32>
  %and = accel.bitwise and, %i, %i : tensor<4xi32>
  // CHECK: accel.bitwise or, %{{.+}}, %{{.+}} : tensor<5xi64>
  %or = accel.bitwise or, %l, %l : tensor<5xi64>
  // CHECK: accel.bitwise xor, %{{.+}}, %{{.+}} : tensor<5xi64>
  %xor = accel.bitwise xor, %l, %l : tensor<5xi64>
  // CHECK: accel.bitwise shift_left, %{{.+}}, %{{.+}} : tensor<4xi32>
  %left = accel.bitwise shift_left, %i, %i : tensor<4xi32>
  // CHECK: accel.bitwise shift_right, %{{.+}}, %{{.+}} : tensor<4xi32>
  %right = accel.bitwise shift_right, %i, %i : tensor<4xi32>
  // CHECK: accel.bitcast %{{.+}} : tensor<4xf32> -> tensor<4xi32>
  %word = accel.bitcast %f : tensor<4xf32> -> tensor<4xi32>
  // CHECK: accel.bitcast %{{.+}} : tensor<5xi64> -> tensor<5xf64>
  %double = accel.bitcast %l : tensor<5xi64> -> tensor<5xf64>
  return
}

// CHECK-LABEL: func.func @small_floats
func.func @small_floats(%p: tensor<4xi1>, %x: tensor<4xf32>, %h: tensor<4xf16>) {
  // CHECK: accel.cast %{{.+}} : tensor<4xf32> -> tensor<4xf16>
  %half = accel.cast %x : tensor<4xf32> -> tensor<4xf16>
  // CHECK: accel.cast %{{.+}} saturate : tensor<4xf32> -> tensor<4xbf16>
  %brain = accel.cast %x saturate : tensor<4xf32> -> tensor<4xbf16>
  // CHECK: accel.cast %{{.+}} saturate : tensor<4xf16> -> tensor<4xf8E4M3FN>
  %e4m3 = accel.cast %h saturate : tensor<4xf16> -> tensor<4xf8E4M3FN>
  // CHECK: accel.cast %{{.+}} saturate : tensor<4xf8E4M3FN> -> tensor<4xf8E5M2>
  %e5m2 = accel.cast %e4m3 saturate : tensor<4xf8E4M3FN> -> tensor<4xf8E5M2>
  // CHECK: accel.cast %{{.+}} : tensor<4xf32> -> tensor<4xf8E8M0FNU>
  %scale = accel.cast %x : tensor<4xf32> -> tensor<4xf8E8M0FNU>
  // CHECK: accel.cast %{{.+}} : tensor<4xf8E8M0FNU> -> tensor<4xf64>
  %double = accel.cast %scale : tensor<4xf8E8M0FNU> -> tensor<4xf64>
  // CHECK: accel.select %{{.+}}, %{{.+}}, %{{.+}} : tensor<4xi1>, tensor<4xf8E5M2>
  %chosen = accel.select %p, %e5m2, %e5m2 : tensor<4xi1>, tensor<4xf8E5M2>
  return
}
