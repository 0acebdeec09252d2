// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rows with the matrices that they choose, and sums of outer
// products: sizes beside multiples of blocks, matrices that nobody chooses,
// more rows of one, and more of a row, than are summed at a time, indices of
// both types, operands that are parts, results added to what is there, operands
// of 16 bits.
#include "test/passes/lower/KernelCases.h"

namespace accel::test {

namespace {

struct Grouped {
  std::string name;
  int64_t rows = 40, matrices = 4, inner = 24, columns = 64;
  int64_t chosen = 4; ///< matrices that rows choose
  std::string index = "i64";
  std::string element = "f32"; ///< of the operands
  double tolerance = 4e-6;
  bool skips = false; ///< chosen ones that are not there, and are skipped
};

std::string indexArgument(const Grouped &g) {
  return "%i: " + tensorOf({g.rows}, g.index) + " {accel.range = [0, " +
         text(g.chosen - 1) + "]}";
}

/// How the result meets what is there.
enum class Storing { Replaces, Adds, Begins, Keeps };

KernelCase makeCase(const std::string &name, int64_t rows, int64_t columns,
                    std::string arguments, std::string result,
                    const std::string &body, Storing storing,
                    double tolerance) {
  switch (storing) {
  case Storing::Replaces:
    break;
  case Storing::Adds:
    result += " {plan.accumulate}";
    break;
  case Storing::Begins:
  case Storing::Keeps:
    arguments += ", " + makeKeepArgument(storing == Storing::Keeps ? 1 : 0);
    result += " {plan.accumulate = 3 : i64}";
  }
  const char *suffixes[] = {"", "_added", "_begun", "_kept"};
  return {name + suffixes[static_cast<int>(storing)],
          makeKernel("grouped", rows, columns, arguments, result, body),
          tolerance};
}

std::string getAttributes(const Grouped &g, bool transposes) {
  std::string attributes = transposes ? "transpose_weights" : "";
  if (g.skips) {
    attributes += attributes.empty() ? "skip_others" : ", skip_others";
  }
  return attributes.empty() ? "" : " {" + attributes + "}";
}

KernelCase makeProduct(const Grouped &g, bool transposes,
                       Storing storing = Storing::Replaces) {
  std::string rows = tensorOf({g.rows, g.inner}, g.element);
  std::string weights = tensorOf({g.matrices, transposes ? g.columns : g.inner,
                                  transposes ? g.inner : g.columns},
                                 g.element);
  std::string result = tensorOf({g.rows, g.columns}, g.element);
  return makeCase(
      g.name + (transposes ? "_transposed" : ""), g.rows, g.columns,
      "%x: " + rows + ", %w: " + weights + ", " + indexArgument(g), result,
      substitute("  %y = accel.grouped_matmul %x, %w, %i$4 : $0, $1, $2 -> "
                 "$3\n  return %y : $3",
                 {rows, weights, tensorOf({g.rows}, g.index), result,
                  getAttributes(g, transposes)}),
      storing, g.tolerance);
}

KernelCase makeOuter(const Grouped &g, Storing storing = Storing::Replaces) {
  std::string lhs = tensorOf({g.rows, g.inner}, g.element);
  std::string rhs = tensorOf({g.rows, g.columns}, g.element);
  std::string result = tensorOf({g.matrices, g.inner, g.columns}, "f32");
  return makeCase(
      g.name + "_outer", g.matrices * g.inner, g.columns,
      "%x: " + lhs + ", %y: " + rhs + ", " + indexArgument(g), result,
      substitute("  %g = accel.grouped_outer %x, %y, %i$4 : $0, $1, $2 -> $3\n"
                 "  return %g : $3",
                 {lhs, rhs, tensorOf({g.rows}, g.index), result,
                  getAttributes(g, false)}),
      storing, 4e-6);
}

/// Operands that begin within what lies in memory.
KernelCase makeParts() {
  return makeCase(
      "grouped_parts", 9, 20,
      "%x: tensor<12x24xf32>, %w: tensor<5x24x20xf32>, %i: tensor<12xi64> "
      "{accel.range = [0, 3]}",
      "tensor<9x20xf32>",
      "  %r = accel.slice %x [3, 0] strides [1, 1] : tensor<12x24xf32> -> "
      "tensor<9x24xf32>\n"
      "  %m = accel.slice %w [1, 0, 0] strides [1, 1, 1] : "
      "tensor<5x24x20xf32> -> tensor<4x24x20xf32>\n"
      "  %j = accel.slice %i [3] strides [1] : tensor<12xi64> -> "
      "tensor<9xi64>\n"
      "  %y = accel.grouped_matmul %r, %m, %j : tensor<9x24xf32>, "
      "tensor<4x24x20xf32>, tensor<9xi64> -> tensor<9x20xf32>\n"
      "  return %y : tensor<9x20xf32>",
      Storing::Replaces, 4e-6);
}

/// Numbers on both sides of a tie are a unit apart.
double unitOf(const std::string &element) {
  return element == "bf16" ? 8e-3 : element == "f16" ? 1e-3 : 4e-6;
}

/// Both products and the sums of outer products; those alone are added to what
/// is there in 16 bits.
void addNarrow(std::vector<KernelCase> &cases, const Grouped &wide) {
  for (const char *element : {"bf16", "f16"}) {
    Grouped narrow = wide;
    narrow.name += std::string("_") + element;
    narrow.element = element;
    narrow.tolerance = unitOf(element);
    cases.push_back(makeProduct(narrow, false));
    cases.push_back(makeProduct(narrow, true));
    for (Storing storing : {Storing::Replaces, Storing::Keeps}) {
      cases.push_back(makeOuter(narrow, storing));
    }
  }
}

} // namespace

std::vector<KernelCase> getGroupedCases() {
  std::vector<KernelCase> cases;
  for (const Grouped &each : {Grouped{.name = "grouped"},
                              Grouped{.name = "grouped_odd",
                                      .rows = 37,
                                      .matrices = 3,
                                      .inner = 19,
                                      .columns = 75,
                                      .chosen = 3,
                                      .index = "i32"},
                              Grouped{.name = "grouped_narrow",
                                      .rows = 5,
                                      .matrices = 2,
                                      .inner = 3,
                                      .columns = 7,
                                      .chosen = 2},
                              Grouped{.name = "grouped_unchosen",
                                      .rows = 70,
                                      .matrices = 5,
                                      .inner = 64,
                                      .columns = 128,
                                      .chosen = 2},
                              Grouped{.name = "grouped_many",
                                      .rows = 700,
                                      .matrices = 2,
                                      .inner = 20,
                                      .columns = 40,
                                      .chosen = 2},
                              Grouped{.name = "grouped_deep",
                                      .rows = 21,
                                      .matrices = 3,
                                      .inner = 531,
                                      .columns = 70,
                                      .chosen = 3},
                              Grouped{.name = "grouped_sliced",
                                      .rows = 210,
                                      .matrices = 3,
                                      .inner = 128,
                                      .columns = 64,
                                      .chosen = 3},
                              Grouped{.name = "grouped_one",
                                      .rows = 9,
                                      .matrices = 1,
                                      .inner = 33,
                                      .columns = 65,
                                      .chosen = 1},
                              Grouped{.name = "grouped_skipped",
                                      .rows = 70,
                                      .matrices = 1,
                                      .inner = 64,
                                      .columns = 128,
                                      .chosen = 4,
                                      .skips = true},
                              Grouped{.name = "grouped_skipped_odd",
                                      .rows = 37,
                                      .matrices = 2,
                                      .inner = 19,
                                      .columns = 75,
                                      .chosen = 5,
                                      .index = "i32",
                                      .skips = true}}) {
    cases.push_back(makeProduct(each, false));
    cases.push_back(makeProduct(each, true));
    cases.push_back(makeOuter(each));
    addNarrow(cases, each);
  }
  for (Storing storing : {Storing::Adds, Storing::Begins, Storing::Keeps}) {
    for (int64_t columns : {64, 75, 18}) {
      bool isSmall = columns == 18;
      Grouped added{.name = "grouped_" + text(columns),
                    .rows = isSmall ? 50 : 900,
                    .inner = isSmall ? 30 : 300,
                    .columns = columns,
                    .chosen = 3};
      cases.push_back(makeProduct(added, true, storing));
      cases.push_back(makeOuter(added, storing));
      added.name += "_skipped";
      added.matrices = 2;
      added.skips = true;
      cases.push_back(makeProduct(added, false, storing));
      cases.push_back(makeOuter(added, storing));
    }
  }
  cases.push_back(makeParts());
  return cases;
}

} // namespace accel::test
