// RUN: accel-opt %s --accel-fuse | FileCheck %s --check-prefix=FUSE
// RUN: accel-opt %s --accel-fuse --accel-schedule --accel-memory --accel-lower | FileCheck %s

// Floats of 16 and 8 bits on their way from a program to code: states of them have buffers, a block's scale and what it divides are one
// kernel, and its code knows integers of 16 and 8 bits instead.
accel.state @master accumulator : tensor<1536xf32>
accel.state @brain accumulator : tensor<1536xbf16> {initial = 1.5 : f64}
accel.state @byte accumulator : tensor<12x128xf8E4M3FN>
accel.state @scale accumulator : tensor<12xf8E8M0FNU>
// FUSE-LABEL: func.func @init
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  // FUSE: plan.buffer persistent scalars "brain" : memref<1536xbf16>
  %c = accel.constant dense<1.5> : tensor<1536xbf16>
  accel.write @brain, %c : tensor<1536xbf16>
  // There is no zero: it became the smallest scale.
  // FUSE: plan.buffer persistent scalars "scale" : memref<12xf8E8M0FNU>
  %s = accel.constant dense<0.0> : tensor<12xf8E8M0FNU>
  accel.write @scale, %s : tensor<12xf8E8M0FNU>
  return
}
// FUSE-LABEL: func.func @step
// FUSE: plan.buffer persistent scalars "byte" : memref<12x128xf8E4M3FN>
// FUSE-COUNT-1: plan.launch @[[K:[a-z_0-9]+]](
// FUSE-NOT: plan.launch
// FUSE: func.func private @[[K]]({{.*}}) -> (tensor<1536xf32>, tensor<1536xbf16>, tensor<12xf8E8M0FNU>, tensor<12x128xf8E4M3FN>)
func.func @step() attributes {accel.role = #accel.role<step>} {
  %m = accel.read @master : tensor<1536xf32>
  %b = accel.read @brain : tensor<1536xbf16>
  %w = accel.cast %b : tensor<1536xbf16> -> tensor<1536xf32>
  %n = accel.add %m, %w : tensor<1536xf32>
  accel.write @master, %n : tensor<1536xf32>
  %h = accel.cast %n : tensor<1536xf32> -> tensor<1536xbf16>
  accel.write @brain, %h : tensor<1536xbf16>
  %r = accel.reshape %n : tensor<1536xf32> -> tensor<12x128xf32>
  %a = accel.abs %r : tensor<12x128xf32>
  %x = accel.reduce_max %a [1] : tensor<12x128xf32> -> tensor<12xf32>
  %e = accel.cast %x : tensor<12xf32> -> tensor<12xf8E8M0FNU>
  accel.write @scale, %e : tensor<12xf8E8M0FNU>
  %es = accel.cast %e : tensor<12xf8E8M0FNU> -> tensor<12xf32>
  %eb = accel.broadcast %es [0] : tensor<12xf32> -> tensor<12x128xf32>
  %d = accel.div %r, %eb : tensor<12x128xf32>
  %q = accel.cast %d saturate : tensor<12x128xf32> -> tensor<12x128xf8E4M3FN>
  accel.write @byte, %q : tensor<12x128xf8E4M3FN>
  return
}

// 1.5 is 0x3FC0 there.
// CHECK: func.func @{{.+}}.code(%{{.+}}: memref<1536xi16>, %{{.+}}: index, %{{.+}}: index)
// CHECK: arith.constant dense<16320> : vector<{{[0-9]+}}xi16>
// CHECK: func.func @{{.+}}.code(%{{.+}}: memref<12xi8>, %{{.+}}: index, %{{.+}}: index)
// CHECK: func.func @{{.+}}.code(%{{.+}}: memref<1536xf32>, %{{.+}}: memref<1536xi16>, %{{.+}}: memref<1536xf32>, %{{.+}}: memref<1536xi16>, %{{.+}}: memref<12xi8>, %{{.+}}: memref<1536xi8>
// CHECK-NOT: {{bf16|f8E|extf|truncf}}
// CHECK: arith.extui %{{.+}} : vector<{{[0-9]+}}xi16> to vector<{{[0-9]+}}xi32>
// CHECK-NOT: {{bf16|f8E|extf|truncf}}
// CHECK: arith.trunci %{{.+}} : vector<{{[0-9]+}}xi32> to vector<{{[0-9]+}}xi8>
// CHECK-NOT: {{bf16|f8E|extf|truncf}}
// CHECK: return
