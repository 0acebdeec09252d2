// RUN: accel-opt %s --accel-assign-buffers --accel-assign-geometry --accel-verify-fuse --split-input-file | FileCheck %s

// Which results lie where an operand lay.

func.func private @neg_0(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {columns = 64 : i64, elements = 64 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.neg %x : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// Nobody reads the product after the first kernel, and nobody the first kernel's result after the second.
// CHECK-LABEL: func.func @step
// CHECK: plan.launch @matmul{{.+}}(%{{.+}}, %{{.+}}, %[[P:.+]]) [read, read, write]
// CHECK-NEXT: plan.launch @neg_0(%[[P]], %[[P]]) [read, write]
// CHECK-NEXT: plan.launch @neg_0(%[[P]], %[[P]]) [read, write]
// CHECK-NEXT: plan.launch @matmul{{.+}}(%{{.+}}, %[[P]], %{{.+}}) [read, read, write]
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<4x8xf32>
    %w = accel.input "w" : tensor<8x16xf32>
    %p = func.call @matmul_4x16x8(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %n = func.call @neg_0(%p) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %m = func.call @neg_0(%n) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %g = func.call @matmul_8x16x4(%x, %m) : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  }
  return
}

func.func private @matmul_4x16x8(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 64 : i64, kind = "product", rows = 4 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}
func.func private @matmul_8x16x4(%a: tensor<4x8xf32>, %b: tensor<4x16xf32>) -> tensor<8x16xf32> attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 128 : i64, kind = "product", rows = 8 : i64}} {
  %c = accel.matmul %a, %b {transpose_lhs} : tensor<4x8xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}

// -----

