// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies into another order: whole matrices, heads, parts of tensors, in
// elements of every width, whose sizes are multiples of 16 and are not. The
// bits stay. Gradients of weights are added to what is there.
#include "test/passes/lower/KernelCases.h"

namespace accel::test {

namespace {

/// A row has one element, as neighbours are apart.
std::string makeCopy(const std::string &from, const std::string &to,
                     int64_t elements, const std::string &body) {
  return makeKernel("rows", elements, 1, "%x: " + from, to,
                    body + substitute("  %out = accel.reshape %t : $0 -> $0\n"
                                      "  return %out : $0",
                                      {to}));
}

void addMatrices(std::vector<KernelCase> &cases) {
  struct Size {
    int64_t rows, columns;
  };
  // Whole blocks and lines; whole blocks of less than a warp; one row of
  // blocks; eight, four, two and one element at a time; the ends of blocks.
  for (auto [rows, columns] : {Size{128, 64},
                               {48, 80},
                               {16, 320},
                               {272, 16},
                               {24, 40},
                               {36, 20},
                               {34, 50},
                               {129, 17},
                               {3, 67},
                               {2, 2}}) {
    for (const char *element :
         {"f8E4M3FN", "f8E5M2", "bf16", "i1", "f32", "i64"}) {
      std::string from = tensorOf({rows, columns}, element);
      std::string to = tensorOf({columns, rows}, element);
      cases.push_back(
          {"transpose_of_" + text(rows) + "x" + text(columns) + "_" + element,
           makeCopy(from, to, rows * columns,
                    substitute("  %t = accel.transpose %x [1, 0] : $0 -> $1\n",
                               {from, to})),
           0});
    }
  }
}

/// Each matrix of three.
void addBatches(std::vector<KernelCase> &cases) {
  for (int64_t rows : {32, 19}) {
    std::string from = tensorOf({3, rows, 48}, "f8E5M2");
    std::string to = tensorOf({3, 48, rows}, "f8E5M2");
    cases.push_back(
        {"transpose_of_each_3x" + text(rows) + "x48",
         makeCopy(from, to, 3 * rows * 48,
                  substitute("  %t = accel.transpose %x [0, 2, 1] : $0 -> $1\n",
                             {from, to})),
         0});
  }
}

/// What attention leaves, sample by sample and head by head, as a weight's
/// gradient reads it: a row for each feature of all heads, a column for each
/// token of all samples.
void addHeads(std::vector<KernelCase> &cases) {
  struct Size {
    int64_t tokens, width;
  };
  for (auto [tokens, width] : {Size{32, 64},
                               {16, 48},
                               {24, 40},
                               {7, 16},
                               {16, 7},
                               {5, 3},
                               {1, 16},
                               {16, 1}}) {
    constexpr int64_t kSamples = 2, kHeads = 3;
    int64_t features = kHeads * width, rows = kSamples * tokens;
    for (const char *element : {"f8E4M3FN", "bf16", "f32"}) {
      std::vector<std::string> types = {
          tensorOf({kSamples, kHeads, tokens, width}, element),
          tensorOf({kSamples, tokens, kHeads, width}, element),
          tensorOf({rows, features}, element),
          tensorOf({features, rows}, element)};
      cases.push_back(
          {"transpose_of_heads_" + text(tokens) + "x" + text(width) + "_" +
               element,
           makeCopy(
               types[0], types[3], rows * features,
               substitute("  %s = accel.transpose %x [0, 2, 1, 3] : $0 -> $1\n"
                          "  %m = accel.reshape %s : $1 -> $2\n"
                          "  %t = accel.transpose %m [1, 0] : $2 -> $3\n",
                          types)),
           0});
    }
  }
}

/// A part of each row: where accesses may be long, where it begins at an odd
/// element, and where rows of the whole do.
void addParts(std::vector<KernelCase> &cases) {
  struct Part {
    int64_t width, first;
  };
  for (auto [width, first] : {Part{96, 32}, {96, 5}, {100, 32}, {99, 32}}) {
    for (const char *element : {"f8E4M3FN", "f32"}) {
      std::vector<std::string> types = {
          tensorOf({40, width}, element), tensorOf({33, 48}, element),
          tensorOf({48, 33}, element), text(first)};
      cases.push_back(
          {"transpose_of_columns_from_" + text(first) + "_of_" + text(width) +
               "_" + element,
           makeCopy(types[0], types[2], 48 * 33,
                    substitute("  %p = accel.slice %x [4, $3] strides [1, 1] : "
                               "$0 -> $1\n"
                               "  %t = accel.transpose %p [1, 0] : $1 -> $2\n",
                               types)),
           0});
    }
  }
}

/// A convolution's weights, with the elements of a window in front of their
/// channels: their gradient, in the order of the parameter, is stored, added,
/// or one of the two.
void addGradients(std::vector<KernelCase> &cases) {
  struct Size {
    int64_t window, channels;
  };
  for (auto [window, channels] : {Size{9, 24}, {3, 5}, {16, 8}, {49, 17}}) {
    std::vector<std::string> types = {tensorOf({6, window, channels}, "f32"),
                                      tensorOf({6, channels, window}, "f32")};
    std::string body =
        substitute("  %t = accel.transpose %x [0, 2, 1] : $0 -> $1\n"
                   "  %out = accel.reshape %t : $1 -> $1\n  return %out : $1",
                   types);
    auto add = [&](const std::string &name, const std::string &argument,
                   const std::string &accumulate) {
      cases.push_back({"transpose_of_gradient_" + text(window) + "x" +
                           text(channels) + "_" + name,
                       makeKernel("rows", 6 * window * channels, 1,
                                  "%x: " + types[0] + argument,
                                  types[1] + accumulate, body),
                       0});
    };
    add("stored", "", "");
    add("added", "", " {plan.accumulate}");
    for (int keeps : {0, 1}) {
      add(keeps ? "kept" : "begun", ", " + makeKeepArgument(keeps),
          " {plan.accumulate = 1 : i64}");
    }
  }
}

} // namespace

std::vector<KernelCase> getTransposeCases() {
  std::vector<KernelCase> cases;
  addMatrices(cases);
  addBatches(cases);
  addHeads(cases);
  addParts(cases);
  addGradients(cases);
  return cases;
}

} // namespace accel::test
