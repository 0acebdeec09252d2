// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that store what they compute in transposed order as well: casts to 8
// bits for two products, and everything else that the code is written for.
// Sizes have the ends that blocks and tiles have. The arithmetic is exact, so
// the bits must be those of the interpreter.
#include "test/passes/lower/KernelCases.h"

namespace accel::test {

namespace {

/// What a case reads, `%x` of `from`, and the values that it makes of it.
struct Turned {
  std::string name;
  std::vector<int64_t> shape; ///< of the source, whose rows are the last one's
  std::string from, to;       ///< element types
  std::string turn;           ///< makes `%t` of `%y`
  std::vector<int64_t> result;
};

/// Times a number of the whole tensor, rounded, and stored both ways.
KernelCase makeTurnedCast(const Turned &turned) {
  int64_t columns = turned.shape.back(), rows = 1;
  for (int64_t size : turned.shape) {
    rows *= size;
  }
  rows /= columns;
  std::string from = tensorOf(turned.shape, turned.from);
  std::string wide = tensorOf(turned.shape, "f32");
  std::string to = tensorOf(turned.shape, turned.to);
  std::string result = tensorOf(turned.result, turned.to);
  std::string widen = turned.from == "f32"
                          ? "  %w = accel.reshape %x : $0 -> $1\n"
                          : "  %w = accel.cast %x : $0 -> $1\n";
  bool isByte = turned.to[1] == '8';
  std::string round = turned.to == "f32"
                          ? "  %y = accel.reshape %p : $1 -> $2\n"
                          : std::string("  %y = accel.cast %p ") +
                                (isByte ? "saturate " : "") + ": $1 -> $2\n";
  std::string body =
      substitute(widen +
                     "  %b = accel.broadcast %s [] : tensor<f32> -> $1\n"
                     "  %p = accel.mul %w, %b : $1\n" +
                     round + turned.turn + "  return %y, %t : $2, $3",
                 {from, wide, to, result});
  return {"turned_" + turned.name + "_" + turned.from + "_" + turned.to,
          makeKernel("rows", rows, columns,
                     "%x: " + from +
                         " {accel.range = [-90.0, 90.0]}, %s: tensor<f32> "
                         "{accel.range = [0.5, 0.5]}",
                     to + ", " + result, body),
          0};
}

void addTurnedMatrices(std::vector<KernelCase> &cases) {
  struct Size {
    int64_t rows, columns;
  };
  // Whole tiles; blocks of 16, 8 and 4 a side; less than a warp; ends of tiles.
  for (auto [rows, columns] : {Size{128, 64},
                               {48, 80},
                               {16, 320},
                               {272, 16},
                               {24, 40},
                               {36, 20},
                               {132, 12},
                               {4, 68},
                               {4, 4}}) {
    for (const char *from : {"f32", "bf16"}) {
      for (const char *to : {"f8E4M3FN", "f8E5M2"}) {
        cases.push_back(
            makeTurnedCast({"matrix_" + text(rows) + "x" + text(columns),
                            {rows, columns},
                            from,
                            to,
                            "  %t = accel.transpose %y [1, 0] stored : "
                            "$2 -> $3\n",
                            {columns, rows}}));
      }
    }
  }
  for (const char *to : {"bf16", "f32"}) {
    cases.push_back(
        makeTurnedCast({"wider_20x24",
                        {20, 24},
                        "f32",
                        to,
                        "  %t = accel.transpose %y [1, 0] : $2 -> $3\n",
                        {24, 20}}));
  }
}

/// Each matrix of three, and what attention leaves, head by head.
void addTurnedParts(std::vector<KernelCase> &cases) {
  for (int64_t rows : {32, 20}) {
    cases.push_back(
        makeTurnedCast({"each_of_3x" + text(rows) + "x48",
                        {3, rows, 48},
                        "bf16",
                        "f8E5M2",
                        "  %t = accel.transpose %y [0, 2, 1] : $2 -> $3\n",
                        {3, 48, rows}}));
  }
  struct Size {
    int64_t tokens, width;
  };
  for (auto [tokens, width] :
       {Size{32, 64}, {16, 48}, {24, 40}, {12, 20}, {4, 4}}) {
    std::string split =
        "tensor<2x" + text(tokens) + "x3x" + text(width) + "xf8E4M3FN>";
    std::string rows = tensorOf({2 * tokens, 3 * width}, "f8E4M3FN");
    cases.push_back(makeTurnedCast(
        {"heads_" + text(tokens) + "x" + text(width),
         {2, 3, tokens, width},
         "bf16",
         "f8E4M3FN",
         "  %h = accel.transpose %y [0, 2, 1, 3] : $2 -> " + split +
             "\n  %m = accel.reshape %h : " + split + " -> " + rows +
             "\n  %t = accel.transpose %m [1, 0] stored : " + rows + " -> $3\n",
         {3 * width, 2 * tokens}}));
  }
}

/// Three results, of which the middle one is turned, of operands that are there
/// for each element, each row, each column and once.
void addTurnedOperands(std::vector<KernelCase> &cases) {
  for (int64_t rows : {32, 44}) {
    std::vector<std::string> types = {
        tensorOf({rows, 24}, "f32"), tensorOf({rows, 24}, "f8E5M2"),
        tensorOf({24, rows}, "f8E5M2"), tensorOf({rows, 24}, "i1"),
        tensorOf({rows}, "f32")};
    cases.push_back(
        {"turned_beside_others_" + text(rows) + "x24",
         makeKernel(
             "rows", rows, 24,
             substitute("%a: $0, %m: $3, %r: $4 {accel.range = [1, 4]}, "
                        "%c: tensor<24xbf16>, %s: tensor<f32> {accel.range = "
                        "[0.5, 0.5]}",
                        types),
             substitute("$3, $2, $1", types),
             substitute("  %0 = accel.broadcast %r [0] : $4 -> $0\n"
                        "  %1 = accel.cast %c : tensor<24xbf16> -> "
                        "tensor<24xf32>\n"
                        "  %2 = accel.broadcast %1 [1] : tensor<24xf32> -> $0\n"
                        "  %3 = accel.broadcast %s [] : tensor<f32> -> $0\n"
                        "  %4 = accel.select %m, %0, %2 : $3, $0\n"
                        "  %5 = accel.max %4, %a : $0\n"
                        "  %6 = accel.compare lt, %5, %3 : $0 -> $3\n"
                        "  %7 = accel.cast %5 saturate : $0 -> $1\n"
                        "  %8 = accel.transpose %7 [1, 0] : $1 -> $2\n"
                        "  return %6, %8, %7 : $3, $2, $1",
                        types)),
         0});
  }
}

} // namespace

std::vector<KernelCase> getTurnedCases() {
  std::vector<KernelCase> cases;
  addTurnedMatrices(cases);
  addTurnedParts(cases);
  addTurnedOperands(cases);
  return cases;
}

} // namespace accel::test
