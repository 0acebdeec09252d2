// RUN: accel-opt %s --accel-recompute-activations=bytes=1 | FileCheck %s
// RUN: accel-opt %s --accel-recompute-activations=bytes=1 --accel-outline-kernels | FileCheck %s --check-prefix=KERNELS
// Of the step's values nothing changes, and no kernel of forward makes what backward computes again.
// RUN: accel-opt %s --accel-outline-kernels --run=step > %t.kept
// RUN: accel-opt %s --accel-recompute-activations=bytes=1 --accel-outline-kernels --run=step > %t.again && diff %t.kept %t.again
// CPUs keep what is smaller than a MiB, GPUs all.
// RUN: accel-opt %s --accel-recompute-activations | FileCheck %s --check-prefix=KEPT
// RUN: accel-opt %s --accel-recompute-activations="bytes=0 target=compute_80" | FileCheck %s --check-prefix=KEPT
// KEPT-NOT: accel.recomputed

accel.parameter @w : tensor<8x32xf32> trainable
accel.parameter @o : tensor<32x4xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>

// CHECK-LABEL: func.func @step
// KERNELS-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<6x8xf32>
    %samples = accel.input "sample_indices" : tensor<6xi64>
    %seed = accel.input "seed" : tensor<i64>
    %w = accel.read @w : tensor<8x32xf32>
    %o = accel.read @o : tensor<32x4xf32>
    // CHECK: %[[U:.+]] = accel.matmul %{{.+}}, %{{.+}} : tensor<6x8xf32>, tensor<8x32xf32> -> tensor<6x32xf32>
    // KERNELS: %[[FORWARD:.+]]:2 = func.call @matmul{{.+}}(%{{.+}}, %{{.+}}) : (tensor<6x8xf32>, tensor<8x32xf32>) -> (tensor<6x32xf32>, tensor<6x32xf32>)
    %u = accel.matmul %x, %w : tensor<6x8xf32>, tensor<8x32xf32> -> tensor<6x32xf32>
    // Forward computes it for itself.
    // CHECK: %[[S:.+]] = accel.sigmoid %[[U]] : tensor<6x32xf32>
    // CHECK: %[[V:.+]] = accel.mul %[[U]], %[[S]] : tensor<6x32xf32>
    %s = accel.sigmoid %u : tensor<6x32xf32>
    %v = accel.mul %u, %s : tensor<6x32xf32>
    // Backward reads what tanh makes, and not the product, which is kept for nobody: tanh stays.
    // CHECK: %[[P:.+]] = accel.matmul %[[V]]
    // CHECK: %[[Q:.+]] = accel.tanh %[[P]] : tensor<6x4xf32>
    %p = accel.matmul %v, %o : tensor<6x32xf32>, tensor<32x4xf32> -> tensor<6x4xf32>
    %q = accel.tanh %p : tensor<6x4xf32>
    // A mask is made of many random bits: it costs more than reading what it leaves.
    // CHECK: %[[D:.+]] = accel.dropout %[[Q]]
    %d = accel.dropout %q, %samples, %seed probability 0.5 site 3 : tensor<6x4xf32>, tensor<6xi64>, tensor<i64>
    %squares = accel.mul %d, %d : tensor<6x4xf32>
    %wide = accel.cast %squares : tensor<6x4xf32> -> tensor<6x4xf64>
    // CHECK: accel.reduce_sum
    %loss = accel.reduce_sum %wide [0, 1] : tensor<6x4xf64> -> tensor<f64>
    // Here backward begins.
    // CHECK: %[[GD:.+]] = accel.add %[[D]], %[[D]] : tensor<6x4xf32>
    %gd = accel.add %d, %d : tensor<6x4xf32>
    %gq = accel.dropout %gd, %samples, %seed probability 0.5 site 3 : tensor<6x4xf32>, tensor<6xi64>, tensor<i64>
    %one = accel.constant dense<1.0> : tensor<6x4xf32>
    // CHECK: accel.mul %[[Q]], %[[Q]] : tensor<6x4xf32>
    %qq = accel.mul %q, %q : tensor<6x4xf32>
    %slope = accel.sub %one, %qq : tensor<6x4xf32>
    %gp = accel.mul %gq, %slope : tensor<6x4xf32>
    // CHECK: %[[S2:.+]] = accel.sigmoid %[[U]] {accel.recomputed} : tensor<6x32xf32>
    // CHECK: %[[V2:.+]] = accel.mul %[[U]], %[[S2]] {accel.recomputed} : tensor<6x32xf32>
    // CHECK: accel.matmul %[[V2]], %{{.+}} {transpose_lhs}
    // KERNELS: %[[AGAIN:.+]] = func.call @sigmoid{{.*}}(%[[FORWARD]]#0) : (tensor<6x32xf32>) -> tensor<6x32xf32>
    // KERNELS: func.call @matmul{{.+}}(%[[AGAIN]], %{{.+}}) : (tensor<6x32xf32>, tensor<6x4xf32>) -> tensor<32x4xf32>
    %go = accel.matmul %v, %gp {transpose_lhs} : tensor<6x32xf32>, tensor<6x4xf32> -> tensor<32x4xf32>
    accel.accumulate @o, %go : tensor<32x4xf32>
    %gv = accel.matmul %gp, %o {transpose_rhs} : tensor<6x4xf32>, tensor<32x4xf32> -> tensor<6x32xf32>
    %left = accel.mul %gv, %s : tensor<6x32xf32>
    %gs = accel.mul %gv, %u : tensor<6x32xf32>
    %ones = accel.constant dense<1.0> : tensor<6x32xf32>
    // CHECK: accel.sub %{{.+}}, %{{.+}} {accel.recomputed} : tensor<6x32xf32>
    %rest = accel.sub %ones, %s : tensor<6x32xf32>
    %ss = accel.mul %s, %rest : tensor<6x32xf32>
    %right = accel.mul %gs, %ss : tensor<6x32xf32>
    %gu = accel.add %left, %right : tensor<6x32xf32>
    %gw = accel.matmul %x, %gu {transpose_lhs} : tensor<6x8xf32>, tensor<6x32xf32> -> tensor<8x32xf32>
    accel.accumulate @w, %gw : tensor<8x32xf32>
    accel.accumulate @loss_sum, %loss : tensor<f64>
  }
  return
}

// Only a step has a backward.
// CHECK-LABEL: func.func @other
// CHECK-NOT: accel.recomputed
func.func @other(%x: tensor<6x32xf32>) -> tensor<6x32xf32> {
  %s = accel.sigmoid %x : tensor<6x32xf32>
  return %s : tensor<6x32xf32>
}
