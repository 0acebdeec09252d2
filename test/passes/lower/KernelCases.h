// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that are compiled, run and compared with the interpreter.
#ifndef ACCEL_TEST_PASSES_LOWER_KERNELCASES_H
#define ACCEL_TEST_PASSES_LOWER_KERNELCASES_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace accel::test {

/// One kernel. Its text is a function `@k` with `plan.kernel`; arguments may
/// have `accel.range` or `accel.value`.
struct KernelCase {
  std::string name;
  std::string text;
  double tolerance = 0.0; ///< of an element, relative to it or to the mean size
                          ///< of all, whichever is larger
  std::vector<std::pair<unsigned, unsigned>> inPlace =
      {}; ///< result that lies where an argument lies
};

inline std::string text(int64_t number) { return std::to_string(number); }

inline int64_t alignUp(int64_t number, int64_t to) {
  return (number + to - 1) / to * to;
}

/// The argument that decides whether what is in a result's buffer is kept.
inline std::string makeKeepArgument(int keeps) {
  std::string number = std::to_string(keeps);
  return "%keeps: tensor<i1> {accel.range = [" + number + ", " + number + "]}";
}

/// `@k` of a kind and shape. `results` may carry attributes.
inline std::string makeKernel(const std::string &kind, int64_t rows,
                              int64_t columns, const std::string &arguments,
                              const std::string &results,
                              const std::string &body) {
  auto number = [](int64_t value) { return std::to_string(value) + " : i64"; };
  return "func.func @k(" + arguments + ") -> (" + results +
         ") attributes {plan.kernel = {kind = \"" + kind +
         "\", elements = " + number(rows * columns) +
         ", rows = " + number(rows) + ", columns = " + number(columns) +
         "}} {\n" + body + "\n}\n";
}

/// `text` with every $N replaced by the N-th of `values` (from 0).
inline std::string substitute(std::string text,
                              const std::vector<std::string> &values) {
  for (size_t i = values.size(); i-- > 0;) {
    std::string key = "$" + std::to_string(i);
    for (size_t at = text.find(key); at != std::string::npos;
         at = text.find(key, at + values[i].size())) {
      text.replace(at, key.size(), values[i]);
    }
  }
  return text;
}

/// `tensor<SIZES x ELEMENT>`.
inline std::string tensorOf(const std::vector<int64_t> &shape,
                            const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape) {
    text += std::to_string(size) + "x";
  }
  return text + element + ">";
}

std::vector<KernelCase> getFlatCases();
std::vector<KernelCase> getRowCases();
std::vector<KernelCase> getViewCases();
std::vector<KernelCase> getTransposeCases();
std::vector<KernelCase> getTurnedCases();
std::vector<KernelCase> getColumnCases();
std::vector<KernelCase> getAttentionCases();
std::vector<KernelCase> getProductCases();
std::vector<KernelCase> getGroupedCases();
std::vector<KernelCase> getQuantizeCases();
std::vector<KernelCase> getSmallFloatCases();
std::vector<KernelCase> getWindowProductCases();
std::vector<KernelCase> getWindowViewCases();

} // namespace accel::test

#endif
