// RUN: split-file %s %t
// RUN: accel-opt %t/masked.mlir --accel-sparse-prediction --accel-clean-graph | FileCheck %t/masked.mlir
// RUN: accel-opt %t/tied.mlir --accel-sparse-prediction --accel-clean-graph | FileCheck %t/tied.mlir
// RUN: accel-opt %t/turned.mlir --accel-sparse-prediction --accel-clean-graph | FileCheck %t/turned.mlir
// In the pipeline gradients skip the same rows.
// RUN: accel-opt %t/gradients.mlir --accel-differentiate=sparse-prediction=true | FileCheck %t/gradients.mlir

//--- masked.mlir
// Rows of two samples times one matrix that is repeated for both, a bias, a bound on the logits, and labels that are made behind all
// of it: the product moves to where they are known. The logits' other reader makes an output that nobody trains.
// CHECK-LABEL: func @microbatch
// CHECK: %[[LABELS:.+]] = accel.reshape %arg1 : tensor<2x4xi64> -> tensor<8xi64>
// CHECK-DAG: %[[HIGH:.+]] = accel.compare lt, %[[LABELS]], %{{.+}} :
// CHECK-DAG: %[[LOW:.+]] = accel.compare ge, %[[LABELS]], %{{.+}} :
// CHECK: %[[VALID:.+]] = accel.and %[[LOW]], %[[HIGH]]
// CHECK: %[[INDEX:.+]] = accel.select %[[VALID]], %{{.+}}, %{{.+}} : {{.*}}tensor<8xi64>
// CHECK: %[[ROWS:.+]] = accel.reshape %arg0 : tensor<2x4x16xf32> -> tensor<8x16xf32>
// CHECK: %[[PRODUCT:.+]] = accel.grouped_matmul %[[ROWS]], %{{.+}}, %[[INDEX]] {skip_others} : tensor<8x16xf32>, tensor<16x32xf32>, tensor<8xi64> -> tensor<8x32xf32>
// CHECK-NOT: accel.matmul
// CHECK: accel.add
// CHECK: accel.tanh
// CHECK: accel.softmax_cross_entropy %{{.+}}, %[[LABELS]]
accel.parameter @w : tensor<16x32xf32> trainable
accel.parameter @b : tensor<32xf32> trainable
func.func @microbatch(%x: tensor<2x4x16xf32>, %labels: tensor<2x4xi64>) -> tensor<8xf32> {
  %w = accel.read @w : tensor<16x32xf32>
  %b = accel.read @b : tensor<32xf32>
  %both = accel.broadcast %w [1, 2] : tensor<16x32xf32> -> tensor<2x16x32xf32>
  %product = accel.matmul %x, %both : tensor<2x4x16xf32>, tensor<2x16x32xf32> -> tensor<2x4x32xf32>
  %bias = accel.broadcast %b [2] : tensor<32xf32> -> tensor<2x4x32xf32>
  %sum = accel.add %product, %bias : tensor<2x4x32xf32>
  %bounded = accel.tanh %sum : tensor<2x4x32xf32>
  // Nobody reads it.
  %unread = accel.exp %bounded : tensor<2x4x32xf32>
  %logits = accel.reshape %bounded : tensor<2x4x32xf32> -> tensor<8x32xf32>
  %flat = accel.reshape %labels : tensor<2x4xi64> -> tensor<8xi64>
  %losses, %lse = accel.softmax_cross_entropy %logits, %flat : tensor<8x32xf32>, tensor<8xi64> -> tensor<8xf32>, tensor<8xf32>
  return %losses : tensor<8xf32>
}

//--- tied.mlir
// A matrix that lies transposed is not turned: a table of embeddings.
// CHECK-LABEL: func @microbatch
// CHECK: %[[TABLE:.+]] = accel.read @table
// CHECK: accel.grouped_matmul %arg0, %[[TABLE]], %{{.+}} {skip_others, transpose_weights}
accel.parameter @table : tensor<32x16xf32> trainable
func.func @microbatch(%x: tensor<8x16xf32>, %labels: tensor<8xi32>) -> tensor<8xf32> {
  %table = accel.read @table : tensor<32x16xf32>
  %w = accel.transpose %table [1, 0] : tensor<32x16xf32> -> tensor<16x32xf32>
  %logits = accel.matmul %x, %w : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %losses, %lse = accel.softmax_cross_entropy %logits, %labels : tensor<8x32xf32>, tensor<8xi32> -> tensor<8xf32>, tensor<8xf32>
  return %losses : tensor<8xf32>
}

//--- turned.mlir
// Positions in front of samples: the product's rows are in another order than the labels.
// CHECK-LABEL: func @microbatch
// CHECK: %[[INDEX:.+]] = accel.select
// CHECK: %[[SAMPLES:.+]] = accel.reshape %[[INDEX]] : tensor<8xi64> -> tensor<2x4xi64>
// CHECK: %[[POSITIONS:.+]] = accel.transpose %[[SAMPLES]] [1, 0] : tensor<2x4xi64> -> tensor<4x2xi64>
// CHECK: %[[ROWS:.+]] = accel.reshape %[[POSITIONS]] : tensor<4x2xi64> -> tensor<8xi64>
// CHECK: accel.grouped_matmul %arg0, %arg1, %[[ROWS]] {skip_others}
func.func @microbatch(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %labels: tensor<8xi64>) -> tensor<8xf32> {
  %product = accel.matmul %x, %w : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %positions = accel.reshape %product : tensor<8x32xf32> -> tensor<4x2x32xf32>
  %samples = accel.transpose %positions [1, 0, 2] : tensor<4x2x32xf32> -> tensor<2x4x32xf32>
  %logits = accel.reshape %samples : tensor<2x4x32xf32> -> tensor<8x32xf32>
  %losses, %lse = accel.softmax_cross_entropy %logits, %labels : tensor<8x32xf32>, tensor<8xi64> -> tensor<8xf32>, tensor<8xf32>
  return %losses : tensor<8xf32>
}

//--- gradients.mlir
// CHECK-LABEL: func.func @microbatch
// CHECK-NOT: accel.matmul
// CHECK: accel.grouped_matmul {{.*}} {skip_others}
// CHECK: accel.grouped_outer {{.*}} {skip_others}
module attributes {accel.batch = 8 : i64} {
  accel.parameter @w : tensor<16x32xf32> trainable
  func.func @forward(%x: tensor<8x16xf32> {accel.name = "x"}) -> (tensor<8x32xf32> {accel.name = "logits"}) {
    %w = accel.read @w : tensor<16x32xf32>
    %logits = accel.matmul %x, %w : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
    return %logits : tensor<8x32xf32>
  }
}
