// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases of the operations that move elements, of reductions, matrix products
// and table look-ups.
#include "test/dialects/interpreter/OpCases.h"

namespace accel::test {
namespace {

/// `%x -> accel.<operation> %x <attributes>` between two types.
OpCase makeUnary(const std::string &name, const std::string &operation,
                 const std::string &attributes, const std::string &from,
                 const std::string &to) {
  return makeCase(name, "%x: " + from, to,
                  "%y = accel." + operation + " %x " + attributes + " : " +
                      from + " -> " + to,
                  "%y : " + to);
}

OpCase makeProduct(const std::string &name, const std::string &attributes,
                   const std::string &lhs, const std::string &rhs,
                   const std::string &result) {
  return makeCase(name, "%x: " + lhs + ", %y: " + rhs, result,
                  "%z = accel.matmul %x, %y " + attributes + " : " + lhs +
                      ", " + rhs + " -> " + result,
                  "%z : " + result);
}

OpCase makeCumsum(const std::string &name, const std::string &attributes) {
  return makeCase(name, "%x: tensor<3x5x2xf64>", "tensor<3x5x2xf64>",
                  "%y = accel.cumsum %x axis " + attributes +
                      " : tensor<3x5x2xf64>",
                  "%y : tensor<3x5x2xf64>");
}

} // namespace

std::vector<OpCase> getShapeCases() {
  const std::string parts = "tensor<3x2xf64>, tensor<3x1xf64>, tensor<3x4xf64>";
  return {
      makeUnary("reshape", "reshape", "", "tensor<3x4x5xf64>",
                "tensor<6x10xf64>"),
      makeUnary("reshape_scalar", "reshape", "", "tensor<1x1xf64>",
                "tensor<f64>"),
      makeUnary("transpose", "transpose", "[1, 0]", "tensor<3x5xf64>",
                "tensor<5x3xf64>"),
      makeUnary("transpose_rotates", "transpose", "[2, 0, 1]",
                "tensor<2x3x5xf64>", "tensor<5x2x3xf64>"),
      makeUnary("transpose_heads", "transpose", "[0, 2, 1, 3]",
                "tensor<2x3x5x2xf64>", "tensor<2x5x3x2xf64>"),
      makeUnary("broadcast_rows", "broadcast", "[1]", "tensor<5xf64>",
                "tensor<3x5xf64>"),
      makeUnary("broadcast_columns", "broadcast", "[0]", "tensor<3xf64>",
                "tensor<3x5xf64>"),
      makeUnary("broadcast_unit", "broadcast", "[0, 2]", "tensor<1x5xf64>",
                "tensor<3x2x5xf64>"),
      makeUnary("broadcast_unit_stays", "broadcast", "[0, 1]",
                "tensor<3x1xf64>", "tensor<3x1xf64>"),
      makeUnary("broadcast_scalar", "broadcast", "[]", "tensor<f64>",
                "tensor<3x5xf64>"),
      makeUnary("slice", "slice", "[1, 2] strides [1, 1]", "tensor<3x5xf64>",
                "tensor<2x3xf64>"),
      makeUnary("slice_strided", "slice", "[0, 1] strides [2, 3]",
                "tensor<5x8xf64>", "tensor<3x3xf64>"),
      makeUnary("slice_strided_end_unused", "slice", "[1, 0] strides [2, 4]",
                "tensor<6x7xf64>", "tensor<2x2xf64>"),
      makeUnary("pad", "pad", "[1, 2] strides [1, 1]", "tensor<2x3xf64>",
                "tensor<4x7xf64>"),
      makeUnary("pad_strided", "pad", "[0, 1] strides [2, 3]",
                "tensor<3x3xf64>", "tensor<5x8xf64>"),
      makeUnary("windows", "windows",
                "axes [1, 2] sizes [3, 2] strides [2, 1] dilations [1, 2]",
                "tensor<2x7x5x2xf64>", "tensor<2x3x3x2x3x2xf64>"),
      makeUnary("windows_fewer", "windows",
                "axes [0] sizes [2] strides [3] dilations [2]",
                "tensor<9x2xf64>", "tensor<2x2x2xf64>"),
      makeUnary("sum_windows", "sum_windows",
                "axes [1, 2] sizes [3, 2] strides [2, 1] dilations [1, 2]",
                "tensor<2x3x3x2x3x2xf64>", "tensor<2x7x5x2xf64>"),
      makeUnary("sum_windows_apart", "sum_windows",
                "axes [0] sizes [2] strides [3] dilations [1]",
                "tensor<2x3x2xf64>", "tensor<7x3xf64>"),
      makeUnary("reduce_max_first", "reduce_max", "[1, 2] first",
                "tensor<3x2x3x2xf64>", "tensor<3x2xf64>"),
      makeCase("split", "%x: tensor<3x7xf64>", parts,
               "%a, %b, %c = accel.split %x axis 1 : tensor<3x7xf64> -> " +
                   parts,
               "%a, %b, %c : " + parts),
      makeCase("split_unused_part", "%x: tensor<7x2xf64>", "tensor<4x2xf64>",
               "%a, %b = accel.split %x axis 0 : tensor<7x2xf64> -> "
               "tensor<3x2xf64>, tensor<4x2xf64>",
               "%b : tensor<4x2xf64>"),
      makeCase("concat", "%x: tensor<3x2xf64>, %y: tensor<3x5xf64>",
               "tensor<3x9xf64>",
               "%z = accel.concat %x, %y, %x axis 1 : tensor<3x2xf64>, "
               "tensor<3x5xf64>, tensor<3x2xf64> -> tensor<3x9xf64>",
               "%z : tensor<3x9xf64>"),
      makeCase("concat_rows", "%x: tensor<1x3xf64>, %y: tensor<2x3xf64>",
               "tensor<3x3xf64>",
               "%z = accel.concat %x, %y axis 0 : tensor<1x3xf64>, "
               "tensor<2x3xf64> -> tensor<3x3xf64>",
               "%z : tensor<3x3xf64>"),
  };
}

std::vector<OpCase> getReductionCases() {
  std::vector<OpCase> cases = {
      makeCumsum("cumsum", "1"), makeCumsum("cumsum_exclusive", "0 exclusive"),
      makeCumsum("cumsum_reverse", "2 reverse"),
      makeCumsum("cumsum_exclusive_reverse", "1 exclusive reverse")};
  for (std::string operation : {"reduce_sum", "reduce_max", "reduce_min"}) {
    cases.push_back(makeUnary(operation + "_columns", operation, "[1]",
                              "tensor<3x5xf64>", "tensor<3xf64>"));
    cases.push_back(makeUnary(operation + "_rows", operation, "[0]",
                              "tensor<3x5xf64>", "tensor<5xf64>"));
    cases.push_back(makeUnary(operation + "_outer", operation, "[0, 2]",
                              "tensor<3x5x2xf64>", "tensor<5xf64>"));
    cases.push_back(makeUnary(operation + "_all", operation, "[0, 1, 2]",
                              "tensor<3x5x2xf64>", "tensor<f64>"));
    cases.push_back(makeUnary(operation + "_none", operation, "[]",
                              "tensor<3x5xf64>", "tensor<3x5xf64>"));
  }
  return cases;
}

std::vector<OpCase> getLinearCases() {
  const std::string grouped =
      "%x: tensor<6x3xf64>, %i: tensor<6xi64> {accel.range = [0, 3]}";
  const std::string skipped =
      "%x: tensor<6x3xf64>, %i: tensor<6xi64> {accel.value = dense<[0, 4, 3, "
      "-100, 3, 9]> : tensor<6xi64>}";
  const std::string table =
      "%t: tensor<7x3xf64>, %i: tensor<2x5xi64> {accel.range = [0, 6]}";
  std::vector<OpCase> cases = {
      makeProduct("matmul", "", "tensor<3x5xf64>", "tensor<5x2xf64>",
                  "tensor<3x2xf64>"),
      makeProduct("matmul_transpose_lhs", "{transpose_lhs}", "tensor<5x3xf64>",
                  "tensor<5x2xf64>", "tensor<3x2xf64>"),
      makeProduct("matmul_transpose_rhs", "{transpose_rhs}", "tensor<3x5xf64>",
                  "tensor<2x5xf64>", "tensor<3x2xf64>"),
      makeProduct("matmul_transpose_both", "{transpose_lhs, transpose_rhs}",
                  "tensor<5x3xf64>", "tensor<2x5xf64>", "tensor<3x2xf64>"),
      makeProduct("matmul_batched", "", "tensor<2x3x2x5xf64>",
                  "tensor<2x3x5x4xf64>", "tensor<2x3x2x4xf64>"),
      makeProduct("matmul_batched_transpose_lhs", "{transpose_lhs}",
                  "tensor<3x5x2xf64>", "tensor<3x5x4xf64>",
                  "tensor<3x2x4xf64>"),
      makeProduct("matmul_batched_transpose_rhs", "{transpose_rhs}",
                  "tensor<3x2x5xf64>", "tensor<3x4x5xf64>",
                  "tensor<3x2x4xf64>"),
      makeProduct("matmul_batched_transpose_both",
                  "{transpose_lhs, transpose_rhs}", "tensor<3x5x2xf64>",
                  "tensor<3x4x5xf64>", "tensor<3x2x4xf64>"),
      makeProduct("matmul_outer", "", "tensor<3x1xf64>", "tensor<1x2xf64>",
                  "tensor<3x2xf64>"),
      makeCase("grouped_matmul", grouped + ", %w: tensor<4x3x2xf64>",
               "tensor<6x2xf64>",
               "%y = accel.grouped_matmul %x, %w, %i : tensor<6x3xf64>, "
               "tensor<4x3x2xf64>, tensor<6xi64> -> tensor<6x2xf64>",
               "%y : tensor<6x2xf64>"),
      makeCase("grouped_matmul_transposed", grouped + ", %w: tensor<4x2x3xf64>",
               "tensor<6x2xf64>",
               "%y = accel.grouped_matmul %x, %w, %i {transpose_weights} : "
               "tensor<6x3xf64>, tensor<4x2x3xf64>, tensor<6xi64> -> "
               "tensor<6x2xf64>",
               "%y : tensor<6x2xf64>"),
      makeCase("grouped_outer", grouped + ", %z: tensor<6x2xf64>",
               "tensor<4x3x2xf64>",
               "%y = accel.grouped_outer %x, %z, %i : tensor<6x3xf64>, "
               "tensor<6x2xf64>, tensor<6xi64> -> tensor<4x3x2xf64>",
               "%y : tensor<4x3x2xf64>"),
      makeCase("grouped_matmul_skips", skipped + ", %w: tensor<4x3x2xf64>",
               "tensor<6x2xf64>",
               "%y = accel.grouped_matmul %x, %w, %i {skip_others} : "
               "tensor<6x3xf64>, tensor<4x3x2xf64>, tensor<6xi64> -> "
               "tensor<6x2xf64>",
               "%y : tensor<6x2xf64>"),
      makeCase("grouped_outer_skips", skipped + ", %z: tensor<6x2xf64>",
               "tensor<4x3x2xf64>",
               "%y = accel.grouped_outer %x, %z, %i {skip_others} : "
               "tensor<6x3xf64>, tensor<6x2xf64>, tensor<6xi64> -> "
               "tensor<4x3x2xf64>",
               "%y : tensor<4x3x2xf64>"),
      makeCase("gather", table, "tensor<2x5x3xf64>",
               "%y = accel.gather %t, %i : tensor<7x3xf64>, tensor<2x5xi64> -> "
               "tensor<2x5x3xf64>",
               "%y : tensor<2x5x3xf64>"),
      makeCase("gather_repeated",
               "%t: tensor<4xf64>, %i: tensor<5xi32> {accel.value = dense<[3, "
               "1, 1, 3, 3]> : tensor<5xi32>}",
               "tensor<5xf64>",
               "%y = accel.gather %t, %i : tensor<4xf64>, tensor<5xi32> -> "
               "tensor<5xf64>",
               "%y : tensor<5xf64>"),
      makeCase("gather_scalar",
               "%t: tensor<4x2x3xf64>, %i: tensor<i64> {accel.value = dense<2> "
               ": tensor<i64>}",
               "tensor<2x3xf64>",
               "%y = accel.gather %t, %i : tensor<4x2x3xf64>, tensor<i64> -> "
               "tensor<2x3xf64>",
               "%y : tensor<2x3xf64>"),
      makeCase(
          "scatter_add",
          "%u: tensor<2x5x3xf64>, %i: tensor<2x5xi64> {accel.range = [0, 6]}",
          "tensor<7x3xf64>",
          "%y = accel.scatter_add %i, %u : tensor<2x5xi64>, tensor<2x5x3xf64> "
          "-> tensor<7x3xf64>",
          "%y : tensor<7x3xf64>"),
  };
  // A tied weight: looked up and multiplied with.
  cases.push_back(
      makeCase("gather_and_matmul",
               "%t: tensor<7x3xf64>, %i: tensor<4xi64> {accel.range = [0, 6]}",
               "tensor<4x7xf64>",
               "%x = accel.gather %t, %i : tensor<7x3xf64>, tensor<4xi64> -> "
               "tensor<4x3xf64>\n"
               "  %y = accel.matmul %x, %t {transpose_rhs} : tensor<4x3xf64>, "
               "tensor<7x3xf64> -> tensor<4x7xf64>",
               "%y : tensor<4x7xf64>"));
  return cases;
}

} // namespace accel::test
