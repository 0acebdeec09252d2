// RUN: accel-opt --run=f --split-input-file %s | FileCheck %s

// Functions of one number, by their known values.
// CHECK: result #0: tensor<3xf64> = [1.5, -0, -2]
// CHECK: result #1: tensor<3xf64> = [1.5, 0, 2]
// CHECK: result #2: tensor<3xf64> = [0.22313, 1, 7.38906]
// CHECK: result #3: tensor<3xf64> = [0, 0, 2]
// CHECK: result #4: tensor<3xf64> = [0.182426, 0.5, 0.880797]
// CHECK: result #5: tensor<3xf64> = [-0.966105, 0, 0.995322]
// CHECK: result #6: tensor<3xf64> = [-0.905148, 0, 0.964028]
// CHECK: result #7: tensor<3xf64> = [-0.997495, 0, 0.909297]
// CHECK: result #8: tensor<3xf64> = [0.0707372, 1, -0.416147]
func.func @f(%x: tensor<3xf64> {accel.value = dense<[-1.5, 0.0, 2.0]> : tensor<3xf64>})
    -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %0 = accel.neg %x : tensor<3xf64>
  %1 = accel.abs %x : tensor<3xf64>
  %2 = accel.exp %x : tensor<3xf64>
  %3 = accel.relu %x : tensor<3xf64>
  %4 = accel.sigmoid %x : tensor<3xf64>
  %5 = accel.erf %x : tensor<3xf64>
  %6 = accel.tanh %x : tensor<3xf64>
  %7 = accel.sin %x : tensor<3xf64>
  %8 = accel.cos %x : tensor<3xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// -----

// What is undefined for real numbers is as IEEE 754 has it; a maximum and a minimum of NaN are NaN.
// CHECK: result #0: tensor<3xf64> = [nan, -inf, 0.693147]
// CHECK: result #1: tensor<3xf64> = [nan, inf, 0.707107]
// CHECK: result #2: tensor<3xf64> = [nan, 0, 1.41421]
// CHECK: result #3: tensor<3xf64> = [nan, 0, 2]
// CHECK: result #4: tensor<3xf64> = [nan, 0, 2]
// CHECK: result #5: tensor<3xi1> = [true, false, false]
// CHECK: result #6: tensor<3xi1> = [false, true, true]
// CHECK: result #7: tensor<3xi1> = [true, false, false]
func.func @f(%x: tensor<3xf64> {accel.value = dense<[-1.0, 0.0, 2.0]> : tensor<3xf64>})
    -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %log = accel.log %x : tensor<3xf64>
  %rsqrt = accel.rsqrt %x : tensor<3xf64>
  %sqrt = accel.sqrt %x : tensor<3xf64>
  %y = accel.mul %sqrt, %sqrt : tensor<3xf64>
  %max = accel.max %x, %y : tensor<3xf64>
  %min = accel.min %y, %x : tensor<3xf64>
  %nan = accel.is_nan %y : tensor<3xf64> -> tensor<3xi1>
  %equal = accel.compare ge, %y, %y : tensor<3xf64> -> tensor<3xi1>
  %different = accel.compare ne, %y, %y : tensor<3xf64> -> tensor<3xi1>
  return %log, %rsqrt, %sqrt, %max, %min, %nan, %equal, %different
      : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// -----

// Integers wrap at their width and divide towards zero.
// CHECK: result #0: tensor<2xi32> = [-2147483648, 0]
// CHECK: result #1: tensor<2xi32> = [2147483646, -14]
// CHECK: result #2: tensor<2xi32> = [2147483647, -49]
// CHECK: result #3: tensor<2xi32> = [2147483647, -1]
// CHECK: result #4: tensor<2xi64> = [-9223372036854775808, -3]
// CHECK: result #5: tensor<i32> = -2147483640
func.func @f(%x: tensor<2xi32> {accel.value = dense<[2147483647, -7]> : tensor<2xi32>},
             %y: tensor<2xi32> {accel.value = dense<[1, 7]> : tensor<2xi32>},
             %n: tensor<2xi64> {accel.value = dense<[-9223372036854775808, -7]> : tensor<2xi64>},
             %d: tensor<2xi64> {accel.value = dense<[-1, 2]> : tensor<2xi64>})
    -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi64>, tensor<i32>) {
  %0 = accel.add %x, %y : tensor<2xi32>
  %1 = accel.sub %x, %y : tensor<2xi32>
  %2 = accel.mul %x, %y : tensor<2xi32>
  %3 = accel.div %x, %y : tensor<2xi32>
  %4 = accel.div %n, %d : tensor<2xi64>
  %both = accel.concat %x, %y, %y axis 0 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32> -> tensor<6xi32>
  %5 = accel.reduce_sum %both [0] : tensor<6xi32> -> tensor<i32>
  return %0, %1, %2, %3, %4, %5 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi64>, tensor<i32>
}

// -----

// Floats become integers towards zero, at most the largest; NaN becomes 0 and is not zero as a boolean.
// CHECK: result #0: tensor<5xi32> = [-1, 1, 2147483647, 0, 0]
// CHECK: result #1: tensor<5xi1> = [true, true, true, true, false]
// CHECK: result #2: tensor<5xf16> = [1, 1, 1, 1, 0]
// CHECK: result #3: tensor<2xi32> = [-1, 5]
func.func @f(%x: tensor<5xf64> {accel.value = dense<[-1.9, 1.9, 1.0e300, 0x7FF8000000000000, 0.0]> : tensor<5xf64>},
             %n: tensor<2xi64> {accel.value = dense<[4294967295, 5]> : tensor<2xi64>})
    -> (tensor<5xi32>, tensor<5xi1>, tensor<5xf16>, tensor<2xi32>) {
  %0 = accel.cast %x : tensor<5xf64> -> tensor<5xi32>
  %1 = accel.cast %x : tensor<5xf64> -> tensor<5xi1>
  %2 = accel.cast %1 : tensor<5xi1> -> tensor<5xf16>
  %3 = accel.cast %n : tensor<2xi64> -> tensor<2xi32>
  return %0, %1, %2, %3 : tensor<5xi32>, tensor<5xi1>, tensor<5xf16>, tensor<2xi32>
}
