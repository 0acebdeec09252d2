// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that read windows where they lie: products whose operands are views
// of windows, in every place and orientation, and element-wise kernels of
// slices of windows, as pools and depthwise convolutions are.
#include "test/passes/lower/KernelCases.h"

namespace accel::test {

namespace {

/// Windows of (n, h, w, c), which are (n, p, q, c, k, l).
struct Windows {
  std::string name;
  int64_t n, h, w, c;
  int64_t k, l;
  int64_t stride = 1, dilation = 1;
  std::string element = "f32";

  int64_t count(int64_t size, int64_t window) const {
    return (size - 1 - (window - 1) * dilation) / stride + 1;
  }
  int64_t rows() const { return n * count(h, k) * count(w, l); }
  int64_t depth() const { return k * l * c; }
  std::string whole() const { return tensorOf({n, h, w, c}, element); }
  std::string windows() const {
    return tensorOf({n, count(h, k), count(w, l), c, k, l}, element);
  }

  /// `%w`, the windows of %x.
  std::string view() const {
    std::string pair = "[" + text(k) + ", " + text(l) + "]";
    auto both = [](int64_t number) {
      return "[" + text(number) + ", " + text(number) + "]";
    };
    return "  %w = accel.windows %x axes [1, 2] sizes " + pair + " strides " +
           both(stride) + " dilations " + both(dilation) + " : " + whole() +
           " -> " + windows() + "\n";
  }
  /// `%m`, a row for each window, in the order of memory.
  std::string matrix() const {
    std::string moved =
        tensorOf({n, count(h, k), count(w, l), k, l, c}, element);
    return view() +
           substitute("  %v = accel.transpose %w [0, 1, 2, 4, 5, 3] : $0 -> "
                      "$1\n  %m = accel.reshape %v : $1 -> $2\n",
                      {windows(), moved, tensorOf({rows(), depth()}, element)});
  }
};

std::string describe(int64_t matrices, int64_t rows, int64_t columns,
                     int64_t depth, const std::string &element) {
  int64_t blocks = alignUp(depth, 256) / 256;
  int64_t block =
      alignUp((depth + blocks - 1) / blocks, element == "bf16" ? 32 : 16);
  return "attributes {plan.kernel = {kind = \"product\", elements = " +
         text(matrices * rows * columns) +
         " : i64, rows = " + text(matrices * rows) +
         " : i64, columns = " + text(columns) + " : i64" +
         (matrices > 1 ? ", matrices = " + text(matrices) + " : i64" : "") +
         ", block = " + text(block) + " : i64}}";
}

/// The windows times another matrix, or the other way round, in the
/// orientation that `flags` name.
KernelCase makeProduct(const Windows &windows, bool isLeft, bool isTransposed,
                       int64_t other) {
  int64_t seen = isTransposed ? windows.depth() : windows.rows();
  int64_t summed = isTransposed ? windows.rows() : windows.depth();
  if (!isLeft) {
    std::swap(seen, summed);
  }
  const std::string &element = windows.element;
  std::string matrix = tensorOf({windows.rows(), windows.depth()}, element);
  std::string factor = isLeft ? tensorOf({summed, other}, element)
                              : tensorOf({other, summed}, element);
  std::string result =
      isLeft ? tensorOf({seen, other}, "f32") : tensorOf({other, seen}, "f32");
  std::string flag = isLeft ? " {transpose_lhs}" : " {transpose_rhs}";
  std::string range = " {accel.range = [-1.0, 1.0]}";
  std::string body =
      windows.matrix() + "  %c = accel.matmul " +
      (isLeft ? "%m, %b" : "%b, %m") + (isTransposed ? flag : "") + " : " +
      (isLeft ? matrix + ", " + factor : factor + ", " + matrix) + " -> " +
      result + "\n  return %c : " + result;
  std::string name = "product_of_windows_" + windows.name + "_" + element +
                     (isLeft ? "_lhs" : "_rhs") +
                     (isTransposed ? "_transposed" : "");
  return {name,
          "func.func @k(%x: " + windows.whole() + range + ", %b: " + factor +
              range + ") -> (" + result + ") " +
              describe(1, isLeft ? seen : other, isLeft ? other : seen, summed,
                       element) +
              " {\n" + body + "\n}\n",
          4e-6};
}

/// A product for each of two groups of channels, with a bias behind it.
KernelCase makeGroups(const std::string &element) {
  std::string range = " {accel.range = [-1.0, 1.0]}";
  return {"product_of_windows_groups_" + element,
          "func.func @k(%x: tensor<2x9x7x10x" + element + ">" + range +
              ", %b: tensor<2x13x45x" + element + ">" + range +
              ", %d: tensor<13xf32>" + range + ") -> (tensor<2x70x13xf32>) " +
              describe(2, 70, 13, 45, element) +
              substitute(R"( {
  %w = accel.windows %x axes [1, 2] sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<2x9x7x10x$0> -> tensor<2x7x5x10x3x3x$0>
  %s = accel.reshape %w : tensor<2x7x5x10x3x3x$0> -> tensor<2x7x5x2x5x3x3x$0>
  %t = accel.transpose %s [3, 0, 1, 2, 5, 6, 4] : tensor<2x7x5x2x5x3x3x$0> -> tensor<2x2x7x5x3x3x5x$0>
  %m = accel.reshape %t : tensor<2x2x7x5x3x3x5x$0> -> tensor<2x70x45x$0>
  %c = accel.matmul %m, %b {transpose_rhs} : tensor<2x70x45x$0>, tensor<2x13x45x$0> -> tensor<2x70x13xf32>
  %e = accel.broadcast %d [2] : tensor<13xf32> -> tensor<2x70x13xf32>
  %r = accel.add %c, %e : tensor<2x70x13xf32>
  return %r : tensor<2x70x13xf32>
}
)",
                         {element}),
          4e-6};
}

