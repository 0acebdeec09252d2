// Which windows a product for GPUs reads where they lie, and what stays in a kernel behind.
// RUN: accel-opt %s --accel-outline-kernels=target=compute_80 -split-input-file | FileCheck %s
// RUN: accel-opt %s --accel-outline-kernels=target=compute_80,cpu -split-input-file | FileCheck %s --check-prefix=BOTH
// RUN: accel-opt %s --accel-outline-kernels -split-input-file | FileCheck %s --check-prefix=CPU

accel.state @x accumulator : tensor<2x9x7x4xf32>
accel.state @w accumulator : tensor<16x36xf32>
accel.state @b accumulator : tensor<16xf32>
accel.state @y accumulator : tensor<2x7x5x16xf32>
// The convolution is alone in its kernel, and so it is beside code for CPUs: bias and activation are computed behind.
// CHECK-LABEL: func.func @forward
// CHECK: %[[SUMS:.+]] = call @[[CONVOLUTION:matmul[a-z_0-9]+]](%{{.+}}, %{{.+}}) : (tensor<2x9x7x4xf32>, tensor<16x36xf32>) -> tensor<70x16xf32>
// CHECK: call @[[BEHIND:[a-z_0-9]+]](%[[SUMS]], %{{.+}}) : (tensor<70x16xf32>, tensor<16xf32>)
// CHECK: func.func private @[[CONVOLUTION]]
// CHECK-NEXT: accel.windows %arg0
// CHECK: accel.matmul
// CHECK-NEXT: return
// BOTH-LABEL: func.func @forward
// BOTH: call @{{matmul[a-z_0-9]+}}(%{{.+}}, %{{.+}}) : (tensor<2x9x7x4xf32>, tensor<16x36xf32>) -> tensor<70x16xf32>
func.func @forward() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<2x9x7x4xf32>
  %w = accel.read @w : tensor<16x36xf32>
  %b = accel.read @b : tensor<16xf32>
  %0 = accel.windows %x axes [1, 2] sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<2x9x7x4xf32> -> tensor<2x7x5x4x3x3xf32>
  %1 = accel.transpose %0 [0, 1, 2, 4, 5, 3] : tensor<2x7x5x4x3x3xf32> -> tensor<2x7x5x3x3x4xf32>
  %2 = accel.reshape %1 : tensor<2x7x5x3x3x4xf32> -> tensor<70x36xf32>
  %3 = accel.matmul %2, %w {transpose_rhs} : tensor<70x36xf32>, tensor<16x36xf32> -> tensor<70x16xf32>
  %4 = accel.reshape %3 : tensor<70x16xf32> -> tensor<2x7x5x16xf32>
  %5 = accel.broadcast %b [3] : tensor<16xf32> -> tensor<2x7x5x16xf32>
  %6 = accel.add %4, %5 : tensor<2x7x5x16xf32>
  %7 = accel.relu %6 : tensor<2x7x5x16xf32>
  accel.write @y, %7 : tensor<2x7x5x16xf32>
  return
}

// -----

accel.state @x accumulator : tensor<2x9x4xbf16>
accel.state @w accumulator : tensor<16x12xbf16>
accel.state @g accumulator : tensor<14x16xbf16>
accel.state @y accumulator : tensor<14xf32>
accel.state @d accumulator : tensor<16x12xf32>
// Of 16 bits what is rounded is a convolution, also beside code for CPUs, and what is not a product of copied windows. CPUs alone read both where they lie.
// CHECK-LABEL: func.func @narrow
// CHECK: call @[[FORWARD:matmul[a-z_0-9]+]](%{{.+}}, %{{.+}}) : (tensor<2x9x4xbf16>, tensor<16x12xbf16>) -> tensor<14x16xbf16>
// CHECK: %[[COPY:.+]] = call @{{.+}} : (tensor<2x9x4xbf16>) -> tensor<14x12xbf16>
// CHECK: call @{{matmul[a-z_0-9]+}}(%{{.+}}, %[[COPY]]) : (tensor<14x16xbf16>, tensor<14x12xbf16>) -> tensor<16x12xf32>
// CHECK: func.func private @[[FORWARD]]
// CHECK-NEXT: accel.windows %arg0
// BOTH-LABEL: func.func @narrow
// BOTH: call @{{matmul[a-z_0-9]+}}(%{{.+}}, %{{.+}}) : (tensor<2x9x4xbf16>, tensor<16x12xbf16>) -> tensor<14x16xbf16>
// BOTH: %[[COPY:.+]] = call @{{.+}} : (tensor<2x9x4xbf16>) -> tensor<14x12xbf16>
// BOTH: call @{{matmul[a-z_0-9]+}}(%{{.+}}, %[[COPY]]) : (tensor<14x16xbf16>, tensor<14x12xbf16>) -> tensor<16x12xf32>
// CPU-LABEL: func.func @narrow
// CPU: call @{{matmul[a-z_0-9]+}}(%{{.+}}, %{{.+}}) : (tensor<2x9x4xbf16>, tensor<16x12xbf16>) -> tensor<14x16xbf16>
// CPU: call @{{matmul[a-z_0-9]+}}(%{{.+}}, %{{.+}}) : (tensor<14x16xbf16>, tensor<2x9x4xbf16>) -> tensor<16x12xf32>
func.func @narrow() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<2x9x4xbf16>
  %w = accel.read @w : tensor<16x12xbf16>
  %g = accel.read @g : tensor<14x16xbf16>
  %0 = accel.windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<2x9x4xbf16> -> tensor<2x7x4x3xbf16>
  %1 = accel.transpose %0 [0, 1, 3, 2] : tensor<2x7x4x3xbf16> -> tensor<2x7x3x4xbf16>
  %2 = accel.reshape %1 : tensor<2x7x3x4xbf16> -> tensor<14x12xbf16>
  %3 = accel.matmul %2, %w {transpose_rhs} : tensor<14x12xbf16>, tensor<16x12xbf16> -> tensor<14x16xf32>
  %4 = accel.cast %3 : tensor<14x16xf32> -> tensor<14x16xbf16>
  %6 = accel.cast %4 : tensor<14x16xbf16> -> tensor<14x16xf32>
  %7 = accel.relu %6 : tensor<14x16xf32>
  %8 = accel.reduce_sum %7 [1] : tensor<14x16xf32> -> tensor<14xf32>
  %5 = accel.matmul %g, %2 as weight_gradient {transpose_lhs} : tensor<14x16xbf16>, tensor<14x12xbf16> -> tensor<16x12xf32>
  accel.write @y, %8 : tensor<14xf32>
  accel.write @d, %5 : tensor<16x12xf32>
  return
}

