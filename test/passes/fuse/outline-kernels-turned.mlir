// RUN: accel-opt %s --accel-outline-kernels=target=compute_90 -split-input-file | FileCheck %s

// What a kernel casts for two products, of which one wants it transposed, it stores both ways, in rows of the source.
accel.state @x accumulator : tensor<2x24x32xbf16>
accel.state @s accumulator : tensor<f32>
accel.state @w accumulator : tensor<16x32xf8E4M3FN>
accel.state @g accumulator : tensor<64x48xf8E5M2>
accel.state @y accumulator : tensor<48x16xf32>
accel.state @d accumulator : tensor<32x64xf32>
// CHECK-LABEL: func.func @step
// CHECK: %[[Q:.+]]:2 = call @[[BOTH:mul_copy_0]](%{{.+}}, %{{.+}}) : (tensor<2x24x32xbf16>, tensor<f32>) -> (tensor<2x24x32xf8E4M3FN>, tensor<32x48xf8E4M3FN>)
// CHECK: call @matmul_48x16x32_0(%[[Q]]#0,
// CHECK: call @matmul_32x64x48_0(%[[Q]]#1,
// CHECK: func.func private @[[BOTH]](
// CHECK-SAME: plan.kernel = {columns = 32 : i64, elements = 1536 : i64, kind = "rows", rows = 48 : i64}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<2x24x32xbf16>
  %s = accel.read @s : tensor<f32>
  %w = accel.read @w : tensor<16x32xf8E4M3FN>
  %g = accel.read @g : tensor<64x48xf8E5M2>
  %f = accel.cast %x : tensor<2x24x32xbf16> -> tensor<2x24x32xf32>
  %b = accel.broadcast %s [] : tensor<f32> -> tensor<2x24x32xf32>
  %p = accel.mul %f, %b : tensor<2x24x32xf32>
  %q = accel.cast %p saturate : tensor<2x24x32xf32> -> tensor<2x24x32xf8E4M3FN>
  %m = accel.reshape %q : tensor<2x24x32xf8E4M3FN> -> tensor<48x32xf8E4M3FN>
  %y = accel.matmul %m, %w {transpose_rhs} : tensor<48x32xf8E4M3FN>, tensor<16x32xf8E4M3FN> -> tensor<48x16xf32>
  accel.write @y, %y : tensor<48x16xf32>
  %t = accel.transpose %m [1, 0] stored : tensor<48x32xf8E4M3FN> -> tensor<32x48xf8E4M3FN>
  %d = accel.matmul %t, %g as weight_gradient {transpose_rhs} : tensor<32x48xf8E4M3FN>, tensor<64x48xf8E5M2> -> tensor<32x64xf32>
  accel.write @d, %d : tensor<32x64xf32>
  return
}

// -----

// So it does with what attention leaves head by head, whose copy in the order of tokens is another kernel.
accel.state @x accumulator : tensor<2x2x24x16xbf16>
accel.state @s accumulator : tensor<f32>
accel.state @w accumulator : tensor<16x32xf8E4M3FN>
accel.state @g accumulator : tensor<64x48xf8E5M2>
accel.state @y accumulator : tensor<48x16xf32>
accel.state @d accumulator : tensor<32x64xf32>
// CHECK-LABEL: func.func @step
// CHECK: %[[Q:.+]]:2 = call @mul_copy_0(%{{.+}}, %{{.+}}) : (tensor<2x2x24x16xbf16>, tensor<f32>) -> (tensor<2x2x24x16xf8E4M3FN>, tensor<32x48xf8E4M3FN>)
// CHECK: func.func private @mul_copy_0(
// CHECK-SAME: columns = 16 : i64, elements = 1536 : i64, kind = "rows", rows = 96 : i64
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<2x2x24x16xbf16>
  %s = accel.read @s : tensor<f32>
  %w = accel.read @w : tensor<16x32xf8E4M3FN>
  %g = accel.read @g : tensor<64x48xf8E5M2>
  %f = accel.cast %x : tensor<2x2x24x16xbf16> -> tensor<2x2x24x16xf32>
  %b = accel.broadcast %s [] : tensor<f32> -> tensor<2x2x24x16xf32>
  %p = accel.mul %f, %b : tensor<2x2x24x16xf32>
  %q = accel.cast %p saturate : tensor<2x2x24x16xf32> -> tensor<2x2x24x16xf8E4M3FN>
  %h = accel.transpose %q [0, 2, 1, 3] : tensor<2x2x24x16xf8E4M3FN> -> tensor<2x24x2x16xf8E4M3FN>
  %m = accel.reshape %h : tensor<2x24x2x16xf8E4M3FN> -> tensor<48x32xf8E4M3FN>
  %y = accel.matmul %m, %w {transpose_rhs} : tensor<48x32xf8E4M3FN>, tensor<16x32xf8E4M3FN> -> tensor<48x16xf32>
  accel.write @y, %y : tensor<48x16xf32>
  %t = accel.transpose %m [1, 0] stored : tensor<48x32xf8E4M3FN> -> tensor<32x48xf8E4M3FN>
  %d = accel.matmul %t, %g as weight_gradient {transpose_rhs} : tensor<32x48xf8E4M3FN>, tensor<64x48xf8E5M2> -> tensor<32x64xf32>
  accel.write @d, %d : tensor<32x64xf32>
  return
}

