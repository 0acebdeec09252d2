// RUN: accel-opt %s --accel-number-dropout-sites | FileCheck %s
// RUN: accel-opt %s --accel-number-dropout-sites=dropout=0.25 | FileCheck %s --check-prefix=SAME
// RUN: accel-opt %s --accel-number-dropout-sites=dropout=off | FileCheck %s --check-prefix=OFF
// RUN: accel-opt %s --accel-number-dropout-sites --remarks-filter=accel-number-dropout-sites --remark-format=emitRemark -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// Sites are numbered from 1 in the order of the graph; one that drops nothing is none.
// CHECK-LABEL: func @sites
// CHECK: accel.dropout %{{.+}} probability 1.000000e-01 site 1
// CHECK-NOT: accel.dropout
// CHECK: accel.attention %{{.+}} probability 2.000000e-01 site 2
// CHECK: accel.dropout %{{.+}} probability 3.000000e-01 site 3
// One probability for all sites, those of the model that drop nothing included.
// SAME-LABEL: func @sites
// SAME: accel.dropout %{{.+}} probability 2.500000e-01 site 1
// SAME: accel.dropout %{{.+}} probability 2.500000e-01 site 2
// SAME: accel.attention %{{.+}} probability 2.500000e-01 site 3
// SAME: accel.dropout %{{.+}} probability 2.500000e-01 site 4
// Without dropout nothing of it is left.
// OFF-LABEL: func @sites
// OFF-NOT: probability
// OFF: accel.attention %{{.+}}, %{{.+}}, %{{.+}} scale
// OFF: accel.dropout %{{.+}} factor uniform site 1
// OFF-NOT: accel.dropout
// What draws random numbers drops nothing, so that no probability is its own; its sites come last, as the model does not list them.
// CHECK: accel.dropout %{{.+}} probability 0.000000e+00 factor uniform site 4
// SAME: accel.dropout %{{.+}} probability 0.000000e+00 factor uniform site 5
// REMARK: dropout site 1: probability 0.1
// REMARK: dropout site 2: probability 0.2, on attention
// REMARK: dropout site 3: probability 0.3
// REMARK: site 4: uniform random numbers
func.func @sites(%q: tensor<2x2x3x4xf32>, %s: tensor<2xi64>, %seed: tensor<i64>) -> tensor<2x2x3x4xf32> {
  %a = accel.dropout %q, %s, %seed probability 0.1 site 7 : tensor<2x2x3x4xf32>, tensor<2xi64>, tensor<i64>
  %b = accel.dropout %a, %s, %seed probability 0.0 site 8 : tensor<2x2x3x4xf32>, tensor<2xi64>, tensor<i64>
  %c, %lse = accel.attention %b, %b, %b dropout %s, %seed probability 0.2 site 9 : tensor<2xi64>, tensor<i64> scale 0.5 : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
  %d = accel.dropout %c, %s, %seed probability 0.3 site 7 : tensor<2x2x3x4xf32>, tensor<2xi64>, tensor<i64>
  %e = accel.dropout %d, %s, %seed probability 0.0 factor uniform site 7 : tensor<2x2x3x4xf32>, tensor<2xi64>, tensor<i64>
  return %e : tensor<2x2x3x4xf32>
}
