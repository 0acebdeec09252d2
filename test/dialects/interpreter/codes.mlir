// RUN: accel-opt --run=f --split-input-file %s | FileCheck %s

// The smallest and the largest numbers of the signed code, and 1, which has no negative.
// CHECK: result #0: tensor<7xf64> = [0, 5.5e-07, 3.25e-06, 0.992969, 1, -0.992969, -5.5e-07]
func.func @f() -> tensor<7xf64> {
  %c = accel.constant dense<[0, 1, 2, 127, 128, 129, 255]> : tensor<7xui8>
  %x = accel.dequantize dynamic_signed, %c : tensor<7xui8> -> tensor<7xf64>
  return %x : tensor<7xf64>
}

// -----

// The unsigned code has twice as many numbers in each decade.
// CHECK: result #0: tensor<5xf64> = [0, 3.25e-07, 7.75e-07, 0.996484, 1]
func.func @f() -> tensor<5xf64> {
  %c = accel.constant dense<[0, 1, 2, 254, 255]> : tensor<5xui8>
  %x = accel.dequantize dynamic_unsigned, %c : tensor<5xui8> -> tensor<5xf64>
  return %x : tensor<5xf64>
}

// -----

// The nearest number, also across decades: 9.9e-7 is nearer to 7.75e-7 than to the next decade's 2.125e-6; what is outside; no number.
// CHECK: result #0: tensor<8xui8> = [0, 1, 2, 3, 254, 255, 0, 0]
func.func @f() -> tensor<8xui8> {
  %x = accel.constant dense<[1.6e-7, 1.7e-7, 9.9e-7, 1.7e-6, 0.998, 7.0, -1.0, 0x7FF8000000000000]> : tensor<8xf64>
  %c = accel.quantize dynamic_unsigned, %x : tensor<8xf64> -> tensor<8xui8>
  return %c : tensor<8xui8>
}

// -----

// CHECK: result #0: tensor<6xui8> = [0, 255, 128, 127, 129, 129]
func.func @f() -> tensor<6xui8> {
  %x = accel.constant dense<[2.7e-7, -2.8e-7, 0.997, 0.996, -0.997, -7.0]> : tensor<6xf64>
  %c = accel.quantize dynamic_signed, %x : tensor<6xf64> -> tensor<6xui8>
  return %c : tensor<6xui8>
}
