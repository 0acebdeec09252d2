// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: sizes beside multiples of every block, all transposes, one
// and several blocks of the summed index, one matrix and several, results added
// to what is there, what is computed of a product element by element, operands
// of 16 bits, and of 8 bits with scales.
#include "test/passes/lower/KernelCases.h"

#include <algorithm>

namespace accel::test {

namespace {

struct Product {
  std::string name;
  int64_t rows, columns, depth;
  bool transposeLhs = false, transposeRhs = false;
  bool accumulates = false;
  std::vector<int64_t> leading = {}; ///< dimensions of all three
  std::string element = "f32";       ///< of the operands
  int64_t per = 0; ///< of the summed index, with a scale; 0: there are none

  int64_t matrices() const {
    int64_t count = 1;
    for (int64_t size : leading) {
      count *= size;
    }
    return count;
  }
};

/// What docs/kernels.md says of the blocks of a sum.
std::string describe(const Product &p) {
  int64_t matrices = p.matrices();
  int64_t blocks = alignUp(p.depth, 256) / 256;
  int64_t block = alignUp((p.depth + blocks - 1) / blocks,
                          p.element == "bf16" || p.per > 0 ? 32 : 16);
  return "attributes {plan.kernel = {kind = \"product\", elements = " +
         text(matrices * p.rows * p.columns) +
         " : i64, rows = " + text(matrices * p.rows) +
         " : i64, columns = " + text(p.columns) +
         (matrices > 1 ? " : i64, matrices = " + text(matrices) : "") +
         " : i64, block = " + text(block) + " : i64}}";
}

struct Types {
  std::string lhs, rhs, result;
  std::string lhsScales = "", rhsScales = "";
};

Types typesOf(const Product &p) {
  auto matrix = [&](int64_t rows, int64_t columns, bool isTransposed,
                    const std::string &element) {
    std::vector<int64_t> shape = p.leading;
    shape.push_back(isTransposed ? columns : rows);
    shape.push_back(isTransposed ? rows : columns);
    return tensorOf(shape, element);
  };
  Types types{matrix(p.rows, p.depth, p.transposeLhs, p.element),
              matrix(p.depth, p.columns, p.transposeRhs, p.element),
              matrix(p.rows, p.columns, false, "f32")};
  if (p.per > 0) {
    int64_t blocks = alignUp(p.depth, p.per) / p.per;
    types.lhsScales = matrix(p.rows, blocks, p.transposeLhs, "f8E8M0FNU");
    types.rhsScales = matrix(blocks, p.columns, p.transposeRhs, "f8E8M0FNU");
  }
  return types;
}

/// `%c`, the product of %a and %b, which may have scales %s and %t.
std::string multiply(const Product &p) {
  Types types = typesOf(p);
  std::string flags = p.transposeLhs ? "transpose_lhs" : "";
  if (p.transposeRhs) {
    flags += flags.empty() ? "transpose_rhs" : ", transpose_rhs";
  }
  std::string scaled =
      p.per == 0 ? ""
                 : substitute(" scaled by(%s, %t : $0, $1) per $2",
                              {types.lhsScales, types.rhsScales, text(p.per)});
  return substitute("  %c = accel.matmul %a, %b$4$0 : $1, $2 -> $3\n",
                    {flags.empty() ? "" : " {" + flags + "}", types.lhs,
                     types.rhs, types.result, scaled});
}

/// With arguments, results, and a body behind the product.
KernelCase makeCase(const Product &p, const std::string &arguments,
                    const std::string &results, const std::string &body) {
  Types types = typesOf(p);
  std::string range = " {accel.range = [-1.0, 1.0]}";
  return {p.name,
          "func.func @k(%a: " + types.lhs + range + ", %b: " + types.rhs +
              range + arguments + ") -> (" + results + ") " + describe(p) +
              " {\n" + multiply(p) + body + "\n}\n",
          4e-6};
}

KernelCase makePlain(const Product &p) {
  Types types = typesOf(p);
  std::string range = " {accel.range = [0.001, 8.0]}";
  return makeCase(p,
                  p.per == 0 ? ""
                             : ", %s: " + types.lhsScales + range +
                                   ", %t: " + types.rhsScales + range,
                  types.result + (p.accumulates ? " {plan.accumulate}" : ""),
                  "  return %c : " + types.result);
}

/// Stored, or added to what is there, as an argument says.
KernelCase makeKept(const Product &p, int keeps) {
  Types types = typesOf(p);
  return makeCase(p, ", " + makeKeepArgument(keeps),
                  types.result + " {plan.accumulate = 2 : i64}",
                  "  return %c : " + types.result);
}

void addSizes(std::vector<KernelCase> &cases) {
  struct Size {
    int64_t rows, columns, depth;
  };
  const Size sizes[] = {{1, 1, 1},
                        {6, 16, 16},
                        {7, 17, 5},
                        {5, 33, 19},
                        {12, 32, 256},
                        {13, 31, 257},
                        {24, 64, 300},
                        {50, 40, 32},
                        {97, 3, 40},
                        {30, 300, 24},
                        {19, 523, 530},
                        {110, 70, 270},
                        {9, 1060, 40},
                        // Rows that are too long to be read where they lie.
                        {525, 33, 20},
                        {9, 544, 530}};
  for (const Size &size : sizes) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      bool lhs = (transposes & 1) != 0, rhs = (transposes & 2) != 0;
      std::string name = "product_" + text(size.rows) + "x" +
                         text(size.columns) + "x" + text(size.depth) +
                         (lhs ? "_tl" : "") + (rhs ? "_tr" : "");
      cases.push_back(makePlain(
          {name, size.rows, size.columns, size.depth, lhs, rhs, false}));
      if (size.depth >= 256 || size.rows == 7) {
        cases.push_back(makePlain({name + "_added", size.rows, size.columns,
                                   size.depth, lhs, rhs, true}));
        cases.push_back(makeKept({name + "_begun", size.rows, size.columns,
                                  size.depth, lhs, rhs, true},
                                 /*keeps=*/0));
        cases.push_back(makeKept({name + "_kept", size.rows, size.columns,
                                  size.depth, lhs, rhs, true},
                                 /*keeps=*/1));
      }
    }
  }
}

