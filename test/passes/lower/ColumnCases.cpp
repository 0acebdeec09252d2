// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that sum over rows: biases' and norms' gradients, and the
// embedding's, which sums into chosen rows.
#include "test/passes/lower/KernelCases.h"

namespace accel::test {

namespace {

std::string sized(const std::string &name, int64_t rows, int64_t columns) {
  return name + "_" + std::to_string(rows) + "x" + std::to_string(columns);
}

void addSums(std::vector<KernelCase> &cases, int64_t rows, int64_t columns) {
  std::vector<std::string> types = {tensorOf({rows, columns}, "f32"),
                                    tensorOf({columns}, "f32"),
                                    tensorOf({rows}, "f32")};
  for (int keeps : {0, 1}) {
    std::string result = types[1] + " {plan.accumulate = 1 : i64}";
    cases.push_back(
        {sized(keeps ? "bias_gradient_kept" : "bias_gradient_begun", rows,
               columns),
         makeKernel("columns", rows, columns,
                    "%x: " + types[0] + ", " + makeKeepArgument(keeps), result,
                    substitute("  %s = accel.reduce_sum %x [0] : $0 -> $1\n  "
                               "return %s : $1",
                               types)),
         2e-6});
  }
  for (bool accumulates : {false, true}) {
    std::string result = types[1] + (accumulates ? " {plan.accumulate}" : "");
    cases.push_back(
        {sized(accumulates ? "bias_gradient_accumulated" : "bias_gradient",
               rows, columns),
         makeKernel(
             "columns", rows, columns, "%x: " + types[0], result,
             substitute(
                 "  %s = accel.reduce_sum %x [0] : $0 -> $1\n  return %s : $1",
                 types)),
         2e-6});
  }
  cases.push_back(
      {sized("norm_gradients", rows, columns),
       makeKernel("columns", rows, columns,
                  substitute("%dy: $0, %x: $0, %m: $2, %r: $2", types),
                  substitute("$1 {plan.accumulate}, $1", types),
                  substitute(R"(
  %mb = accel.broadcast %m [0] : $2 -> $0
  %d = accel.sub %x, %mb : $0
  %rb = accel.broadcast %r [0] : $2 -> $0
  %n = accel.mul %d, %rb : $0
  %p = accel.mul %dy, %n : $0
  %dg = accel.reduce_sum %p [0] : $0 -> $1
  %db = accel.reduce_sum %dy [0] : $0 -> $1
  return %dg, %db : $1, $1)",
                             types)),
       3e-6});
}

void addScatter(std::vector<KernelCase> &cases, int64_t columns) {
  for (int keeps : {0, 1}) {
    std::vector<std::string> types = {tensorOf({4, 15}, "i64"),
                                      tensorOf({4, 15, columns}, "f32"),
                                      tensorOf({11, columns}, "f32")};
    cases.push_back(
        {std::string("scatter_") + (keeps ? "kept_" : "begun_") +
             std::to_string(columns),
         makeKernel(
             "columns", 60, columns,
             substitute("%i: $0 {accel.range = [0, 10]}, %u: $1, ", types) +
                 makeKeepArgument(keeps),
             types[2] + " {plan.accumulate = 2 : i64}",
             substitute("  %s = accel.scatter_add %i, %u : $0, $1 -> "
                        "$2\n  return %s : $2",
                        types)),
         2e-6});
  }
  for (const char *index : {"i64", "i32"}) {
    std::vector<std::string> types = {tensorOf({4, 15}, index),
                                      tensorOf({4, 15, columns}, "f32"),
                                      tensorOf({11, columns}, "f32")};
    for (bool accumulates : {false, true}) {
      cases.push_back(
          {std::string("scatter_") + index +
               (accumulates ? "_accumulated_" : "_") + std::to_string(columns),
           makeKernel(
               "columns", 60, columns,
               substitute("%i: $0 {accel.range = [0, 10]}, %u: $1, %w: $1",
                          types),
               types[2] + (accumulates ? " {plan.accumulate}" : ""),
               substitute(
                   "  %v = accel.mul %u, %w : $1\n  %s = accel.scatter_add %i, "
                   "%v : $0, $1 -> $2\n  return %s : $2",
                   types)),
           2e-6});
    }
  }
}

} // namespace

std::vector<KernelCase> getColumnCases() {
  std::vector<KernelCase> cases;
  for (int64_t columns : {1, 7, 63, 64, 65, 127, 768}) {
    for (int64_t rows : {1, 31, 32, 100}) {
      addSums(cases, rows, columns);
    }
    addScatter(cases, columns);
  }
  addSums(cases, 10000, 16);
  cases.push_back(
      {"batch_sum",
       makeKernel("columns", 6, 130, "%x: tensor<2x3x10x13xf64>",
                  "tensor<10x13xf64>",
                  "  %s = accel.reduce_sum %x [0, 1] : tensor<2x3x10x13xf64> "
                  "-> tensor<10x13xf64>\n  return %s : tensor<10x13xf64>"),
       1e-14});
  cases.push_back(
      {"integer_sum",
       makeKernel("columns", 40, 70, "%x: tensor<40x70xi64>", "tensor<70xi64>",
                  "  %s = accel.reduce_sum %x [0] : tensor<40x70xi64> -> "
                  "tensor<70xi64>\n  return %s : tensor<70xi64>"),
       0});
  return cases;
}

} // namespace accel::test
