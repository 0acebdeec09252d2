// RUN: accel-opt %s --accel-recognise-binary-cross-entropy --split-input-file | FileCheck %s

// Targets of the model's own. The values read x behind a stop; beside them lies zero, whose gradient is PyTorch's.
// CHECK-LABEL: @targets
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x3xf32>, %[[T:[^:]+]]: tensor<2x3xf32>
// CHECK: %[[FIXED:.+]] = accel.stop_gradient %[[X]]
// CHECK: %[[NEG:.+]] = accel.neg %[[FIXED]]
// CHECK: %[[OTHER:.+]] = accel.add %[[NEG]],
// CHECK: %[[LESS:.+]] = accel.add %[[T]],
// CHECK: %[[LOGN:.+]] = accel.log %[[OTHER]]
// CHECK: %[[NO:.+]] = accel.max %[[LOGN]],
// CHECK: %[[FIRST:.+]] = accel.mul %[[LESS]], %[[NO]]
// CHECK: %[[LOGY:.+]] = accel.log %[[FIXED]]
// CHECK: %[[YES:.+]] = accel.max %[[LOGY]],
// CHECK: %[[SECOND:.+]] = accel.mul %[[T]], %[[YES]]
// CHECK: %[[VALUES:.+]] = accel.sub %[[FIRST]], %[[SECOND]]
// CHECK: %[[VARIANCE:.+]] = accel.mul %[[OTHER]], %[[FIXED]]
// CHECK: %[[LEAST:.+]] = accel.constant dense<9.99999996E-13>
// CHECK: %[[BOUNDED:.+]] = accel.max %[[VARIANCE]], %[[LEAST]]
// CHECK: %[[ERROR:.+]] = accel.sub %[[FIXED]], %[[T]]
// CHECK: %[[GRADIENT:.+]] = accel.div %[[ERROR]], %[[BOUNDED]]
// CHECK: %[[ZERO:.+]] = accel.sub %[[X]], %[[FIXED]]
// CHECK: %[[STOPPED:.+]] = accel.stop_gradient %[[GRADIENT]]
// CHECK: %[[CARRIER:.+]] = accel.mul %[[ZERO]], %[[STOPPED]]
// CHECK: %[[LOSS:.+]] = accel.add %[[VALUES]], %[[CARRIER]]
// CHECK: return %[[LOSS]]
func.func @targets(%x: tensor<2x3xf32>, %t: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %one = accel.constant dense<1.0> : tensor<2x3xf32>
  %least = accel.constant dense<-100.0> : tensor<2x3xf32>
  %less = accel.sub %t, %one : tensor<2x3xf32>
  %neg = accel.neg %x : tensor<2x3xf32>
  %other = accel.add %neg, %one : tensor<2x3xf32>
  %logn = accel.log %other : tensor<2x3xf32>
  %no = accel.max %logn, %least : tensor<2x3xf32>
  %first = accel.mul %less, %no : tensor<2x3xf32>
  %logy = accel.log %x : tensor<2x3xf32>
  %yes = accel.max %least, %logy : tensor<2x3xf32>
  %second = accel.mul %yes, %t : tensor<2x3xf32>
  %loss = accel.sub %first, %second : tensor<2x3xf32>
  return %loss : tensor<2x3xf32>
}

// -----

// Targets of 1 and of 0, as of real and generated samples: what multiplies a logarithm is a number, or lies in it already.
// CHECK-LABEL: @numbers
// CHECK-COUNT-4: accel.stop_gradient
// CHECK-NOT: accel.stop_gradient
func.func @numbers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = accel.constant dense<0.0> : tensor<4xf32>
  %one = accel.constant dense<1.0> : tensor<4xf32>
  %least = accel.constant dense<-100.0> : tensor<4xf32>
  %other = accel.sub %one, %x : tensor<4xf32>
  %logn = accel.log %other : tensor<4xf32>
  %no = accel.max %logn, %least : tensor<4xf32>
  %logy = accel.log %x : tensor<4xf32>
  %yes = accel.max %logy, %least : tensor<4xf32>
  %none = accel.mul %no, %zero : tensor<4xf32>
  %real = accel.sub %none, %yes : tensor<4xf32>
  %all = accel.neg %no : tensor<4xf32>
  %nothing = accel.mul %zero, %yes : tensor<4xf32>
  %fake = accel.sub %all, %nothing : tensor<4xf32>
  return %real, %fake : tensor<4xf32>, tensor<4xf32>
}