// -----

// Blocks of four would not fill the tokens of a head: a copy.
accel.state @x accumulator : tensor<8x2x6x16xbf16>
accel.state @s accumulator : tensor<f32>
accel.state @w accumulator : tensor<16x32xf8E4M3FN>
accel.state @g accumulator : tensor<64x48xf8E5M2>
accel.state @y accumulator : tensor<48x16xf32>
accel.state @d accumulator : tensor<32x64xf32>
// CHECK-LABEL: func.func @step
// CHECK: call @copy_{{[01]}}(%{{.+}}) : (tensor<8x2x6x16xf8E4M3FN>) -> tensor<32x48xf8E4M3FN>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<8x2x6x16xbf16>
  %s = accel.read @s : tensor<f32>
  %w = accel.read @w : tensor<16x32xf8E4M3FN>
  %g = accel.read @g : tensor<64x48xf8E5M2>
  %f = accel.cast %x : tensor<8x2x6x16xbf16> -> tensor<8x2x6x16xf32>
  %b = accel.broadcast %s [] : tensor<f32> -> tensor<8x2x6x16xf32>
  %p = accel.mul %f, %b : tensor<8x2x6x16xf32>
  %q = accel.cast %p saturate : tensor<8x2x6x16xf32> -> tensor<8x2x6x16xf8E4M3FN>
  %h = accel.transpose %q [0, 2, 1, 3] : tensor<8x2x6x16xf8E4M3FN> -> tensor<8x6x2x16xf8E4M3FN>
  %m = accel.reshape %h : tensor<8x6x2x16xf8E4M3FN> -> tensor<48x32xf8E4M3FN>
  %y = accel.matmul %m, %w {transpose_rhs} : tensor<48x32xf8E4M3FN>, tensor<16x32xf8E4M3FN> -> tensor<48x16xf32>
  accel.write @y, %y : tensor<48x16xf32>
  %t = accel.transpose %m [1, 0] stored : tensor<48x32xf8E4M3FN> -> tensor<32x48xf8E4M3FN>
  %d = accel.matmul %t, %g as weight_gradient {transpose_rhs} : tensor<32x48xf8E4M3FN>, tensor<64x48xf8E5M2> -> tensor<32x64xf32>
  accel.write @d, %d : tensor<32x64xf32>
  return
}

// -----

