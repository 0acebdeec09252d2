// RUN: accel-opt %s --split-input-file --accel-add-adapters=rank=3 --remarks-filter=accel-add-adapters --remark-format=emitRemark --verify-diagnostics

// Every weight with a pair is told, and at how many products.
module {
  // expected-remark@below {{'fc' has an adapter of rank 3 at 2 products}}
  accel.parameter @fc.weight : tensor<4x4xf32>
  accel.parameter @head.weight : tensor<4x4xf32>
  func.func @forward(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %w = accel.read @fc.weight : tensor<4x4xf32>
    %h = accel.read @head.weight : tensor<4x4xf32>
    %y = accel.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %z = accel.matmul %y, %w : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %l = accel.matmul %z, %h : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    return %l : tensor<8x4xf32>
  }
}

// -----

// A layer whose weight attention reads itself has none, unless the layer was called. Keys of another size have a weight of their own.
module {
  accel.parameter @a.in_proj_weight : tensor<4x4xf32>
  // expected-remark@below {{'a.out_proj' has no adapter: MultiheadAttention reads its weight itself, so PEFT would not apply one; targets=REGEX adds one all the same}}
  accel.parameter @a.out_proj.weight : tensor<4x4xf32>
  accel.parameter @b.q_proj_weight : tensor<4x4xf32>
  // expected-remark@below {{'b.out_proj' has no adapter}}
  accel.parameter @b.out_proj.weight : tensor<4x4xf32>
  accel.parameter @c.in_proj_weight : tensor<4x4xf32>
  // expected-remark@below {{'c.out_proj' has an adapter of rank 3 at 1 products}}
  accel.parameter @c.out_proj.weight : tensor<4x4xf32>
  // expected-remark@below {{'d.out_proj' has an adapter of rank 3 at 1 products}}
  accel.parameter @d.out_proj.weight : tensor<4x4xf32>
  accel.parameter @head.weight : tensor<4x4xf32>
  func.func @forward(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %a = accel.read @a.out_proj.weight : tensor<4x4xf32>
    %b = accel.read @b.out_proj.weight : tensor<4x4xf32>
    %c = accel.read @c.out_proj.weight : tensor<4x4xf32>
    %d = accel.read @d.out_proj.weight : tensor<4x4xf32>
    %h = accel.read @head.weight : tensor<4x4xf32>
    %p = accel.matmul %x, %a : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32> loc(fused<"a">["1"])
    %q = accel.matmul %p, %b : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %r = accel.matmul %q, %c : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32> loc(fused<"c.out_proj">["2"])
    %s = accel.matmul %r, %d : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32> loc(fused<"d">["3"])
    %l = accel.matmul %s, %h : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    return %l : tensor<8x4xf32>
  }
}
