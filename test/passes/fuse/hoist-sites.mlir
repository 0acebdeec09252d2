// RUN: accel-opt %s --accel-hoist-sites | FileCheck %s
// Two layers that differ by their sites alone share their kernel once the sites are operands.
// RUN: accel-opt %s --accel-hoist-sites --accel-outline-kernels | FileCheck %s --check-prefix=KERNEL
// RUN: accel-opt %s --accel-outline-kernels | FileCheck %s --check-prefix=WITHOUT

// CHECK-LABEL: func @step
// CHECK-DAG: %[[ONE:.+]] = accel.constant dense<1> : tensor<i64>
// CHECK-DAG: %[[TWO:.+]] = accel.constant dense<2> : tensor<i64>
// CHECK: accel.dropout %{{.+}}, %{{.+}}, %{{.+}} probability 1.000000e-01 site 0 plus %[[ONE]]
// CHECK: accel.dropout %{{.+}}, %{{.+}}, %{{.+}} probability 1.000000e-01 site 0 plus %[[TWO]]
// The gradient of the first layer drops the same elements.
// CHECK: accel.dropout %{{.+}}, %{{.+}}, %{{.+}} probability 1.000000e-01 site 0 plus %[[ONE]]

// KERNEL-LABEL: func @step
// KERNEL: call @dropout_0(
// KERNEL: call @[[FN:matmul_8x8x8_dropout[^(]*]](
// KERNEL: call @[[FN]](

// WITHOUT-LABEL: func @step
// WITHOUT: call @dropout_0(
// WITHOUT: call @[[FN:matmul_8x8x8_dropout[^(]*]](
// WITHOUT-NOT: call @[[FN]](
// WITHOUT: return
func.func @step(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %samples: tensor<2xi64>, %seed: tensor<i64>) -> tensor<8x8xf32> attributes {accel.role = #accel.role<step>} {
  %a = accel.dropout %x, %samples, %seed probability 0.1 site 1 : tensor<8x8xf32>, tensor<2xi64>, tensor<i64>
  %b = accel.matmul %a, %w : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %c = accel.dropout %b, %samples, %seed probability 0.1 site 2 : tensor<8x8xf32>, tensor<2xi64>, tensor<i64>
  %d = accel.matmul %c, %w : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %e = accel.dropout %d, %samples, %seed probability 0.1 site 1 : tensor<8x8xf32>, tensor<2xi64>, tensor<i64>
  return %e : tensor<8x8xf32>
}

// An offset that is there already stays.
// CHECK-LABEL: func @hoisted
// CHECK-NEXT: accel.random_normal %{{.+}} mean 0.000000e+00 deviation 2.000000e-02 site 3 plus %{{.+}} : tensor<i64> -> tensor<4xf32>
func.func @hoisted(%seed: tensor<i64>, %offset: tensor<i64>) -> tensor<4xf32> {
  %w = accel.random_normal %seed mean 0.0 deviation 0.02 site 3 plus %offset : tensor<i64> -> tensor<4xf32>
  return %w : tensor<4xf32>
}