// A kernel that sums or takes the maximum of rows has its own loop: a copy.
accel.state @x accumulator : tensor<2x24x32xbf16>
accel.state @s accumulator : tensor<f32>
accel.state @w accumulator : tensor<16x32xf8E4M3FN>
accel.state @g accumulator : tensor<64x48xf8E5M2>
accel.state @y accumulator : tensor<48x16xf32>
accel.state @d accumulator : tensor<32x64xf32>
accel.state @a accumulator : tensor<2x24xf32>
// CHECK-LABEL: func.func @step
// CHECK: call @copy_{{[01]}}(%{{.+}}) : (tensor<2x24x32xf8E4M3FN>) -> tensor<32x48xf8E4M3FN>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<2x24x32xbf16>
  %s = accel.read @s : tensor<f32>
  %w = accel.read @w : tensor<16x32xf8E4M3FN>
  %g = accel.read @g : tensor<64x48xf8E5M2>
  %f = accel.cast %x : tensor<2x24x32xbf16> -> tensor<2x24x32xf32>
  %n = accel.abs %f : tensor<2x24x32xf32>
  %a = accel.reduce_max %n [2] : tensor<2x24x32xf32> -> tensor<2x24xf32>
  accel.write @a, %a : tensor<2x24xf32>
  %b = accel.broadcast %s [] : tensor<f32> -> tensor<2x24x32xf32>
  %p = accel.mul %n, %b : tensor<2x24x32xf32>
  %q = accel.cast %p saturate : tensor<2x24x32xf32> -> tensor<2x24x32xf8E4M3FN>
  %m = accel.reshape %q : tensor<2x24x32xf8E4M3FN> -> tensor<48x32xf8E4M3FN>
  %y = accel.matmul %m, %w {transpose_rhs} : tensor<48x32xf8E4M3FN>, tensor<16x32xf8E4M3FN> -> tensor<48x16xf32>
  accel.write @y, %y : tensor<48x16xf32>
  %t = accel.transpose %m [1, 0] stored : tensor<48x32xf8E4M3FN> -> tensor<32x48xf8E4M3FN>
  %d = accel.matmul %t, %g as weight_gradient {transpose_rhs} : tensor<32x48xf8E4M3FN>, tensor<64x48xf8E5M2> -> tensor<32x64xf32>
  accel.write @d, %d : tensor<32x64xf32>
  return
}

// -----

// What the kernel leaves in a symbol, of which a rank may have a part, is cut otherwise: a copy.
accel.state @x accumulator : tensor<2x24x32xbf16>
accel.state @s accumulator : tensor<f32>
accel.state @w accumulator : tensor<16x32xf8E4M3FN>
accel.state @g accumulator : tensor<64x48xf8E5M2>
accel.state @y accumulator : tensor<48x16xf32>
accel.state @d accumulator : tensor<32x64xf32>
accel.state @v accumulator : tensor<2x24x32xf32>
// CHECK-LABEL: func.func @step
// CHECK: call @copy_{{[01]}}(%{{.+}}) : (tensor<2x24x32xf8E4M3FN>) -> tensor<32x48xf8E4M3FN>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<2x24x32xbf16>
  %s = accel.read @s : tensor<f32>
  %w = accel.read @w : tensor<16x32xf8E4M3FN>
  %g = accel.read @g : tensor<64x48xf8E5M2>
  %f = accel.cast %x : tensor<2x24x32xbf16> -> tensor<2x24x32xf32>
  %b = accel.broadcast %s [] : tensor<f32> -> tensor<2x24x32xf32>
  %p = accel.mul %f, %b : tensor<2x24x32xf32>
  %q = accel.cast %p saturate : tensor<2x24x32xf32> -> tensor<2x24x32xf8E4M3FN>
  accel.write @v, %p : tensor<2x24x32xf32>
  %m = accel.reshape %q : tensor<2x24x32xf8E4M3FN> -> tensor<48x32xf8E4M3FN>
  %y = accel.matmul %m, %w {transpose_rhs} : tensor<48x32xf8E4M3FN>, tensor<16x32xf8E4M3FN> -> tensor<48x16xf32>
  accel.write @y, %y : tensor<48x16xf32>
  %t = accel.transpose %m [1, 0] stored : tensor<48x32xf8E4M3FN> -> tensor<32x48xf8E4M3FN>
  %d = accel.matmul %t, %g as weight_gradient {transpose_rhs} : tensor<32x48xf8E4M3FN>, tensor<64x48xf8E5M2> -> tensor<32x64xf32>
  accel.write @d, %d : tensor<32x64xf32>
  return
}

// -----