/// The gradient of the weights of two groups of 32 channels: windows that lie
/// evenly, as the right matrices of two products.
KernelCase makeGroupGradient() {
  std::string range = " {accel.range = [-1.0, 1.0]}";
  return {"product_of_windows_group_gradient",
          "func.func @k(%g: tensor<2x340x13xf32>" + range +
              ", %x: tensor<2x12x19x64xf32>" + range +
              ") -> (tensor<2x13x288xf32>) " +
              describe(2, 13, 288, 340, "f32") + R"( {
  %w = accel.windows %x axes [1, 2] sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<2x12x19x64xf32> -> tensor<2x10x17x64x3x3xf32>
  %s = accel.reshape %w : tensor<2x10x17x64x3x3xf32> -> tensor<2x10x17x2x32x3x3xf32>
  %t = accel.transpose %s [3, 0, 1, 2, 5, 6, 4] : tensor<2x10x17x2x32x3x3xf32> -> tensor<2x2x10x17x3x3x32xf32>
  %m = accel.reshape %t : tensor<2x2x10x17x3x3x32xf32> -> tensor<2x340x288xf32>
  %c = accel.matmul %g, %m {transpose_lhs} : tensor<2x340x13xf32>, tensor<2x340x288xf32> -> tensor<2x13x288xf32>
  return %c : tensor<2x13x288xf32>
}
)",
          4e-6};
}

/// A product that is stored rounded, so that the workspace keeps its sums in
/// front of the copied windows.
KernelCase makeRounded(const std::string &element) {
  std::string range = " {accel.range = [-1.0, 1.0]}";
  int64_t depth = 45;
  Windows windows{"", 2, 9, 7, 5, 3, 3, 1, 1, element};
  std::string matrix = tensorOf({windows.rows(), depth}, element);
  std::string weights = tensorOf({depth, 21}, element);
  std::string sums = tensorOf({windows.rows(), 21}, "f32");
  std::string result = tensorOf({windows.rows(), 21}, element);
  return {"product_of_windows_rounded_" + element,
          substitute("func.func @k(%x: $0" + range + ", %b: $1" + range +
                         ") -> ($4) " +
                         describe(1, windows.rows(), 21, depth, element) +
                         " {\n" + windows.matrix() +
                         "  %c = accel.matmul %m, %b : $2, $1 -> $3\n"
                         "  %r = accel.cast %c : $3 -> $4\n"
                         "  return %r : $4\n}\n",
                     {windows.whole(), weights, matrix, sums, result}),
          element == "bf16" ? 8e-3 : 1e-3};
}

