// RUN: accel-opt %s --accel-add-adapters="rank=2 alpha=5" | FileCheck %s
// RUN: accel-opt %s --accel-add-adapters="rank=2 alpha=5 targets=h[.]0[.]fc|head" | FileCheck %s --check-prefix=TARGETS
// RUN: accel-opt %s --accel-add-adapters="rank=2 alpha=5 modules=head" | FileCheck %s --check-prefix=FILE
// RUN: accel-opt %s --accel-add-adapters="rank=2 alpha=5 dropout=0.25 targets=head" | FileCheck %s --check-prefix=DROPOUT
// RUN: accel-opt %s --accel-add-adapters="rank=2 alpha=5 targets=h[.]0" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=PLACES
// RUN: accel-opt %s --accel-add-adapters="rank=2 alpha=5 dropout=0.25" --accel-verify-import | FileCheck %s --check-prefix=SITES

// Without a pattern every weight that only products read and that is no output head: not the table, not the norm, not the head.
// CHECK: module attributes {accel.adapters = {added = [{fan_in_fan_out = true, weight = "h.0.fc.weight"}, {fan_in_fan_out = false, weight = "h.1.fc.weight"}], alpha = 5.000000e+00 : f64, dropout = 0.000000e+00 : f64, rank = 2 : i64}
// CHECK-NOT: table.lora
// CHECK: accel.parameter @h.0.fc.weight : tensor<4x6xf32>
// CHECK-NEXT: accel.parameter @h.0.fc.lora_A.weight : tensor<2x4xf32> trainable {initial = {bound = 5.000000e-01 : f64, kind = "uniform", site = [[#]] : i64}}
// CHECK-NEXT: accel.parameter @h.0.fc.lora_B.weight : tensor<6x2xf32> trainable {initial = {kind = "constant", value = 0.000000e+00 : f64}}
// CHECK: accel.parameter @h.1.fc.weight : tensor<4x6xf32>
// CHECK-NEXT: accel.parameter @h.1.fc.lora_A.weight : tensor<2x6xf32> trainable
// CHECK-NEXT: accel.parameter @h.1.fc.lora_B.weight : tensor<4x2xf32> trainable
// CHECK-NOT: in_proj.lora
// CHECK-NOT: head.lora
// A weight of [in, out]; x A^T is scaled by 5 / 2, and what read the product reads the sum.
// CHECK-LABEL: func.func @forward
// CHECK: %[[X:.+]] = accel.gather
// CHECK: %[[Y:.+]] = accel.matmul %[[X]], %{{.+}} : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
// CHECK-NEXT: %[[A:.+]] = accel.read @h.0.fc.lora_A.weight : tensor<2x4xf32>
// CHECK-NEXT: %[[NARROW:.+]] = accel.matmul %[[X]], %[[A]] {transpose_rhs} : tensor<8x4xf32>, tensor<2x4xf32> -> tensor<8x2xf32>
// CHECK-NEXT: %[[SCALE:.+]] = accel.constant dense<2.500000e+00> : tensor<8x2xf32>
// CHECK-NEXT: %[[SCALED:.+]] = accel.mul %[[NARROW]], %[[SCALE]]
// CHECK-NEXT: %[[B:.+]] = accel.read @h.0.fc.lora_B.weight : tensor<6x2xf32>
// CHECK-NEXT: %[[WIDE:.+]] = accel.matmul %[[SCALED]], %[[B]] {transpose_rhs} : tensor<8x2xf32>, tensor<6x2xf32> -> tensor<8x6xf32>
// CHECK-NEXT: %[[SUM:.+]] = accel.add %[[Y]], %[[WIDE]]
// CHECK-NEXT: accel.relu %[[SUM]]
// A weight of [out, in] that two products read has one pair, at each of them.
// CHECK: accel.matmul %{{.+}}, %{{.+}} {transpose_rhs} : tensor<8x6xf32>, tensor<4x6xf32> -> tensor<8x4xf32>
// CHECK-NEXT: accel.read @h.1.fc.lora_A.weight
// CHECK: accel.matmul %{{.+}}, %{{.+}} {transpose_rhs} : tensor<8x6xf32>, tensor<4x6xf32> -> tensor<8x4xf32>
// CHECK-NEXT: accel.read @h.1.fc.lora_A.weight

// A pattern may name the head.
// TARGETS: added = [{fan_in_fan_out = true, weight = "h.0.fc.weight"}, {fan_in_fan_out = false, weight = "head.weight"}]
// TARGETS-NOT: h.1.fc.lora