/// Several matrices: tiles of columns and of rows, with parts of one matrix and
/// of several in a thread's range, and one leading dimension or two.
void addBatches(std::vector<KernelCase> &cases) {
  struct Batch {
    std::vector<int64_t> leading;
    int64_t rows, columns, depth;
  };
  const Batch batches[] = {{{3}, 1, 1, 1},        {{2, 3}, 7, 17, 5},
                           {{5}, 13, 70, 300},    {{3}, 97, 3, 40},
                           {{2, 2}, 50, 33, 257}, {{2}, 9, 1060, 40}};
  for (const Batch &batch : batches) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      bool lhs = (transposes & 1) != 0, rhs = (transposes & 2) != 0;
      std::string name = "products";
      for (int64_t size : batch.leading) {
        name += "_" + text(size);
      }
      name += "_" + text(batch.rows) + "x" + text(batch.columns) + "x" +
              text(batch.depth) + (lhs ? "_tl" : "") + (rhs ? "_tr" : "");
      Product product{name, batch.rows, batch.columns, batch.depth, lhs,
                      rhs,  false,      batch.leading, "f32"};
      cases.push_back(makePlain(product));
      product.name += "_added";
      product.accumulates = true;
      cases.push_back(makePlain(product));
    }
  }
}

/// bias, GELU and the sums themselves, which the gradient needs.
KernelCase makeGelu(const Product &p) {
  std::string type = typesOf(p).result;
  std::string bias = tensorOf({p.columns}, "f32");
  std::string last = text(int64_t(p.leading.size()) + 1);
  return makeCase(p, ", %bias: " + bias + " {accel.range = [-1.0, 1.0]}",
                  type + ", " + type,
                  substitute("  %w = accel.broadcast %bias [$2] : $0 -> $1\n"
                             "  %h = accel.add %c, %w : $1\n"
                             "  %e = accel.tanh %h : $1\n"
                             "  %y = accel.mul %e, %h : $1\n"
                             "  return %h, %y : $1, $1",
                             {bias, type, last}));
}

/// An activation that a library computes elsewhere: GELU of what is kept, or
/// its gradient at what was kept in fewer bits.
KernelCase makeActivation(const Product &p) {
  std::string type = typesOf(p).result;
  return makeCase(p, "", type + ", " + type,
                  substitute("  %y = accel.gelu tanh, %c : $0\n"
                             "  return %c, %y : $0, $0",
                             {type}));
}