void addProducts(std::vector<KernelCase> &cases, const std::string &element) {
  Windows all[] = {
      {"3x3", 2, 9, 7, 5, 3, 3},
      {"strided", 3, 11, 12, 33, 3, 2, 2},
      {"dilated", 1, 13, 9, 17, 3, 3, 1, 2},
      {"one_channel", 2, 10, 19, 1, 2, 7},
      {"wide", 1, 12, 30, 64, 3, 3},
      // Runs of 48, in vectors but not in pairs of vectors; an odd number of
      // places.
      {"of_48", 3, 7, 11, 16, 3, 3},
      // Read where they lie, if they are summed: blocks begin within a row of
      // 20 or of 17 places.
      {"of_96", 3, 9, 22, 32, 3, 3},
      {"of_64_strided", 2, 23, 35, 32, 3, 2, 2},
  };
  for (Windows &windows : all) {
    windows.element = element;
    for (bool isLeft : {false, true}) {
      for (bool isTransposed : {false, true}) {
        cases.push_back(makeProduct(windows, isLeft, isTransposed, 21));
      }
    }
  }
  // More columns than are packed at once, and more rows than a block.
  cases.push_back(makeProduct({"many", 2, 20, 20, 140, 3, 3, 2, 1, element},
                              false, false, 5));
  cases.push_back(makeGroups(element));
}

/// The maximum of two elements of each window, each a slice with the strides of
/// the windows, as ExpandComposites makes them: `columns` of a row at a time.
KernelCase makeMaximum(const Windows &windows, int64_t columns) {
  int64_t p = windows.count(windows.h, windows.k);
  int64_t q = windows.count(windows.w, windows.l);
  std::string flat = tensorOf({windows.n, p, q, windows.c}, "f32");
  std::string body;
  for (int i : {0, 1}) {
    int64_t at = i * windows.dilation;
    body += substitute(
        "  %e$2 = accel.slice %x [0, $3, $3, 0] strides [1, $4, "
        "$4, 1] : $0 -> $1\n",
        {windows.whole(), flat, text(i), text(at), text(windows.stride)});
  }
  body +=
      substitute("  %y = accel.max %e0, %e1 : $0\n  return %y : $0", {flat});
  int64_t elements = windows.n * p * q * windows.c;
  return {"maximum_of_windows_" + windows.name,
          makeKernel("rows", elements / columns, columns,
                     "%x: " + windows.whole(), flat, body),
          0};
}

/// A copy of windows: what stands in front of a product that reads none. The
/// planner sees no neighbours through the chain, and neither does the code.
KernelCase makeCopy(const Windows &windows) {
  std::string matrix = tensorOf({windows.rows(), windows.depth()}, "f32");
  return {"copy_of_windows_" + windows.name,
          makeKernel("rows", windows.rows() * windows.depth(), 1,
                     "%x: " + windows.whole(), matrix,
                     windows.matrix() + "  return %m : " + matrix),
          0};
}

} // namespace

std::vector<KernelCase> getWindowViewCases() {
  return {makeMaximum({"rows", 2, 9, 7, 5, 3, 3}, 25),
          makeMaximum({"strided", 3, 11, 12, 33, 3, 2, 2}, 33),
          makeMaximum({"scalar", 2, 10, 19, 1, 2, 7, 3}, 1),
          makeCopy({"rows", 2, 9, 7, 5, 3, 3}),
          makeCopy({"strided", 3, 11, 12, 33, 3, 2, 2}),
          makeCopy({"dilated", 1, 13, 9, 1, 3, 3, 1, 2})};
}

std::vector<KernelCase> getWindowProductCases() {
  std::vector<KernelCase> cases;
  for (const std::string element : {"f32", "bf16", "f16"}) {
    addProducts(cases, element);
  }
  cases.push_back(makeGroupGradient());
  cases.push_back(makeRounded("bf16"));
  cases.push_back(makeRounded("f16"));
  return cases;
}

} // namespace accel::test