// Named modules, which a file has the values of, and no others.
// FILE: added = [{fan_in_fan_out = false, weight = "head.weight"}]
// FILE: accel.parameter @head.lora_A.weight : tensor<2x4xf32> trainable {initial = {key = "head.lora_A.weight", kind = "file"}}
// FILE: accel.parameter @head.lora_B.weight : tensor<5x2xf32> trainable {initial = {key = "head.lora_B.weight", kind = "file"}}

// Dropout of what A reads alone, with a site behind the model's own.
// DROPOUT: accel.dropout_sites = [{attention = false, name = "", probability = 2.500000e-01 : f64, scope = "head", site = 4 : i64}]
// DROPOUT: %[[X:.+]] = accel.dropout %{{.+}}, %{{.+}}, %{{.+}} probability 5.000000e-01 site 3
// DROPOUT: %[[Y:.+]] = accel.matmul %[[X]], %{{.+}} {transpose_rhs} : tensor<8x4xf32>, tensor<5x4xf32> -> tensor<8x5xf32>
// DROPOUT: %[[D:.+]] = accel.dropout %[[X]], %{{.+}}, %{{.+}} probability 2.500000e-01 site 4
// DROPOUT-NEXT: accel.matmul %[[D]], %{{.+}} {transpose_rhs} : tensor<8x4xf32>, tensor<2x4xf32> -> tensor<8x2xf32>
// SITES-COUNT-4: accel.dropout %

// Each half is a place of its own in the product's line: precision decides by place. A parameter that is not called MODULE.weight is no layer.
// PLACES: accel.matmul {{.+}} loc({{.*}}add-adapters.mlir{{.*}})
// PLACES: accel.matmul {{.+}} loc(fused<"h.0.fc.lora_A">["h.0.fc.lora_A"({{.*}}add-adapters.mlir
// PLACES: accel.matmul {{.+}} loc(fused<"h.0.fc.lora_B">["h.0.fc.lora_B"({{.*}}add-adapters.mlir

module attributes {accel.batch = 8 : i64} {
  accel.parameter @table.weight : tensor<9x4xf32> trainable
  accel.parameter @h.0.fc.weight : tensor<4x6xf32> trainable
  accel.parameter @h.1.fc.weight : tensor<4x6xf32> trainable
  accel.parameter @in_proj : tensor<4x4xf32> trainable
  accel.parameter @norm.weight : tensor<4xf32> trainable
  accel.parameter @head.weight : tensor<5x4xf32> trainable
  func.func @forward(%ids: tensor<8xi64> {accel.name = "ids"}) -> (tensor<8x5xf32> {accel.name = "logits"}) {
    %table = accel.read @table.weight : tensor<9x4xf32>
    %x = accel.gather %table, %ids : tensor<9x4xf32>, tensor<8xi64> -> tensor<8x4xf32>
    %w0 = accel.read @h.0.fc.weight : tensor<4x6xf32>
    %y = accel.matmul %x, %w0 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    %r = accel.relu %y : tensor<8x6xf32>
    %w1 = accel.read @h.1.fc.weight : tensor<4x6xf32>
    %z = accel.matmul %r, %w1 {transpose_rhs} : tensor<8x6xf32>, tensor<4x6xf32> -> tensor<8x4xf32>
    %u = accel.matmul %y, %w1 {transpose_rhs} : tensor<8x6xf32>, tensor<4x6xf32> -> tensor<8x4xf32>
    %wp = accel.read @in_proj : tensor<4x4xf32>
    %v = accel.matmul %u, %wp : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %s = accel.add %z, %v : tensor<8x4xf32>
    %g = accel.read @norm.weight : tensor<4xf32>
    %gb = accel.broadcast %g [1] : tensor<4xf32> -> tensor<8x4xf32>
    %n = accel.mul %s, %gb : tensor<8x4xf32>
    %samples = accel.input "sample_indices" : tensor<8xi64>
    %seed = accel.input "seed" : tensor<i64>
    %d = accel.dropout %n, %samples, %seed probability 0.5 site 3 : tensor<8x4xf32>, tensor<8xi64>, tensor<i64>
    %wh = accel.read @head.weight : tensor<5x4xf32>
    %l = accel.matmul %d, %wh {transpose_rhs} : tensor<8x4xf32>, tensor<5x4xf32> -> tensor<8x5xf32>
    return %l : tensor<8x5xf32>
  }
}