// Nobody reads it by rows: it goes to memory once for the copy.
accel.state @x accumulator : tensor<2x24x32xbf16>
accel.state @s accumulator : tensor<f32>
accel.state @w accumulator : tensor<16x32xf8E4M3FN>
accel.state @g accumulator : tensor<64x48xf8E5M2>
accel.state @y accumulator : tensor<48x16xf32>
accel.state @d accumulator : tensor<32x64xf32>
// CHECK-LABEL: func.func @step
// CHECK: call @copy_{{[01]}}(%{{.+}}) : (tensor<2x24x32xf8E4M3FN>) -> tensor<32x48xf8E4M3FN>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<2x24x32xbf16>
  %s = accel.read @s : tensor<f32>
  %w = accel.read @w : tensor<16x32xf8E4M3FN>
  %g = accel.read @g : tensor<64x48xf8E5M2>
  %f = accel.cast %x : tensor<2x24x32xbf16> -> tensor<2x24x32xf32>
  %b = accel.broadcast %s [] : tensor<f32> -> tensor<2x24x32xf32>
  %p = accel.mul %f, %b : tensor<2x24x32xf32>
  %q = accel.cast %p saturate : tensor<2x24x32xf32> -> tensor<2x24x32xf8E4M3FN>
  %m = accel.reshape %q : tensor<2x24x32xf8E4M3FN> -> tensor<48x32xf8E4M3FN>
  %t = accel.transpose %m [1, 0] stored : tensor<48x32xf8E4M3FN> -> tensor<32x48xf8E4M3FN>
  %d = accel.matmul %t, %g as weight_gradient {transpose_rhs} : tensor<32x48xf8E4M3FN>, tensor<64x48xf8E5M2> -> tensor<32x64xf32>
  accel.write @d, %d : tensor<32x64xf32>
  return
}

// -----

// It is made of what does not lie in rows of that length: a copy.
accel.state @x accumulator : tensor<32x48xbf16>
accel.state @s accumulator : tensor<f32>
accel.state @w accumulator : tensor<16x32xf8E4M3FN>
accel.state @g accumulator : tensor<64x48xf8E5M2>
accel.state @y accumulator : tensor<48x16xf32>
accel.state @d accumulator : tensor<32x64xf32>
// CHECK-LABEL: func.func @step
// CHECK: call @copy_{{[01]}}(%{{.+}}) : (tensor<48x32xf8E4M3FN>) -> tensor<32x48xf8E4M3FN>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<32x48xbf16>
  %s = accel.read @s : tensor<f32>
  %w = accel.read @w : tensor<16x32xf8E4M3FN>
  %g = accel.read @g : tensor<64x48xf8E5M2>
  %u = accel.transpose %x [1, 0] : tensor<32x48xbf16> -> tensor<48x32xbf16>
  %f = accel.cast %u : tensor<48x32xbf16> -> tensor<48x32xf32>
  %b = accel.broadcast %s [] : tensor<f32> -> tensor<48x32xf32>
  %p = accel.mul %f, %b : tensor<48x32xf32>
  %q = accel.cast %p saturate : tensor<48x32xf32> -> tensor<48x32xf8E4M3FN>
  %m = accel.reshape %q : tensor<48x32xf8E4M3FN> -> tensor<48x32xf8E4M3FN>
  %y = accel.matmul %m, %w {transpose_rhs} : tensor<48x32xf8E4M3FN>, tensor<16x32xf8E4M3FN> -> tensor<48x16xf32>
  accel.write @y, %y : tensor<48x16xf32>
  %t = accel.transpose %m [1, 0] stored : tensor<48x32xf8E4M3FN> -> tensor<32x48xf8E4M3FN>
  %d = accel.matmul %t, %g as weight_gradient {transpose_rhs} : tensor<32x48xf8E4M3FN>, tensor<64x48xf8E5M2> -> tensor<32x64xf32>
  accel.write @d, %d : tensor<32x64xf32>
  return
}

// -----

