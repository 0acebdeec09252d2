// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that address their operands in other orders than they lie in:
// transposes, splits, slices, broadcasts, indices, gathers and concatenations.
#include "test/passes/lower/KernelCases.h"

namespace accel::test {

namespace {

std::string copyOf(const std::string &value, const std::string &type) {
  return substitute("  %out = accel.reshape $0 : $1 -> $1\n  return %out : $1",
                    {value, type});
}

void addViews(std::vector<KernelCase> &cases) {
  for (int64_t d : {1, 7, 16, 64, 65}) {
    std::string dim = std::to_string(d);
    // The split and the transpose of attention's projections, and back.
    std::vector<std::string> types = {
        tensorOf({2, 5, 3 * 4 * d}, "f32"), tensorOf({2, 5, 4 * d}, "f32"),
        tensorOf({2, 5, 4, d}, "f32"), tensorOf({2, 4, 5, d}, "f32")};
    std::string split =
        substitute("  %q, %k, %v = accel.split %x axis 2 : $0 -> $1, $1, $1\n"
                   "  %h = accel.reshape %k : $1 -> $2\n  %t = accel.transpose "
                   "%h [0, 2, 1, 3] : $2 -> $3\n",
                   types);
    cases.push_back({"split_heads_" + dim,
                     makeKernel("rows", 40, d, "%x: " + types[0], types[3],
                                split + copyOf("%t", types[3])),
                     0});
    cases.push_back(
        {"split_heads_scaled_" + dim,
         makeKernel(
             "rows", 40, d, "%x: " + types[0] + ", %b: " + tensorOf({d}, "f32"),
             types[3],
             split + substitute("  %bb = accel.broadcast %b [3] : $1 -> $0\n  "
                                "%y = accel.add %t, %bb : $0\n  return %y : $0",
                                {types[3], tensorOf({d}, "f32")})),
         1e-7});
    cases.push_back(
        {"join_heads_" + dim,
         makeKernel("rows", 40, d, "%x: " + types[3], types[1],
                    substitute("  %t = accel.transpose %x [0, 2, 1, 3] : $3 -> "
                               "$2\n  %j = accel.reshape %t : $2 -> $1\n",
                               types) +
                        copyOf("%j", types[1])),
         0});
  }
  cases.push_back(
      {"transpose",
       makeKernel("rows", 77, 1, "%x: tensor<7x11xi64>", "tensor<11x7xi64>",
                  "  %t = accel.transpose %x [1, 0] : tensor<7x11xi64> -> "
                  "tensor<11x7xi64>\n" +
                      copyOf("%t", "tensor<11x7xi64>")),
       0});
  cases.push_back(
      {"slice_with_steps",
       makeKernel("rows", 15, 1, "%x: tensor<9x11xf32>", "tensor<3x5xf32>",
                  "  %t = accel.slice %x [1, 0] strides [3, 2] : "
                  "tensor<9x11xf32> -> tensor<3x5xf32>\n" +
                      copyOf("%t", "tensor<3x5xf32>")),
       0});
  cases.push_back(
      {"slice_of_rows",
       makeKernel("rows", 4, 65, "%x: tensor<9x130xf32>", "tensor<4x65xf32>",
                  "  %t = accel.slice %x [1, 65] strides [2, 1] : "
                  "tensor<9x130xf32> -> tensor<4x65xf32>\n" +
                      copyOf("%t", "tensor<4x65xf32>")),
       0});
  cases.push_back(
      {"flat_part",
       makeKernel("flat", 1, 1300, "%x: tensor<5000xf32>, %y: tensor<1300xf32>",
                  "tensor<1300xf32>",
                  "  %t = accel.slice %x [3001] strides [1] : tensor<5000xf32> "
                  "-> tensor<1300xf32>\n"
                  "  %z = accel.add %t, %y : tensor<1300xf32>\n  return %z : "
                  "tensor<1300xf32>"),
       1e-7});
  cases.push_back({"broadcast_of_middle",
                   makeKernel("rows", 12, 10,
                              "%x: tensor<4x10xf32>, %y: tensor<2x1x3x1xf32>",
                              "tensor<2x3x2x10xf32>",
                              R"(
  %a = accel.reshape %x : tensor<4x10xf32> -> tensor<2x1x2x10xf32>
  %b = accel.broadcast %a [0, 1, 2, 3] : tensor<2x1x2x10xf32> -> tensor<2x3x2x10xf32>
  %c = accel.reshape %y : tensor<2x1x3x1xf32> -> tensor<2x3x1x1xf32>
  %d = accel.broadcast %c [0, 1, 2, 3] : tensor<2x3x1x1xf32> -> tensor<2x3x2x10xf32>
  %e = accel.mul %b, %d : tensor<2x3x2x10xf32>
  return %e : tensor<2x3x2x10xf32>)"),
                   1e-7});
}

void addIndices(std::vector<KernelCase> &cases) {
  for (const char *element : {"i64", "i32", "f32"}) {
    std::string type = tensorOf({3, 4, 6}, element);
    for (int64_t dimension : {0, 1, 2}) {
      cases.push_back(
          {"iota_" + std::to_string(dimension) + "_" + element,
           makeKernel("rows", 12, 6, "", type,
                      substitute("  %i = accel.iota $1 : $0\n",
                                 {type, std::to_string(dimension)}) +
                          copyOf("%i", type)),
           0});
      cases.push_back(
          {"iota_over_the_end_" + std::to_string(dimension) + "_" + element,
           makeKernel("rows", 3, 24, "", type,
                      substitute("  %i = accel.iota $1 : $0\n",
                                 {type, std::to_string(dimension)}) +
                          copyOf("%i", type)),
           0});
    }
  }
  cases.push_back(
      {"iota_flat",
       makeKernel("flat", 1, 3000, "%x: tensor<3000xi64>", "tensor<3000xi64>",
                  "  %i = accel.iota 0 : tensor<3000xi64>\n  %y = accel.add "
                  "%i, %x : tensor<3000xi64>\n  return %y : tensor<3000xi64>"),
       0});
  for (int64_t width : {1, 7, 64, 100}) {
    for (const char *index : {"i64", "i32"}) {
      std::vector<std::string> types = {
          tensorOf({50, width}, "f32"), tensorOf({3, 5}, index),
          tensorOf({3, 5, width}, "f32"), tensorOf({8, width}, "f32")};
      // Token and position embeddings.
      cases.push_back(
          {"embedding_" + std::to_string(width) + "_" + index,
           makeKernel(
               "rows", 15, width,
               substitute("%t: $0, %i: $1 {accel.range = [0, 49]}, %p: $3",
                          types),
               types[2],
               substitute(
                   "  %e = accel.gather %t, %i : $0, $1 -> $2\n"
                   "  %s = accel.slice %p [0, 0] strides [1, 1] : $3 -> $4\n"
                   "  %b = accel.broadcast %s [1, 2] : $4 -> $2\n  %y = "
                   "accel.add %e, %b : $2\n  return %y : $2",
                   {types[0], types[1], types[2], types[3],
                    tensorOf({5, width}, "f32")})),
           1e-7});
    }
  }
}

void addConcats(std::vector<KernelCase> &cases) {
  cases.push_back(
      {"concat_parts",
       makeKernel(
           "concat", 6, 75,
           "%x: tensor<2x3x7xf32>, %y: tensor<2x3x65xf32>, %z: "
           "tensor<2x3x3xf32>",
           "tensor<2x3x75xf32>",
           "  %c = accel.concat %x, %y, %z axis 2 : tensor<2x3x7xf32>, "
           "tensor<2x3x65xf32>, tensor<2x3x3xf32> -> tensor<2x3x75xf32>\n"
           "  return %c : tensor<2x3x75xf32>"),
       0});
  cases.push_back(
      {"concat_first_axis",
       makeKernel("concat", 1, 220,
                  "%x: tensor<1x20xi64>, %y: tensor<10x20xi64>",
                  "tensor<11x20xi64>",
                  "  %c = accel.concat %x, %y axis 0 : tensor<1x20xi64>, "
                  "tensor<10x20xi64> -> tensor<11x20xi64>\n  return %c : "
                  "tensor<11x20xi64>"),
       0});
  // Long enough for pieces on a CPU, the last of which are shorter.
  cases.push_back(
      {"concat_very_long",
       makeKernel("concat", 1, 53400,
                  "%x: tensor<30000xf32>, %y: tensor<9x2600xf32>",
                  "tensor<53400xf32>",
                  "  %t = accel.transpose %y [1, 0] : tensor<9x2600xf32> -> "
                  "tensor<2600x9xf32>\n  %r = accel.reshape %t : "
                  "tensor<2600x9xf32> -> tensor<23400xf32>\n  %c = "
                  "accel.concat %x, %r axis 0 : tensor<30000xf32>, "
                  "tensor<23400xf32> -> tensor<53400xf32>\n  return %c : "
                  "tensor<53400xf32>"),
       0});
  // Long enough for pieces on a GPU: of whole parts, of runs of a transposed
  // one, of single elements.
  cases.push_back(
      {"concat_long",
       makeKernel(
           "concat", 2, 1703,
           "%x: tensor<2x1001xf32>, %y: tensor<7x2x100xf32>, %z: "
           "tensor<2x2xf32>",
           "tensor<2x1703xf32>",
           "  %t = accel.transpose %y [1, 0, 2] : tensor<7x2x100xf32> -> "
           "tensor<2x7x100xf32>\n  %r = accel.reshape %t : "
           "tensor<2x7x100xf32> -> tensor<2x700xf32>\n  %u = "
           "accel.transpose %z [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>\n"
           "  %c = accel.concat %x, %r, %u axis 1 : tensor<2x1001xf32>, "
           "tensor<2x700xf32>, tensor<2x2xf32> -> tensor<2x1703xf32>\n"
           "  return %c : tensor<2x1703xf32>"),
       0});
  cases.push_back({"pad_with_zeros",
                   makeKernel("concat", 5, 40, "%x: tensor<5x9xf32>",
                              "tensor<5x40xf32> {plan.accumulate}",
                              R"(
  %l = accel.constant dense<0.0> : tensor<5x1xf32>
  %h = accel.constant dense<2.0> : tensor<5x30xf32>
  %c = accel.concat %l, %x, %h axis 1 : tensor<5x1xf32>, tensor<5x9xf32>, tensor<5x30xf32> -> tensor<5x40xf32>
  return %c : tensor<5x40xf32>)"),
                   1e-7});
  for (int keeps : {0, 1}) {
    for (int64_t tail : {1, 30}) {
      std::vector<std::string> types = {tensorOf({5, tail}, "f32"),
                                        tensorOf({5, tail + 9}, "f32")};
      cases.push_back(
          {(keeps ? "pad_kept_" : "pad_begun_") + text(tail),
           makeKernel("concat", 5, tail + 9,
                      "%x: tensor<5x9xf32>, " + makeKeepArgument(keeps),
                      types[1] + " {plan.accumulate = 1 : i64}",
                      substitute(R"(
  %h = accel.constant dense<0.0> : $0
  %c = accel.concat %x, %h axis 1 : tensor<5x9xf32>, $0 -> $1
  return %c : $1)",
                                 types)),
           1e-7});
    }
  }
  // The gradients of attention's projections, from heads back to one tensor.
  for (int64_t d : {1, 8, 65}) {
    std::vector<std::string> types = {
        tensorOf({2, 4, 3, d}, "f32"), tensorOf({2, 3, 4, d}, "f32"),
        tensorOf({2, 3, 4 * d}, "f32"), tensorOf({2, 3, 12 * d}, "f32")};
    std::string body;
    for (const char *name : {"q", "k", "v"}) {
      std::vector<std::string> values = types;
      values.push_back(name);
      body += substitute("  %t$4 = accel.transpose %$4 [0, 2, 1, 3] : $0 -> "
                         "$1\n  %f$4 = accel.reshape %t$4 : $1 -> $2\n",
                         values);
    }
    cases.push_back(
        {"concat_heads_" + std::to_string(d),
         makeKernel("concat", 6, 12 * d,
                    substitute("%q: $0, %k: $0, %v: $0", types), types[3],
                    body + substitute("  %c = accel.concat %fq, %fk, %fv axis "
                                      "2 : $2, $2, $2 -> $3\n  return %c : $3",
                                      types)),
         0});
  }
  cases.push_back(
      {"concat_booleans",
       makeKernel(
           "concat", 3, 90, "%x: tensor<3x70xi1>, %y: tensor<3x20xi1>",
           "tensor<3x90xi1>",
           "  %c = accel.concat %x, %y axis 1 : tensor<3x70xi1>, "
           "tensor<3x20xi1> -> tensor<3x90xi1>\n  return %c : tensor<3x90xi1>"),
       0});
}

} // namespace

std::vector<KernelCase> getViewCases() {
  std::vector<KernelCase> cases;
  addViews(cases);
  addIndices(cases);
  addConcats(cases);
  return cases;
}

} // namespace accel::test
