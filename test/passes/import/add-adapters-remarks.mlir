// RUN: accel-opt %s --accel-add-adapters=rank=3 --remarks-filter=accel-add-adapters --remark-format=emitRemark --verify-diagnostics

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
