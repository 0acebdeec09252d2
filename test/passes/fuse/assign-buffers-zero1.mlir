// RUN: accel-opt %s --accel-assign-buffers --accel-assign-geometry --accel-verify-fuse | FileCheck %s

accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 256 elements of @w>]}
accel.parameter @w : tensor<8x16xf32> trainable {segment = @"b.s.master", offset = 64 : i64}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
accel.state @"b.s.gradient" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
accel.state @"b.s.momentum" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @square_sum partial : tensor<f64>

func.func private @squares(%g: tensor<256xf32>) -> tensor<8xf32> attributes {plan.kernel = {columns = 32 : i64, elements = 256 : i64, kind = "rows", rows = 8 : i64}} {
  %rows = accel.reshape %g : tensor<256xf32> -> tensor<8x32xf32>
  %sums = accel.reduce_sum %rows [1] : tensor<8x32xf32> -> tensor<8xf32>
  return %sums : tensor<8xf32>
}
func.func private @sum(%s: tensor<8xf32>) -> tensor<f64> attributes {plan.kernel = {columns = 8 : i64, elements = 8 : i64, kind = "rows", rows = 1 : i64}} {
  %wide = accel.cast %s : tensor<8xf32> -> tensor<8xf64>
  %sum = accel.reduce_sum %wide [0] : tensor<8xf64> -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @halve(%g: tensor<256xf32>) -> tensor<256xf32> attributes {plan.kernel = {columns = 256 : i64, elements = 256 : i64, kind = "flat", rows = 1 : i64}} {
  %half = accel.add %g, %g : tensor<256xf32>
  return %half : tensor<256xf32>
}
func.func private @update(%p: tensor<256xf32>, %m: tensor<256xf32>, %d: tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>) attributes {plan.kernel = {columns = 256 : i64, elements = 256 : i64, kind = "flat", rows = 1 : i64}} {
  %next = accel.sub %m, %d : tensor<256xf32>
  %q = accel.add %p, %next : tensor<256xf32>
  return %q, %next : tensor<256xf32>, tensor<256xf32>
}

// Master and gradient are whole, and a rank's kernels take its part of them; of momentum there is no more than that part.
// CHECK-LABEL: func.func @step
// CHECK: %[[MASTER:.+]] = plan.buffer persistent parameters "b.s.master" : memref<256xf32>
// CHECK: %[[GRADIENT:.+]] = plan.buffer persistent gradients "b.s.gradient" : memref<256xf32>
// CHECK: %[[PARAMETER:.+]] = plan.view %[[GRADIENT]] at 64 : memref<256xf32> to memref<8x16xf32>
// CHECK-NEXT: %[[SUM:.+]] = plan.part %[[GRADIENT]] {shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: %[[OWN_GRADIENT:.+]] = plan.part %[[GRADIENT]] {shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: %[[ROWS:.+]] = plan.buffer transient activations : memref<8xf32>
// CHECK-NEXT: %[[OWN_ROWS:.+]] = plan.part %[[ROWS]] {shard = #plan.shard<8 granule 4 over "fsdp">} : memref<8xf32>
// CHECK: %[[CHANGE:.+]] = plan.buffer transient activations : memref<256xf32>
// CHECK-NEXT: %[[OWN_CHANGE:.+]] = plan.part %[[CHANGE]] {shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: %[[READ:.+]] = plan.part %[[MASTER]] {shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: %[[MOMENTUM:.+]] = plan.buffer persistent optimizer "b.s.momentum" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
// CHECK-NEXT: %[[WRITTEN:.+]] = plan.part %[[MASTER]] {shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: %[[SENT:.+]] = plan.part %[[MASTER]] {shard = #plan.shard<256 granule 128 over "fsdp">}
// Parameters are used and gradients added where they lie; all of the gradient begins at zero, not the rank's part.
// CHECK: plan.fill %[[GRADIENT]] : memref<256xf32>
// CHECK-NEXT: plan.repeat
// CHECK-NOT: plan.{{fill|all_gather|reduce_scatter}}
// CHECK: plan.launch @matmul{{.+}}(%{{.*}}, %{{.*}}, %[[PARAMETER]]) [read, read, update]
// CHECK-NEXT: }
// In place: the sum of the rank's part takes the place of what it added itself.
// CHECK-NEXT: plan.reduce_scatter "b.s.gradient" %[[GRADIENT]] into %[[SUM]] {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<256 granule 128 over "fsdp">}
// Sums of rows: as many as the rank has, of two rows a granule; zero elsewhere, so that a sum of all is the rank's share.
// CHECK-NEXT: plan.fill %[[ROWS]] : memref<8xf32>
// CHECK-NEXT: plan.launch @squares(%[[OWN_GRADIENT]], %[[OWN_ROWS]]) [read, write] {shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: plan.launch @sum(%[[ROWS]], %[[SQUARES:.+]]) [read, write] : memref<8xf32>, memref<f64>
// CHECK-NEXT: plan.all_reduce %[[SQUARES]] over ["replica", "fsdp"]
// CHECK-NEXT: plan.launch @halve(%[[OWN_GRADIENT]], %[[OWN_CHANGE]]) [read, write] {shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: plan.launch @update(%[[READ]], %[[MOMENTUM]], %[[OWN_CHANGE]], %[[WRITTEN]], %[[MOMENTUM]]) [read, read, read, write, write] {shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: plan.all_gather "b.s.master" %[[SENT]] into %[[MASTER]] {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: return
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<4x8xf32>
    %w = accel.read @w : tensor<8x16xf32>
    %p = func.call @matmul_4x16x8(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %g = func.call @matmul_8x16x4(%x, %p) : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    accel.accumulate @w, %g : tensor<8x16xf32>
  }
  dist.reduce_scatter [@"b.s.gradient"] over ["fsdp"]
  %g = accel.read @"b.s.gradient" : tensor<256xf32>
  %rows = func.call @squares(%g) : (tensor<256xf32>) -> tensor<8xf32>
  %squares = func.call @sum(%rows) : (tensor<8xf32>) -> tensor<f64>
  accel.write @square_sum, %squares : tensor<f64>
  dist.all_reduce [@square_sum] over ["replica", "fsdp"]
  %change = func.call @halve(%g) : (tensor<256xf32>) -> tensor<256xf32>
  %master = accel.read @"b.s.master" : tensor<256xf32>
  %momentum = accel.read @"b.s.momentum" : tensor<256xf32>
  %q, %next = func.call @update(%master, %momentum, %change) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>)
  accel.write @"b.s.master", %q : tensor<256xf32>
  accel.write @"b.s.momentum", %next : tensor<256xf32>
  dist.all_gather [@"b.s.master"] over ["fsdp"]
  return
}

func.func private @matmul_4x16x8(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 64 : i64, kind = "product", rows = 4 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}
func.func private @matmul_8x16x4(%a: tensor<4x8xf32>, %b: tensor<4x16xf32>) -> (tensor<8x16xf32> {plan.accumulate}) attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 128 : i64, kind = "product", rows = 8 : i64}} {
  %c = accel.matmul %a, %b {transpose_lhs} : tensor<4x8xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}