// -----

// Targets that differ, but are known: what multiplies the logarithms are constants, also under equal views.
// CHECK-LABEL: @constants
// CHECK-COUNT-4: accel.stop_gradient
// CHECK-NOT: accel.stop_gradient
func.func @constants(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %one = accel.constant dense<1.0> : tensor<2x2xf32>
  %least = accel.constant dense<-100.0> : tensor<2x2xf32>
  %other = accel.sub %one, %x : tensor<2x2xf32>
  %logn = accel.log %other : tensor<2x2xf32>
  %no = accel.max %logn, %least : tensor<2x2xf32>
  %logy = accel.log %x : tensor<2x2xf32>
  %yes = accel.max %logy, %least : tensor<2x2xf32>
  %t = accel.constant dense<[[1.0, 0.0], [0.9, 0.0]]> : tensor<2x2xf32>
  %less = accel.constant dense<[[0.0, -1.0], [-0.100000024, -1.0]]> : tensor<2x2xf32>
  %first = accel.mul %no, %less : tensor<2x2xf32>
  %second = accel.mul %yes, %t : tensor<2x2xf32>
  %a = accel.sub %first, %second : tensor<2x2xf32>
  %row = accel.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %rowless = accel.constant dense<[0.0, -1.0]> : tensor<2xf32>
  %wide = accel.broadcast %row [1] : tensor<2xf32> -> tensor<2x2xf32>
  %wideless = accel.broadcast %rowless [1] : tensor<2xf32> -> tensor<2x2xf32>
  %third = accel.mul %no, %wideless : tensor<2x2xf32>
  %fourth = accel.mul %yes, %wide : tensor<2x2xf32>
  %b = accel.sub %third, %fourth : tensor<2x2xf32>
  // Under other views these are other elements.
  %tall = accel.broadcast %row [0] : tensor<2xf32> -> tensor<2x2xf32>
  %fifth = accel.mul %yes, %tall : tensor<2x2xf32>
  %c = accel.sub %third, %fifth : tensor<2x2xf32>
  return %a, %b, %c : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// The logarithms of two values, factors that are not those of one target, and another bound are other functions.
// CHECK-LABEL: @others
// CHECK-NOT: accel.stop_gradient
func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>, %t: tensor<4xf32>, %u: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %half = accel.constant dense<0.5> : tensor<4xf32>
  %one = accel.constant dense<1.0> : tensor<4xf32>
  %least = accel.constant dense<-100.0> : tensor<4xf32>
  %ten = accel.constant dense<-10.0> : tensor<4xf32>
  %other = accel.sub %one, %x : tensor<4xf32>
  %logn = accel.log %other : tensor<4xf32>
  %no = accel.max %logn, %least : tensor<4xf32>
  %logx = accel.log %x : tensor<4xf32>
  %yesx = accel.max %logx, %least : tensor<4xf32>
  %logy = accel.log %y : tensor<4xf32>
  %yesy = accel.max %logy, %least : tensor<4xf32>
  %early = accel.max %logx, %ten : tensor<4xf32>
  %less = accel.sub %t, %one : tensor<4xf32>
  %first = accel.mul %less, %no : tensor<4xf32>
  %secondy = accel.mul %t, %yesy : tensor<4xf32>
  %a = accel.sub %first, %secondy : tensor<4xf32>
  %secondu = accel.mul %u, %yesx : tensor<4xf32>
  %b = accel.sub %first, %secondu : tensor<4xf32>
  %part = accel.mul %half, %no : tensor<4xf32>
  %c = accel.sub %part, %yesx : tensor<4xf32>
  %bounded = accel.mul %t, %early : tensor<4xf32>
  %d = accel.sub %first, %bounded : tensor<4xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
