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

// -----

// Bits are those of two's complement; a shift by a negative count, or by as many places as there are bits, leaves none but the sign's.
// CHECK: result #0: tensor<6xi32> = [1, 0, 16, -2147483648, -1, 8]
// CHECK: result #1: tensor<6xi32> = [-3, 77, 55, -2147483617, -1, 12]
// CHECK: result #2: tensor<6xi32> = [-4, 77, 39, 31, 0, 4]
// CHECK: result #3: tensor<6xi32> = [-6, 0, 0, 0, 0, 32768]
// CHECK: result #4: tensor<6xi32> = [-2, 0, 0, -1, -1, 0]
// CHECK: result #5: tensor<3xi64> = [-9223372036854775808, 0, 1099511627776]
// CHECK: result #6: tensor<3xi64> = [0, -1, 0]
func.func @f(%x: tensor<6xi32> {accel.value = dense<[-3, 13, 23, -2147483648, -1, 8]> : tensor<6xi32>},
             %y: tensor<6xi32> {accel.value = dense<[1, 64, 48, -2147483617, -1, 12]> : tensor<6xi32>},
             %l: tensor<3xi64> {accel.value = dense<[1, -1, 1]> : tensor<3xi64>},
             %n: tensor<3xi64> {accel.value = dense<[63, 64, 40]> : tensor<3xi64>})
    -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<3xi64>, tensor<3xi64>) {
  %0 = accel.bitwise and, %x, %y : tensor<6xi32>
  %1 = accel.bitwise or, %x, %y : tensor<6xi32>
  %2 = accel.bitwise xor, %x, %y : tensor<6xi32>
  %3 = accel.bitwise shift_left, %x, %y : tensor<6xi32>
  %4 = accel.bitwise shift_right, %x, %y : tensor<6xi32>
  %5 = accel.bitwise shift_left, %l, %n : tensor<3xi64>
  %6 = accel.bitwise shift_right, %l, %n : tensor<3xi64>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<3xi64>, tensor<3xi64>
}

// -----

// The bits of 1, -2 and a NaN, by IEEE 754, and back.
// CHECK: result #0: tensor<4xi32> = [1065353216, -1073741824, 2143289344, -2147483648]
// CHECK: result #1: tensor<4xf32> = [1, -2, nan, -0]
// CHECK: result #2: tensor<2xi64> = [4607182418800017408, -4611686018427387904]
// CHECK: result #3: tensor<2xf64> = [1, -2]
func.func @f(%x: tensor<4xf32> {accel.value = dense<[1.0, -2.0, 0x7FC00000, -0.0]> : tensor<4xf32>},
             %y: tensor<2xf64> {accel.value = dense<[1.0, -2.0]> : tensor<2xf64>})
    -> (tensor<4xi32>, tensor<4xf32>, tensor<2xi64>, tensor<2xf64>) {
  %0 = accel.bitcast %x : tensor<4xf32> -> tensor<4xi32>
  %1 = accel.bitcast %0 : tensor<4xi32> -> tensor<4xf32>
  %2 = accel.bitcast %y : tensor<2xf64> -> tensor<2xi64>
  %3 = accel.bitcast %2 : tensor<2xi64> -> tensor<2xf64>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xf32>, tensor<2xi64>, tensor<2xf64>
}

// -----

// Without `saturate` what is beyond the range becomes an infinity, with it the largest number; 8 bits know no other way. NaN stays.
// CHECK: result #0: tensor<6xf16> = [65504, inf, -inf, inf, nan, 5.96046e-08]
// CHECK: result #1: tensor<6xf16> = [65504, 65504, -65504, 65504, nan, 5.96046e-08]
// CHECK: result #2: tensor<6xf8E4M3FN> = [448, 448, -448, 448, nan, 0]
// CHECK: result #3: tensor<6xf8E5M2> = [57344, 57344, -57344, 57344, nan, 0]
func.func @f(%x: tensor<6xf32> {accel.value = dense<[65519.0, 65520.0, -1.0e9, 0x7F800000, 0x7FC00000, 5.0e-8]> : tensor<6xf32>})
    -> (tensor<6xf16>, tensor<6xf16>, tensor<6xf8E4M3FN>, tensor<6xf8E5M2>) {
  %0 = accel.cast %x : tensor<6xf32> -> tensor<6xf16>
  %1 = accel.cast %x saturate : tensor<6xf32> -> tensor<6xf16>
  %2 = accel.cast %x saturate : tensor<6xf32> -> tensor<6xf8E4M3FN>
  %3 = accel.cast %x saturate : tensor<6xf32> -> tensor<6xf8E5M2>
  return %0, %1, %2, %3 : tensor<6xf16>, tensor<6xf16>, tensor<6xf8E4M3FN>, tensor<6xf8E5M2>
}

// -----

// A scale is the smallest power of two that is not smaller; there is no zero and no negative one.
// CHECK: result #0: tensor<7xf32> = [1, 2, 0.25, 5.87747e-39, 5.87747e-39, 1.70141e+38, nan]
func.func @f(%x: tensor<7xf32> {accel.value = dense<[1.0, 1.0001, 0.25, 0.0, -3.0, 3.0e38, 0x7FC00000]> : tensor<7xf32>}) -> tensor<7xf32> {
  %0 = accel.cast %x : tensor<7xf32> -> tensor<7xf8E8M0FNU>
  %1 = accel.cast %0 : tensor<7xf8E8M0FNU> -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

// -----

// Rows whose index is of no matrix: zeros, and nothing in the sum of outer products.
// CHECK: result #0: tensor<3x2xf64> = [ [1, 4], [0, 0], [0, 0] ]
// CHECK: result #1: tensor<1x2x2xf64> = [ {{\[}} [1, 4], [2, 8] ] ]
func.func @f(%x: tensor<3x2xf64> {accel.value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>},
             %w: tensor<2x2xf64> {accel.value = dense<[[1.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf64>},
             %i: tensor<3xi64> {accel.value = dense<[0, 1, -100]> : tensor<3xi64>}) -> (tensor<3x2xf64>, tensor<1x2x2xf64>) {
  %y = accel.grouped_matmul %x, %w, %i {skip_others} : tensor<3x2xf64>, tensor<2x2xf64>, tensor<3xi64> -> tensor<3x2xf64>
  %g = accel.grouped_outer %x, %y, %i {skip_others} : tensor<3x2xf64>, tensor<3x2xf64>, tensor<3xi64> -> tensor<1x2x2xf64>
  return %y, %g : tensor<3x2xf64>, tensor<1x2x2xf64>
}