KernelCase makeActivationGradient(const Product &p) {
  std::string type = typesOf(p).result;
  std::string low = type;
  low.replace(low.rfind("f32"), 3, "bf16");
  return makeCase(p, ", %x: " + low + " {accel.range = [-4.0, 4.0]}", type,
                  substitute("  %y = accel.gelu_grad tanh, %c, %x : $0, $1\n"
                             "  return %y : $0",
                             {type, low}));
}

/// A residual, and the product too.
KernelCase makeResidual(const Product &p) {
  std::string type = typesOf(p).result;
  return makeCase(p, ", %x: " + type + " {accel.range = [-1.0, 1.0]}",
                  type + ", " + type,
                  substitute("  %y = accel.add %x, %c : $0\n"
                             "  return %y, %c : $0, $0",
                             {type}));
}

/// A number per row, a view between, another result that is added.
KernelCase makeScaled(const Product &p) {
  std::string type = typesOf(p).result;
  std::string flat = tensorOf({p.matrices() * p.rows * p.columns}, "f32");
  std::string row = text(int64_t(p.leading.size()));
  std::string rows = tensorOf({p.rows}, "f32");
  return makeCase(p, ", %s: " + rows + " {accel.range = [-1.0, 1.0]}",
                  type + ", " + flat + " {plan.accumulate}",
                  substitute("  %w = accel.broadcast %s [$3] : $0 -> $1\n"
                             "  %y = accel.mul %c, %w : $1\n"
                             "  %f = accel.reshape %c : $1 -> $2\n"
                             "  %z = accel.neg %f : $2\n"
                             "  return %y, %z : $1, $2",
                             {rows, type, flat, row}));
}

/// Added to what is there, and nobody wants the product: the workspace has it.
KernelCase makeNegated(const Product &p) {
  std::string type = typesOf(p).result;
  return makeCase(
      p, "", type + " {plan.accumulate}",
      substitute("  %y = accel.neg %c : $0\n  return %y : $0", {type}));
}

KernelCase makeDropout(const Product &p) {
  std::string type = typesOf(p).result;
  std::string samples = tensorOf({2}, "i64");
  return makeCase(
      p,
      ", %n: " + samples +
          " {accel.range = [0, 9]}, %seed: tensor<i64> "
          "{accel.range = [0, 99]}",
      type,
      substitute("  %y = accel.dropout %c, %n, %seed probability 0.25 site 3 : "
                 "$0, $1, tensor<i64>\n"
                 "  return %y : $0",
                 {type, samples}));
}

/// Of a small float nothing but the rounded result is stored: the sums have no
/// place but the workspace. `biased`: of what is computed of them.
KernelCase makeRounded(const Product &p, bool biased) {
  std::string type = typesOf(p).result;
  std::vector<int64_t> shape = p.leading;
  shape.insert(shape.end(), {p.rows, p.columns});
  std::string rounded = tensorOf(shape, p.element);
  std::string bias = tensorOf({p.columns}, "f32");
  std::string last = text(int64_t(p.leading.size()) + 1);
  KernelCase made =
      biased
          ? makeCase(p, ", %bias: " + bias + " {accel.range = [-1.0, 1.0]}",
                     rounded + ", " + rounded,
                     substitute("  %w = accel.broadcast %bias [$3] : $0 -> $1\n"
                                "  %h = accel.add %c, %w : $1\n"
                                "  %r = accel.cast %h : $1 -> $2\n"
                                "  %s = accel.cast %r : $2 -> $1\n"
                                "  %e = accel.relu %s : $1\n"
                                "  %y = accel.cast %e : $1 -> $2\n"
                                "  return %r, %y : $2, $2",
                                {bias, type, rounded, last}))
          : makeCase(p, "", rounded,
                     substitute("  %y = accel.cast %c : $0 -> $1\n"
                                "  return %y : $1",
                                {type, rounded}));
  made.name += biased ? "_biased" : "_rounded";
  // Sums on both sides of a tie are a unit apart.
  made.tolerance = p.element == "bf16" ? 8e-3 : 1e-3;
  return made;
}