// -----

accel.state @x accumulator : tensor<2x9x4xf32>
accel.state @w accumulator : tensor<2x8x6xf32>
accel.state @y accumulator : tensor<2x14x8xf32>
accel.state @v accumulator : tensor<5x12xf32>
accel.state @z accumulator : tensor<14x5xf32>
// Groups of channels, and rows in another order than that of samples and places, are products of copied windows.
// CHECK-LABEL: func.func @others
// CHECK-DAG: call @{{.+}} : (tensor<2x9x4xf32>) -> tensor<2x14x6xf32>
// CHECK-DAG: call @{{.+}} : (tensor<2x9x4xf32>) -> tensor<14x12xf32>
// CHECK-DAG: call @{{matmul[a-z_0-9]+}}({{.+}}) : (tensor<2x14x6xf32>, tensor<2x8x6xf32>) -> tensor<2x14x8xf32>
// CHECK-DAG: call @{{matmul[a-z_0-9]+}}({{.+}}) : (tensor<14x12xf32>, tensor<5x12xf32>) -> tensor<14x5xf32>
func.func @others() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<2x9x4xf32>
  %w = accel.read @w : tensor<2x8x6xf32>
  %v = accel.read @v : tensor<5x12xf32>
  %0 = accel.windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<2x9x4xf32> -> tensor<2x7x4x3xf32>
  %1 = accel.reshape %0 : tensor<2x7x4x3xf32> -> tensor<2x7x2x2x3xf32>
  %2 = accel.transpose %1 [2, 0, 1, 4, 3] : tensor<2x7x2x2x3xf32> -> tensor<2x2x7x3x2xf32>
  %3 = accel.reshape %2 : tensor<2x2x7x3x2xf32> -> tensor<2x14x6xf32>
  %4 = accel.matmul %3, %w {transpose_rhs} : tensor<2x14x6xf32>, tensor<2x8x6xf32> -> tensor<2x14x8xf32>
  %5 = accel.transpose %0 [1, 0, 3, 2] : tensor<2x7x4x3xf32> -> tensor<7x2x3x4xf32>
  %6 = accel.reshape %5 : tensor<7x2x3x4xf32> -> tensor<14x12xf32>
  %7 = accel.matmul %6, %v {transpose_rhs} : tensor<14x12xf32>, tensor<5x12xf32> -> tensor<14x5xf32>
  accel.write @y, %4 : tensor<2x14x8xf32>
  accel.write @z, %7 : tensor<14x5xf32>
  return
}

// -----

accel.state @x accumulator : tensor<2x9x4xf32>
accel.state @w accumulator : tensor<16x36xf32>
accel.state @y accumulator : tensor<70x16xf32>
// An image that repeats what lies in memory once is no tensor of cuDNN's: its windows are copied.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[COPY:.+]] = call @{{.+}} : (tensor<2x9x4xf32>) -> tensor<70x36xf32>
// CHECK: call @{{matmul[a-z_0-9]+}}(%[[COPY]], %{{.+}}) : (tensor<70x36xf32>, tensor<16x36xf32>) -> tensor<70x16xf32>
// BOTH-LABEL: func.func @repeated
// BOTH: %[[COPY:.+]] = call @{{.+}} : (tensor<2x9x4xf32>) -> tensor<70x36xf32>
func.func @repeated() attributes {accel.role = #accel.role<step>} {
  %r = accel.read @x : tensor<2x9x4xf32>
  %w = accel.read @w : tensor<16x36xf32>
  %x = accel.broadcast %r [0, 1, 3] : tensor<2x9x4xf32> -> tensor<2x9x7x4xf32>
  %0 = accel.windows %x axes [1, 2] sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<2x9x7x4xf32> -> tensor<2x7x5x4x3x3xf32>
  %1 = accel.transpose %0 [0, 1, 2, 4, 5, 3] : tensor<2x7x5x4x3x3xf32> -> tensor<2x7x5x3x3x4xf32>
  %2 = accel.reshape %1 : tensor<2x7x5x3x3x4xf32> -> tensor<70x36xf32>
  %3 = accel.matmul %2, %w {transpose_rhs} : tensor<70x36xf32>, tensor<16x36xf32> -> tensor<70x16xf32>
  accel.write @y, %3 : tensor<70x16xf32>
  return
}
