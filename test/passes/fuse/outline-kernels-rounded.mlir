// RUN: accel-opt %s --accel-outline-kernels -split-input-file | FileCheck %s

// Behind a product what is rounded moves into its kernel even where a kernel of rows alone reads it: bf16 is stored and not f32. The
// cast back is part of the kernel that reads.
accel.state @x accumulator : tensor<32x16xf32>
accel.state @w accumulator : tensor<16x48xf32>
accel.state @y accumulator : tensor<32xf32>
// CHECK-LABEL: func.func @step
// CHECK: %[[P:.+]] = call @[[PRODUCT:matmul[a-z_0-9]+]]({{.*}}) : ({{.*}}) -> tensor<32x48xbf16>
// CHECK: call @[[ROWS:[a-z_0-9]+]](%[[P]]) : (tensor<32x48xbf16>) -> tensor<32xf32>
// CHECK: func.func private @[[PRODUCT]]
// CHECK: accel.matmul
// CHECK: %[[N:.+]] = accel.cast %{{.+}} : tensor<32x48xf32> -> tensor<32x48xbf16>
// CHECK: return %[[N]]
// CHECK: func.func private @[[ROWS]](%[[A:.+]]: tensor<32x48xbf16>)
// CHECK: accel.cast %[[A]] : tensor<32x48xbf16> -> tensor<32x48xf32>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<32x16xf32>
  %w = accel.read @w : tensor<16x48xf32>
  %xn = accel.cast %x : tensor<32x16xf32> -> tensor<32x16xbf16>
  %wn = accel.cast %w : tensor<16x48xf32> -> tensor<16x48xbf16>
  %p = accel.matmul %xn, %wn : tensor<32x16xbf16>, tensor<16x48xbf16> -> tensor<32x48xf32>
  %n = accel.cast %p : tensor<32x48xf32> -> tensor<32x48xbf16>
  %f = accel.cast %n : tensor<32x48xbf16> -> tensor<32x48xf32>
  %e = accel.exp %f : tensor<32x48xf32>
  %s = accel.reduce_sum %e [1] : tensor<32x48xf32> -> tensor<32xf32>
  accel.write @y, %s : tensor<32xf32>
  return
}

// -----

// The derivative of an activation is made of the rounded operand where it is needed, and stored by nobody.
accel.state @x accumulator : tensor<32x16xf32>
accel.state @w accumulator : tensor<16x48xf32>
accel.state @v accumulator : tensor<48x16xf32>
accel.state @y accumulator : tensor<32x16xf32>
accel.state @z accumulator : tensor<32x48xf32>
// CHECK-LABEL: func.func @step
// CHECK: call @[[FIRST:matmul[a-z_0-9]+]]({{.*}}) -> (tensor<32x48xbf16>, tensor<32x48xbf16>)
// CHECK: call @[[LAST:abs[a-z_0-9]+]]({{.*}}) : (tensor<32x48xf32>, tensor<32x48xbf16>) -> tensor<32x48xf32>
// CHECK: func.func private @[[LAST]]
// CHECK: accel.cast %{{.+}} : tensor<32x48xbf16> -> tensor<32x48xf32>
// CHECK: accel.cos
// CHECK: accel.mul
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<32x16xf32>
  %w = accel.read @w : tensor<16x48xf32>
  %v = accel.read @v : tensor<48x16xf32>
  %xn = accel.cast %x : tensor<32x16xf32> -> tensor<32x16xbf16>
  %wn = accel.cast %w : tensor<16x48xf32> -> tensor<16x48xbf16>
  %vn = accel.cast %v : tensor<48x16xf32> -> tensor<48x16xbf16>
  %p = accel.matmul %xn, %wn : tensor<32x16xbf16>, tensor<16x48xbf16> -> tensor<32x48xf32>
  %n = accel.cast %p : tensor<32x48xf32> -> tensor<32x48xbf16>
  %f = accel.cast %n : tensor<32x48xbf16> -> tensor<32x48xf32>
  %s = accel.sin %f : tensor<32x48xf32>
  %sn = accel.cast %s : tensor<32x48xf32> -> tensor<32x48xbf16>
  %c = accel.cos %f : tensor<32x48xf32>
  %q = accel.matmul %sn, %vn : tensor<32x48xbf16>, tensor<48x16xbf16> -> tensor<32x16xf32>
  accel.write @y, %q : tensor<32x16xf32>
  %qn = accel.cast %q : tensor<32x16xf32> -> tensor<32x16xbf16>
  %g = accel.matmul %qn, %vn {transpose_rhs} : tensor<32x16xbf16>, tensor<48x16xbf16> -> tensor<32x48xf32>
  %d = accel.mul %g, %c : tensor<32x48xf32>
  %r = accel.abs %d : tensor<32x48xf32>
  accel.write @z, %r : tensor<32x48xf32>
  return
}

// -----

// A kernel that reads a value in another order than it was computed in reads it from memory: it does not compute it again, where its
// result might lie over what it still has to read.
accel.state @x accumulator : tensor<32x16xf32>
accel.state @w accumulator : tensor<16x48xf32>
accel.state @z accumulator : tensor<4x32x32xf32>
// CHECK-LABEL: func.func @step
// CHECK: %[[P:.+]]:2 = call @matmul{{[a-z_0-9]+}}({{.*}}) : ({{.*}}) -> (tensor<32x48xbf16>, tensor<32x48xf32>)
// CHECK: call @abs_0(%[[P]]#1) : (tensor<32x48xf32>) -> tensor<4x32x12xbf16>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<32x16xf32>
  %w = accel.read @w : tensor<16x48xf32>
  %xn = accel.cast %x : tensor<32x16xf32> -> tensor<32x16xbf16>
  %wn = accel.cast %w : tensor<16x48xf32> -> tensor<16x48xbf16>
  %p = accel.matmul %xn, %wn : tensor<32x16xbf16>, tensor<16x48xbf16> -> tensor<32x48xf32>
  %n = accel.cast %p : tensor<32x48xf32> -> tensor<32x48xbf16>
  %f = accel.cast %n : tensor<32x48xbf16> -> tensor<32x48xf32>
  %c = accel.cos %f : tensor<32x48xf32>
  %q = accel.matmul %n, %n {transpose_rhs} : tensor<32x48xbf16>, tensor<32x48xbf16> -> tensor<32x32xf32>
  %c4 = accel.reshape %c : tensor<32x48xf32> -> tensor<32x4x12xf32>
  %t = accel.transpose %c4 [1, 0, 2] : tensor<32x4x12xf32> -> tensor<4x32x12xf32>
  %a = accel.abs %t : tensor<4x32x12xf32>
  %an = accel.cast %a : tensor<4x32x12xf32> -> tensor<4x32x12xbf16>
  %s = accel.matmul %an, %an {transpose_rhs} : tensor<4x32x12xbf16>, tensor<4x32x12xbf16> -> tensor<4x32x32xf32>
  %qs = accel.broadcast %q [1, 2] : tensor<32x32xf32> -> tensor<4x32x32xf32>
  %z = accel.add %s, %qs : tensor<4x32x32xf32>
  accel.write @z, %z : tensor<4x32x32xf32>
  return
}
