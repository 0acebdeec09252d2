// RUN: accel-opt %s --accel-recognise-gelu --split-input-file --remarks-filter=accel-recognise-gelu --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// The exact form as exporters write it: x * (0.5 * (erf(x / sqrt 2) + 1)).
// CHECK-LABEL: func @erf
// CHECK-NEXT: %[[Y:.+]] = accel.gelu none, %{{.+}} : tensor<4x8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @erf(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %root = accel.constant dense<1.41421354> : tensor<4x8xf32>
  %one = accel.constant dense<1.0> : tensor<4x8xf32>
  %half = accel.constant dense<0.5> : tensor<4x8xf32>
  %u = accel.div %x, %root : tensor<4x8xf32>
  %e = accel.erf %u : tensor<4x8xf32>
  %s = accel.add %e, %one : tensor<4x8xf32>
  %h = accel.mul %half, %s : tensor<4x8xf32>
  // expected-remark@below {{recognised GELU, approximation none}}
  %y = accel.mul %x, %h : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The tanh form with a power, as Hugging Face writes it.
// CHECK-LABEL: func @tanh
// CHECK-NEXT: %[[Y:.+]] = accel.gelu tanh, %{{.+}} : tensor<4x8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @tanh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %three = accel.constant dense<3.0> : tensor<4x8xf32>
  %c = accel.constant dense<0.044715> : tensor<4x8xf32>
  %root = accel.constant dense<0.797884583> : tensor<4x8xf32>
  %one = accel.constant dense<1.0> : tensor<4x8xf32>
  %half = accel.constant dense<0.5> : tensor<4x8xf32>
  %h = accel.mul %x, %half : tensor<4x8xf32>
  %p = accel.pow %x, %three : tensor<4x8xf32>
  %cp = accel.mul %p, %c : tensor<4x8xf32>
  %s = accel.add %x, %cp : tensor<4x8xf32>
  %u = accel.mul %s, %root : tensor<4x8xf32>
  %t = accel.tanh %u : tensor<4x8xf32>
  %t1 = accel.add %t, %one : tensor<4x8xf32>
  // expected-remark@below {{recognised GELU, approximation tanh}}
  %y = accel.mul %h, %t1 : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The argument is itself scaled: the polynomials tell x from 2 x.
// CHECK-LABEL: func @scaled
// CHECK: %[[X:.+]] = accel.mul
// CHECK-NEXT: accel.gelu none, %[[X]]
func.func @scaled(%z: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %two = accel.constant dense<2.0> : tensor<4x8xf32>
  %root = accel.constant dense<0.707106769> : tensor<4x8xf32>
  %one = accel.constant dense<1.0> : tensor<4x8xf32>
  %half = accel.constant dense<0.5> : tensor<4x8xf32>
  %x = accel.mul %z, %two : tensor<4x8xf32>
  %u = accel.mul %x, %root : tensor<4x8xf32>
  %e = accel.erf %u : tensor<4x8xf32>
  %s = accel.add %e, %one : tensor<4x8xf32>
  %xs = accel.mul %x, %s : tensor<4x8xf32>
  // expected-remark@below {{recognised GELU, approximation none}}
  %y = accel.mul %xs, %half : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Not a GELU: another constant, another use.
// CHECK-LABEL: func @others
// CHECK: accel.tanh
// CHECK: accel.erf
func.func @others(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %root = accel.constant dense<0.707106769> : tensor<4x8xf32>
  // expected-remark@below {{the argument of tanh is not that of a GELU}}
  %t = accel.tanh %x : tensor<4x8xf32>
  %u = accel.mul %x, %root : tensor<4x8xf32>
  // expected-remark@below {{its result is not used as x/2 (1 + erf(...))}}
  %e = accel.erf %u : tensor<4x8xf32>
  return %t, %e : tensor<4x8xf32>, tensor<4x8xf32>
}