/// Operands of 16 bits: even and odd depths, tails of pairs in every block.
void addNarrow(std::vector<KernelCase> &cases, const std::string &element) {
  struct Size {
    int64_t rows, columns, depth;
  };
  const Size sizes[] = {{1, 1, 1},      {7, 17, 5},    {12, 32, 256},
                        {13, 31, 257},  {50, 40, 33},  {97, 3, 40},
                        {19, 523, 530}, {110, 70, 271}};
  for (const Size &size : sizes) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      bool lhs = (transposes & 1) != 0, rhs = (transposes & 2) != 0;
      Product p{"product_" + element + "_" + text(size.rows) + "x" +
                    text(size.columns) + "x" + text(size.depth) +
                    (lhs ? "_tl" : "") + (rhs ? "_tr" : ""),
                size.rows,
                size.columns,
                size.depth,
                lhs,
                rhs};
      p.element = element;
      cases.push_back(makePlain(p));
      // Nothing follows products with rows of one element.
      if (size.columns > 1) {
        cases.push_back(makeRounded(p, /*biased=*/false));
        cases.push_back(makeRounded(p, /*biased=*/true));
      }
      p.name += "_added";
      p.accumulates = true;
      cases.push_back(makePlain(p));
    }
  }
  // Several matrices, and more rows than the workspace keeps sums of, in tiles
  // of columns and of rows.
  const Product others[] = {
      {"products", 13, 70, 300, false, true, false, {5}, element},
      {"products_rows", 50, 33, 257, true, false, false, {2, 2}, element},
      {"product_long", 1100, 24, 290, false, true, false, {}, element},
      {"product_large", 1020, 1030, 258, false, false, false, {}, element}};
  for (Product p : others) {
    p.name += "_" + element;
    cases.push_back(makeRounded(p, /*biased=*/true));
  }
}

/// Floats of 8 bits with a scale for each block of the summed index: blocks
/// that end within one of the sum, one behind the other and beside each other.
void addBlockScales(std::vector<KernelCase> &cases) {
  const Product products[] = {{"", 7, 17, 5},
                              {"", 48, 40, 256},
                              {"", 33, 64, 320},
                              {"", 110, 70, 400},
                              {"", 19, 523, 144},
                              {"", 13, 70, 300, false, false, false, {5}},
                              {"", 50, 33, 160, false, false, false, {2, 2}}};
  for (Product p : products) {
    p.element = "f8E4M3FN";
    for (int i = 0; i < 8; ++i) {
      p.per = (i & 4) != 0 ? 32 : 128;
      p.transposeLhs = (i & 1) != 0;
      p.transposeRhs = (i & 2) != 0;
      p.name = "product_per_" + text(p.per) + "_" + text(p.matrices()) + "_" +
               text(p.rows) + "x" + text(p.columns) + "x" + text(p.depth) +
               (p.transposeLhs ? "_tl" : "") + (p.transposeRhs ? "_tr" : "");
      cases.push_back(makePlain(p));
    }
  }
}

} // namespace

std::vector<KernelCase> getProductCases() {
  std::vector<KernelCase> cases;
  addSizes(cases);
  addBatches(cases);
  addNarrow(cases, "bf16");
  addNarrow(cases, "f16");
  addBlockScales(cases);
  for (const char *suffix : {"", "_deep"}) {
    int64_t depth = *suffix == '\0' ? 20 : 600;
    auto named = [&](const char *name) { return std::string(name) + suffix; };
    cases.push_back(makeGelu({named("product_gelu"), 14, 301, depth}));
    cases.push_back(
        makeActivation({named("product_activation"), 14, 72, depth}));
    cases.push_back(makeActivationGradient(
        {named("product_activation_gradient"), 17, 72, depth}));
    cases.push_back(makeResidual({named("product_residual"), 31, 20, depth}));
    cases.push_back(makeScaled({named("product_scaled"), 25, 70, depth}));
    cases.push_back(makeDropout({named("product_dropout"), 16, 68, depth}));
    cases.push_back(makeNegated({named("product_negated"), 31, 50, depth}));
    // Several matrices, in tiles of columns and of rows.
    auto batch = [&](const char *name, int64_t rows, int64_t columns) {
      return Product{named(name), rows,  columns, depth, false,
                     false,       false, {2, 3},  "f32"};
    };
    cases.push_back(makeGelu(batch("products_gelu", 14, 77)));
    cases.push_back(makeResidual(batch("products_residual", 31, 20)));
    cases.push_back(makeScaled(batch("products_scaled", 25, 70)));
    cases.push_back(makeDropout(batch("products_dropout", 8, 68)));
    // Columns in tiles of 32 only, shared out or not: rows without a tail.
    cases.push_back(makeGelu({named("product_gelu_whole"), 14, 352, depth}));
    cases.push_back(
        makeResidual({named("product_residual_rows"), 50, 32, depth}));
    cases.push_back(
        makeDropout({named("product_dropout_whole"), 16, 96, depth}));
  }
  return cases;
}

} // namespace accel::test
