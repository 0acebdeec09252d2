// Infinities go from a mask's constant through kernels and memory, and end where they become numbers or NaN.
// RUN: accel-opt %s --accel-annotate-infinities | FileCheck %s

func.func private @mask(%x: tensor<4x8xf32>, %allowed: tensor<4x8xi1>) -> tensor<4x8xf32> attributes {plan.kernel = {kind = "flat", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  %none = accel.constant dense<0xFF800000> : tensor<4x8xf32>
  %y = accel.select %allowed, %x, %none : tensor<4x8xi1>, tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func private @negate(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {plan.kernel = {kind = "flat", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  %y = accel.neg %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func private @softmax(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) attributes {plan.kernel = {kind = "rows", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  %e = accel.exp %x : tensor<4x8xf32>
  %s = accel.reduce_sum %e [1] : tensor<4x8xf32> -> tensor<4xf32>
  %lse = accel.log %s : tensor<4xf32>
  return %e, %s, %lse : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
}
// What a softmax makes of hidden scores is finite: its row has a largest score.
func.func private @probabilities(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {plan.kernel = {kind = "rows", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  %m = accel.reduce_max %x [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b = accel.broadcast %m [0] : tensor<4xf32> -> tensor<4x8xf32>
  %d = accel.sub %x, %b : tensor<4x8xf32>
  %e = accel.exp %d : tensor<4x8xf32>
  %s = accel.reduce_sum %e [1] : tensor<4x8xf32> -> tensor<4xf32>
  %t = accel.broadcast %s [0] : tensor<4xf32> -> tensor<4x8xf32>
  %y = accel.div %e, %t : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func private @largest(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {plan.kernel = {kind = "flat", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  %m = accel.max %x, %y : tensor<4x8xf32>
  return %m : tensor<4x8xf32>
}
func.func private @read_bits(%x: tensor<4x8xi32>) -> tensor<4x8xf32> attributes {plan.kernel = {kind = "flat", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  %y = accel.bitcast %x : tensor<4x8xi32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %allowed = plan.buffer constant constants {value = dense<true> : tensor<4x8xi1>} : memref<4x8xi1>
  %x = plan.buffer transient activations : memref<4x8xf32>
  %y = plan.buffer transient activations : memref<4x8xf32>
  %z = plan.buffer transient activations : memref<4x8xf32>
  %s = plan.buffer transient activations : memref<4xf32>
  %lse = plan.buffer transient activations : memref<4xf32>
  // Before the loop %y holds numbers; in it, from the second microbatch on, what the last kernel leaves.
  // CHECK: plan.fill %{{.*}} : memref<4x8xf32>
  plan.fill %x : memref<4x8xf32>
  plan.fill %y : memref<4x8xf32>
  plan.repeat {
    // CHECK: plan.launch @negate(%{{.*}}, %{{.*}}) [read, write] {infinities = [#plan.infinity<1 positive>]}
    plan.launch @negate(%y, %z) [read, write] : memref<4x8xf32>, memref<4x8xf32>
    // CHECK: plan.launch @mask({{.*}}) [read, read, write] {infinities = [#plan.infinity<2 negative>]}
    plan.launch @mask(%x, %allowed, %y) [read, read, write] : memref<4x8xf32>, memref<4x8xi1>, memref<4x8xf32>
    // A maximum with numbers is a number, with what holds a positive infinity it is one.
    // CHECK: plan.launch @largest({{.*}}) [read, read, write] : memref
    plan.launch @largest(%y, %x, %z) [read, read, write] : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>
    // CHECK: plan.launch @probabilities({{.*}}) [read, write] : memref
    plan.launch @probabilities(%y, %z) [read, write] : memref<4x8xf32>, memref<4x8xf32>
    // The exponential of a hidden score is 0, the logarithm of a sum of nothing else is infinite.
    // CHECK: plan.launch @softmax({{.*}}) [read, write, write, write] {infinities = [#plan.infinity<3 negative>]}
    plan.launch @softmax(%y, %z, %s, %lse) [read, write, write, write] : memref<4x8xf32>, memref<4x8xf32>, memref<4xf32>, memref<4xf32>
  }
  // Bits may be those of any number.
  // CHECK: plan.launch @read_bits({{.*}}) [read, write] {infinities = [#plan.infinity<1 both>]}
  %bits = plan.buffer transient activations : memref<4x8xi32>
  %numbers = plan.buffer transient activations : memref<4x8xf32>
  plan.fill %bits : memref<4x8xi32>
  plan.launch @read_bits(%bits, %numbers) [read, write] : memref<4x8xi32>, memref<4x8xf32>
  // A write of a part leaves the rest as it was.
  // CHECK: plan.fill %{{.*}} : memref<8xf32>
  %part = plan.view %y at 0 : memref<4x8xf32> to memref<8xf32>
  plan.fill %part : memref<8xf32>
  // CHECK: plan.copy %{{.*}} to %{{.*}} {infinities = [#plan.infinity<1 negative>]}
  plan.copy %y to %z : memref<4x8xf32>, memref<4x8xf32>
  return
}