func.func private @neg_0(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {columns = 64 : i64, elements = 64 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.neg %x : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// The product is read again, through a view, behind the kernel.
// CHECK-LABEL: func.func @step
// CHECK: plan.launch @matmul{{.+}}(%{{.+}}, %{{.+}}, %[[P:.+]]) [read, read, write]
// CHECK-NEXT: plan.launch @neg_0(%[[P]], %[[N:.+]]) [read, write]
// CHECK-NEXT: plan.launch @matmul{{.+}}(%[[N]], %{{.+}}, %{{.+}}) [read, read, write]
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<4x8xf32>
    %w = accel.input "w" : tensor<8x16xf32>
    %p = func.call @matmul_4x16x8(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %n = func.call @neg_0(%p) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %v = accel.reshape %p : tensor<4x16xf32> -> tensor<16x4xf32>
    %g = func.call @matmul_4x4x16(%n, %v) : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  }
  return
}

func.func private @matmul_4x16x8(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 64 : i64, kind = "product", rows = 4 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}
func.func private @matmul_4x4x16(%a: tensor<4x16xf32>, %b: tensor<16x4xf32>) -> tensor<4x4xf32> attributes {plan.kernel = {block = 16 : i64, columns = 4 : i64, elements = 16 : i64, kind = "product", rows = 4 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x16xf32>, tensor<16x4xf32> -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// -----

func.func private @transposed_0(%x: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {plan.kernel = {columns = 1 : i64, elements = 256 : i64, kind = "rows", rows = 256 : i64}} {
  %t = accel.transpose %x [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  %y = accel.neg %t : tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// An element is read where another one is written.
// CHECK-LABEL: func.func @step
// CHECK: plan.launch @matmul{{.+}}(%{{.+}}, %{{.+}}, %[[P:.+]]) [read, read, write]
// CHECK-NEXT: plan.launch @transposed_0(%[[P]], %[[N:.+]]) [read, write]
// CHECK-NEXT: plan.launch @matmul{{.+}}(%{{.+}}, %[[N]], %{{.+}}) [read, read, write]
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<16x16xf32>
    %p = func.call @matmul_16x16x16(%x, %x) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %n = func.call @transposed_0(%p) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %g = func.call @matmul_16x16x16(%x, %n) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  }
  return
}

func.func private @matmul_16x16x16(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 256 : i64, kind = "product", rows = 16 : i64}} {
  %c = accel.matmul %a, %b : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}

// -----

func.func private @scaled_0(%x: tensor<4x16xf32>, %z: tensor<4x16xf32>) -> (tensor<64xf32>, tensor<4xf32>, tensor<4x16xf32>) attributes {plan.kernel = {columns = 16 : i64, elements = 64 : i64, kind = "rows", rows = 4 : i64}} {
  %s = accel.reduce_sum %x [1] : tensor<4x16xf32> -> tensor<4xf32>
  %b = accel.broadcast %s [0] : tensor<4xf32> -> tensor<4x16xf32>
  %y = accel.mul %x, %b : tensor<4x16xf32>
  %w = accel.add %y, %z : tensor<4x16xf32>
  %r = accel.reshape %y : tensor<4x16xf32> -> tensor<64xf32>
  return %r, %s, %w : tensor<64xf32>, tensor<4xf32>, tensor<4x16xf32>
}

// Rows are summed before they are overwritten; each full result has an operand of its own, under its own shape; the sums have
// none.
// CHECK-LABEL: func.func @step
// CHECK: %[[V:.+]] = plan.view %[[P:.+]] at 0 : memref<4x16xf32> to memref<64xf32>
// CHECK: plan.launch @matmul{{.+}}(%{{.+}}, %{{.+}}, %[[P]]) [read, read, write]
// CHECK-NEXT: plan.launch @matmul{{.+}}(%{{.+}}, %{{.+}}, %[[Q:.+]]) [read, read, write]
// CHECK: plan.launch @scaled_0(%[[P]], %[[Q]], %[[V]], %[[S:.+]], %[[Q]]) [read, read, write, write, write]
// CHECK: plan.launch @matmul{{.+}}(%[[Q]], %{{.+}}, %{{.+}}) [read, read, write]
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<4x8xf32>
    %w = accel.input "w" : tensor<8x16xf32>
    %p = func.call @matmul_4x16x8(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %q = func.call @matmul_4x16x8(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %r:3 = func.call @scaled_0(%p, %q) : (tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<64xf32>, tensor<4xf32>, tensor<4x16xf32>)
    %v = accel.reshape %r#0 : tensor<64xf32> -> tensor<16x4xf32>
    %t = accel.reshape %r#1 : tensor<4xf32> -> tensor<4x1xf32>
    %g = func.call @matmul_4x4x16(%r#2, %v) : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
    %h = func.call @matmul_4x1x4(%g, %t) : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  }
  return
}

func.func private @matmul_4x16x8(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 64 : i64, kind = "product", rows = 4 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}
func.func private @matmul_4x4x16(%a: tensor<4x16xf32>, %b: tensor<16x4xf32>) -> tensor<4x4xf32> attributes {plan.kernel = {block = 16 : i64, columns = 4 : i64, elements = 16 : i64, kind = "product", rows = 4 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x16xf32>, tensor<16x4xf32> -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
func.func private @matmul_4x1x4(%a: tensor<4x4xf32>, %b: tensor<4x1xf32>) -> tensor<4x1xf32> attributes {plan.kernel = {block = 16 : i64, columns = 1 : i64, elements = 4 : i64, kind = "product", rows = 4 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x4xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  return %c : tensor<4x1xf32>
}

// -----

// What the kernel computes of its operand it reads in another order: the result would lie over elements that are still to be read.
func.func private @neg_0(%x: tensor<4x16xf32>) -> tensor<16x4xf32> attributes {plan.kernel = {columns = 4 : i64, elements = 64 : i64, kind = "rows", rows = 16 : i64}} {
  %n = accel.neg %x : tensor<4x16xf32>
  %t = accel.transpose %n [1, 0] : tensor<4x16xf32> -> tensor<16x4xf32>
  %y = accel.abs %t : tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}

// CHECK-LABEL: func.func @step
// CHECK: plan.launch @matmul{{.+}}(%{{.+}}, %{{.+}}, %[[P:.+]]) [read, read, write]
// CHECK-NEXT: plan.launch @neg_0(%[[P]], %[[N:.+]]) [read, write]
// CHECK-NEXT: plan.launch @matmul{{.+}}(%[[N]], %{{.+}}, %{{.+}}) [read, read, write]
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<4x8xf32>
    %w = accel.input "w" : tensor<8x16xf32>
    %p = func.call @matmul_4x16x8(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %n = func.call @neg_0(%p) : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %g = func.call @matmul_16x8x4(%n, %x) : (tensor<16x4xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  }
  return
}

func.func private @matmul_4x16x8(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 64 : i64, kind = "product", rows = 4 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}
func.func private @matmul_16x8x4(%a: tensor<16x4xf32>, %b: tensor<4x8xf32>) -> tensor<16x8xf32> attributes {plan.kernel = {block = 16 : i64, columns = 8 : i64, elements = 128 : i64, kind = "product", rows = 16 : i64}} {
  %c = accel.matmul %a, %b : tensor<16x4xf32>, tensor<4x8xf32> -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}
