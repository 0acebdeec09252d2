// RUN: accel-opt --run=f %s | FileCheck %s
// RUN: accel-opt --run=f --run-round %s | FileCheck %s --check-prefix=ROUND

// Floats are doubles whatever their type; --run-round rounds every result to it. (2^-30 is lost next to 1 in f32; 1/3 is no
// f16.) A cast to 16 bits rounds always: 257 is no bf16.
// CHECK: result #0: tensor<f64> = 9.31323e-10
// CHECK: result #1: tensor<bf16> = 256
// CHECK: result #2: tensor<f16> = 0.333333
// ROUND: result #0: tensor<f64> = 0
// ROUND: result #1: tensor<bf16> = 256
// ROUND: result #2: tensor<f16> = 0.333252
func.func @f() -> (tensor<f64>, tensor<bf16>, tensor<f16>) {
  %one = accel.constant dense<1.0> : tensor<f32>
  %small = accel.constant dense<9.31322574615478515625e-10> : tensor<f32>
  %sum = accel.add %one, %small : tensor<f32>
  %rest = accel.sub %sum, %one : tensor<f32>
  %0 = accel.cast %rest : tensor<f32> -> tensor<f64>
  %odd = accel.constant dense<257> : tensor<i64>
  %1 = accel.cast %odd : tensor<i64> -> tensor<bf16>
  %three = accel.constant dense<3.0> : tensor<f16>
  %unit = accel.constant dense<1.0> : tensor<f16>
  %2 = accel.div %unit, %three : tensor<f16>
  return %0, %1, %2 : tensor<f64>, tensor<bf16>, tensor<f16>
}
