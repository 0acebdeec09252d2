// RUN: accel-opt %s --accel-recognise-attention --split-input-file | FileCheck %s
// RUN: accel-opt %s --accel-recognise-attention --split-input-file --remarks-filter=accel-recognise-attention --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// What is an attention already has its mask judged all the same. REMARK stands for each mask that became another.
// REMARK: remark: [Passed] Attention | Category:accel-recognise-attention
// REMARK-SAME: judged the mask of attention: causal
// CHECK-LABEL: func @causal
// CHECK-NOT: accel.constant
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} scale 5.000000e-01 causal : tensor<2x2x3x4xf32>, tensor<2x1x3x4xf32>, tensor<2x1x3x4xf32>
func.func @causal(%q: tensor<2x2x3x4xf32>, %k: tensor<2x1x3x4xf32>, %v: tensor<2x1x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %m = accel.constant dense<[[[[true, false, false], [true, true, false], [true, true, true]]], [[[true, false, false], [true, true, false], [true, true, true]]]]> : tensor<2x1x3x3xi1>
  %y, %lse = accel.attention %q, %k, %v mask %m : tensor<2x1x3x3xi1> scale 0.5 : tensor<2x2x3x4xf32>, tensor<2x1x3x4xf32>, tensor<2x1x3x4xf32> -> tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// The window of a causal attention, added: it stays a constant, of what is allowed.
// REMARK: judged the mask of attention: causal and a tensor
// CHECK-LABEL: func @window
// CHECK: %[[MASK:.+]] = accel.constant dense<{{.*}}true, true, true], [true, true, true], [false, true, true]{{.*}}> : tensor<1x1x3x3xi1>
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %[[MASK]] : tensor<1x1x3x3xi1> scale 5.000000e-01 causal :
func.func @window(%q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %m = accel.constant dense<[[[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [-1.0e9, 0.0, 0.0]]]]> : tensor<1x1x3x3xf32>
  %y, %lse = accel.attention %q, %k, %v mask %m : tensor<1x1x3x3xf32> scale 0.5 causal : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// Of the samples of a constant mask one is enough where they are equal, and only there.
// REMARK: judged the mask of attention: a tensor
// REMARK-NOT: judged the mask of attention: a tensor
// CHECK-LABEL: func @samples
// CHECK-DAG: %[[ONE:.+]] = accel.constant dense<{{.*}}true, true, false]{{.*}}> : tensor<1x1x1x3xi1>
// CHECK-DAG: %[[TWO:.+]] = accel.constant dense<{{.*}}true, true, false]{{.*}}true, false, false]{{.*}}> : tensor<2x1x1x3xi1>
// CHECK: %[[X:[^,]+]], %{{.+}} = accel.attention %arg0, %arg0, %arg0 mask %[[ONE]] : tensor<1x1x1x3xi1>
// CHECK: accel.attention %[[X]], %[[X]], %[[X]] mask %[[TWO]] : tensor<2x1x1x3xi1>
func.func @samples(%q: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %m = accel.constant dense<[[[[true, true, false]]], [[[true, true, false]]]]> : tensor<2x1x1x3xi1>
  %n = accel.constant dense<[[[[true, true, false]]], [[[true, false, false]]]]> : tensor<2x1x1x3xi1>
  %x, %lse = accel.attention %q, %q, %q mask %m : tensor<2x1x1x3xi1> scale 0.5 : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
  %y, %lse2 = accel.attention %x, %x, %x mask %n : tensor<2x1x1x3xi1> scale 0.5 : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// Everything is allowed.
// REMARK: judged the mask of attention: none
// CHECK-LABEL: func @everywhere
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} scale 5.000000e-01 :
func.func @everywhere(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %m = accel.constant dense<true> : tensor<1x1x1x3xi1>
  %y, %lse = accel.attention %q, %k, %v mask %m : tensor<1x1x1x3xi1> scale 0.5 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32> -> tensor<1x2x3x4xf32>, tensor<1x2x3xf32>
  return %y : tensor<1x2x3x4xf32>
}

// -----

// A mask of the data is left alone; one that is trained becomes a bias, which has a gradient.
accel.parameter @bias : tensor<1x1x3x3xf32> trainable
// REMARK: judged the mask of attention: a bias
// CHECK-LABEL: func @computed
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %arg0 : tensor<2x1x1x3xi1> scale 5.000000e-01 :
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} bias %{{.+}} : tensor<1x1x3x3xf32> scale 5.000000e-01 :
func.func @computed(%m: tensor<2x1x1x3xi1>, %q: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %x, %lse = accel.attention %q, %q, %q mask %m : tensor<2x1x1x3xi1> scale 0.5 : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
  %b = accel.read @bias : tensor<1x1x3x3xf32>
  %y, %lse2 = accel.attention %x, %q, %q mask %b : tensor<1x1x3x3xf32> scale 0.5 : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// What is computed from positions is judged without computing it: no constant of 8192 x 8192 is made.
// REMARK: judged the mask of attention: causal
// CHECK-LABEL: func @long_causal
// CHECK: accel.attention %arg0, %arg1, %arg1 scale 5.000000e-01 causal :
func.func @long_causal(%q: tensor<2x2x8192x4xf32>, %k: tensor<2x2x8192x4xf32>) -> tensor<2x2x8192x4xf32> {
  %zero = accel.constant dense<0.0> : tensor<2x1x8192x8192xf32>
  %none = accel.constant dense<-3.40282347E+38> : tensor<2x1x8192x8192xf32>
  %rows = accel.iota 1 : tensor<2x8192xi64>
  %columns = accel.iota 0 : tensor<8192xi64>
  %row = accel.broadcast %rows [0, 2] : tensor<2x8192xi64> -> tensor<2x1x8192x8192xi64>
  %column = accel.broadcast %columns [3] : tensor<8192xi64> -> tensor<2x1x8192x8192xi64>
  %allowed = accel.compare ge, %row, %column : tensor<2x1x8192x8192xi64> -> tensor<2x1x8192x8192xi1>
  %m = accel.select %allowed, %zero, %none : tensor<2x1x8192x8192xi1>, tensor<2x1x8192x8192xf32>
  %y, %lse = accel.attention %q, %k, %k mask %m : tensor<2x1x8192x8192xf32> scale 0.5 : tensor<2x2x8192x4xf32>, tensor<2x2x8192x4xf32>, tensor<2x2x8192x4xf32> -> tensor<2x2x8192x4xf32>, tensor<2x2x8192xf32>
  return %y : tensor<2x2x8192x4xf32>
}

// -----

// One column more, of one diagonal in the middle, is not causal; of the samples, which are equal, one is enough.
// REMARK: judged the mask of attention: a tensor
// CHECK-LABEL: func @long_other
// CHECK: %[[ONE:.+]] = accel.slice %{{.+}} [0, 0, 0, 0] strides [1, 1, 1, 1] : tensor<2x1x8192x8192xi1> -> tensor<1x1x8192x8192xi1>
// CHECK: accel.attention %arg0, %arg1, %arg1 mask %[[ONE]] : tensor<1x1x8192x8192xi1> scale 5.000000e-01 :
func.func @long_other(%q: tensor<2x2x8192x4xf32>, %k: tensor<2x2x8192x4xf32>) -> tensor<2x2x8192x4xf32> {
  %rows = accel.iota 2 : tensor<2x1x8192x8192xi64>
  %columns = accel.iota 3 : tensor<2x1x8192x8192xi64>
  %far = accel.constant dense<-777> : tensor<2x1x8192x8192xi64>
  %difference = accel.sub %rows, %columns : tensor<2x1x8192x8192xi64>
  %causal = accel.compare ge, %rows, %columns : tensor<2x1x8192x8192xi64> -> tensor<2x1x8192x8192xi1>
  %more = accel.compare eq, %difference, %far : tensor<2x1x8192x8192xi64> -> tensor<2x1x8192x8192xi1>
  %m = accel.or %causal, %more : tensor<2x1x8192x8192xi1>
  %y, %lse = accel.attention %q, %k, %k mask %m : tensor<2x1x8192x8192xi1> scale 0.5 : tensor<2x2x8192x4xf32>, tensor<2x2x8192x4xf32>, tensor<2x2x8192x4xf32> -> tensor<2x2x8192x4xf32>, tensor<2x2x8192xf32>
  return %y : tensor<2x2x8192x4xf32>
}

// -----

// What is -inf is equal to -inf: a mask made of another one.
// REMARK: judged the mask of attention: causal
// CHECK-LABEL: func @long_of_infinities
// CHECK: accel.attention %arg0, %arg1, %arg1 scale 5.000000e-01 causal :
func.func @long_of_infinities(%q: tensor<2x2x8192x4xf32>, %k: tensor<2x2x8192x4xf32>) -> tensor<2x2x8192x4xf32> {
  %zero = accel.constant dense<0.0> : tensor<2x1x8192x8192xf32>
  %none = accel.constant dense<0xFF800000> : tensor<2x1x8192x8192xf32>
  %row = accel.iota 2 : tensor<2x1x8192x8192xi64>
  %column = accel.iota 3 : tensor<2x1x8192x8192xi64>
  %allowed = accel.compare ge, %row, %column : tensor<2x1x8192x8192xi64> -> tensor<2x1x8192x8192xi1>
  %added = accel.select %allowed, %zero, %none : tensor<2x1x8192x8192xi1>, tensor<2x1x8192x8192xf32>
  %blocked = accel.compare eq, %added, %none : tensor<2x1x8192x8192xf32> -> tensor<2x1x8192x8192xi1>
  %m = accel.not %blocked : tensor<2x1x8192x8192xi1>
  %y, %lse = accel.attention %q, %k, %k mask %m : tensor<2x1x8192x8192xi1> scale 0.5 : tensor<2x2x8192x4xf32>, tensor<2x2x8192x4xf32>, tensor<2x2x8192x4xf32> -> tensor<2x2x8192x4xf32>, tensor<2x2x8192xf32>
  return %y : tensor<2x2x8192x4xf32>
}
