// RUN: accel-opt %s --accel-verify-import --remarks-filter=accel-verify-import --remark-format=emitRemark --verify-diagnostics

// A softmax between two products that was not recognised will be slow: it is said, and no error.
func.func @forward(%q: tensor<2x3x4xf32> {accel.name = "q"}) -> (tensor<2x3x4xf32> {accel.name = "y"}) {
  %s = accel.matmul %q, %q {transpose_rhs} : tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<2x3x3xf32>
  // expected-remark@below {{softmax of a matrix product was not recognised as attention}}
  %p = accel.softmax %s : tensor<2x3x3xf32>
  %y = accel.matmul %p, %q : tensor<2x3x3xf32>, tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
