// RUN: accel-opt %s --accel-fold-constants --split-input-file --verify-diagnostics

// What cannot be evaluated is wrong in the model: the interpreter says where.
func.func @index() -> tensor<1xi64> {
  %x = accel.constant dense<[1, 2, 3]> : tensor<3xi64>
  %i = accel.constant dense<[[5]]> : tensor<1x1xi64>
  // expected-error@below {{expected}}
  %y = accel.gather_nd %x, %i batch_dims 0 : tensor<3xi64>, tensor<1x1xi64> -> tensor<1xi64>
  return %y : tensor<1xi64>
}