// Rows of a table: not all is computed element by element.
accel.state @x accumulator : tensor<64x32xbf16>
accel.state @s accumulator : tensor<f32>
accel.state @w accumulator : tensor<16x32xf8E4M3FN>
accel.state @g accumulator : tensor<64x48xf8E5M2>
accel.state @y accumulator : tensor<48x16xf32>
accel.state @d accumulator : tensor<32x64xf32>
accel.state @i accumulator : tensor<48xi64>
// CHECK-LABEL: func.func @step
// CHECK: call @copy_{{[01]}}(%{{.+}}) : (tensor<48x32xf8E4M3FN>) -> tensor<32x48xf8E4M3FN>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<64x32xbf16>
  %s = accel.read @s : tensor<f32>
  %w = accel.read @w : tensor<16x32xf8E4M3FN>
  %g = accel.read @g : tensor<64x48xf8E5M2>
  %i = accel.read @i : tensor<48xi64>
  %e = accel.gather %x, %i : tensor<64x32xbf16>, tensor<48xi64> -> tensor<48x32xbf16>
  %f = accel.cast %e : tensor<48x32xbf16> -> tensor<48x32xf32>
  %b = accel.broadcast %s [] : tensor<f32> -> tensor<48x32xf32>
  %p = accel.mul %f, %b : tensor<48x32xf32>
  %q = accel.cast %p saturate : tensor<48x32xf32> -> tensor<48x32xf8E4M3FN>
  %m = accel.reshape %q : tensor<48x32xf8E4M3FN> -> tensor<48x32xf8E4M3FN>
  %y = accel.matmul %m, %w {transpose_rhs} : tensor<48x32xf8E4M3FN>, tensor<16x32xf8E4M3FN> -> tensor<48x16xf32>
  accel.write @y, %y : tensor<48x16xf32>
  %t = accel.transpose %m [1, 0] stored : tensor<48x32xf8E4M3FN> -> tensor<32x48xf8E4M3FN>
  %d = accel.matmul %t, %g as weight_gradient {transpose_rhs} : tensor<32x48xf8E4M3FN>, tensor<64x48xf8E5M2> -> tensor<32x64xf32>
  accel.write @d, %d : tensor<32x64xf32>
  return
}

// -----

// Rows that follow each other in the copy are apart in the source: a copy.
accel.state @x accumulator : tensor<24x2x32xbf16>
accel.state @s accumulator : tensor<f32>
accel.state @w accumulator : tensor<16x32xf8E4M3FN>
accel.state @g accumulator : tensor<64x48xf8E5M2>
accel.state @y accumulator : tensor<48x16xf32>
accel.state @d accumulator : tensor<32x64xf32>
// CHECK-LABEL: func.func @step
// CHECK: call @copy_{{[01]}}(%{{.+}}) : (tensor<24x2x32xf8E4M3FN>) -> tensor<32x48xf8E4M3FN>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<24x2x32xbf16>
  %s = accel.read @s : tensor<f32>
  %w = accel.read @w : tensor<16x32xf8E4M3FN>
  %g = accel.read @g : tensor<64x48xf8E5M2>
  %f = accel.cast %x : tensor<24x2x32xbf16> -> tensor<24x2x32xf32>
  %b = accel.broadcast %s [] : tensor<f32> -> tensor<24x2x32xf32>
  %p = accel.mul %f, %b : tensor<24x2x32xf32>
  %q = accel.cast %p saturate : tensor<24x2x32xf32> -> tensor<24x2x32xf8E4M3FN>
  %h = accel.transpose %q [1, 0, 2] : tensor<24x2x32xf8E4M3FN> -> tensor<2x24x32xf8E4M3FN>
  %m = accel.reshape %h : tensor<2x24x32xf8E4M3FN> -> tensor<48x32xf8E4M3FN>
  %y = accel.matmul %m, %w {transpose_rhs} : tensor<48x32xf8E4M3FN>, tensor<16x32xf8E4M3FN> -> tensor<48x16xf32>
  accel.write @y, %y : tensor<48x16xf32>
  %t = accel.transpose %m [1, 0] stored : tensor<48x32xf8E4M3FN> -> tensor<32x48xf8E4M3FN>
  %d = accel.matmul %t, %g as weight_gradient {transpose_rhs} : tensor<32x48xf8E4M3FN>, tensor<64x48xf8E5M2> -> tensor<32x64xf32>
  accel.write @d, %d : tensor<32x64xf32>
  return
}
