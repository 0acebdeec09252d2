// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All functions are monotone, in their argument and in beta, so that the
// smallest of the parameter's elements becomes the smallest of the constant's,
// or the largest, and a bisection finds the beta.
#include "frontends/onnx/Weights/FoldedFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace accel::onnx {
namespace {

using Step = RecipeStep::Kind;

struct NamedFunction {
  llvm::StringLiteral aten;
  Step kind;
};
constexpr NamedFunction functions[] = {
    {"exp", Step::Exp},         {"neg", Step::Neg},
    {"sigmoid", Step::Sigmoid}, {"log", Step::Log},
    {"log1p", Step::Log1p},     {"sqrt", Step::Sqrt},
    {"add", Step::PlusOne},     {"sub", Step::OneMinus},
    {"rsub", Step::OneMinus},   {"softplus", Step::Softplus}};

/// The value inside the exporter's softplus that each call of it has once.
/// Beside it each call has one that is named like the call.
constexpr llvm::StringLiteral softplusArgument = "self_scaled";

/// PyTorch's default. The file does not have it; a constant of elements beyond
/// another one has other bits.
constexpr float softplusThreshold = 20.0f;

float toFloat(uint32_t bits) { return llvm::bit_cast<float>(bits); }
uint32_t toBits(float value) { return llvm::bit_cast<uint32_t>(value); }

/// In ascending order; nothing if a number is none.
std::optional<std::vector<float>> sortNumbers(llvm::ArrayRef<uint32_t> bits) {
  std::vector<float> numbers;
  for (uint32_t each : bits) {
    numbers.push_back(toFloat(each));
    if (std::isnan(numbers.back())) {
      return std::nullopt;
    }
  }
  llvm::sort(numbers);
  return numbers;
}

size_t countDigits(float value) {
  constexpr size_t enough = 32;
  char text[enough];
  return static_cast<size_t>(std::to_chars(text, text + enough, value).ptr -
                             text);
}

/// What lies around the number for which the monotone `isBelow` begins to be
/// false, the ones with the fewest digits first.
std::vector<float> listNear(llvm::function_ref<bool(float)> isBelow) {
  constexpr uint32_t range = 64;
  uint32_t low = toBits(0x1p-20f), high = toBits(0x1p20f);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (isBelow(toFloat(middle))) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  std::vector<float> numbers;
  for (uint32_t bits = low - range; bits <= low + range; ++bits) {
    numbers.push_back(toFloat(bits));
  }
  llvm::stable_sort(numbers, [](float a, float b) {
    return countDigits(a) < countDigits(b);
  });
  return numbers;
}

} // namespace

bool isElementFunction(llvm::StringRef aten) {
  return llvm::any_of(
      functions, [&](const NamedFunction &each) { return each.aten == aten; });
}

llvm::SmallVector<Step> listFunctions(llvm::ArrayRef<std::string> operators) {
  llvm::SmallVector<Step> kinds;
  for (const std::string &name : operators) {
    for (const NamedFunction &each : functions) {
      if (each.aten == name) {
        kinds.push_back(each.kind);
      }
    }
  }
  llvm::sort(kinds);
  for (const std::string &name : operators) {
    auto *inner = llvm::find(kinds, Step::Softplus);
    if (name == softplusArgument && inner != kinds.end()) {
      kinds.erase(inner);
    }
  }
  return kinds;
}

float FunctionChain::apply(llvm::ArrayRef<Step> kinds, float x) const {
  for (Step kind : kinds) {
    switch (kind) {
    case Step::Exp:
      x = library.exp(x);
      break;
    case Step::Neg:
      x = -x;
      break;
    case Step::Sigmoid: {
      float power = library.exp(x > 0.0f ? -x : x);
      x = (x > 0.0f ? 1.0f : power) / (1.0f + power);
      break;
    }
    case Step::Log:
      x = library.log(x);
      break;
    case Step::Log1p:
      x = library.log(x + 1.0f);
      break;
    case Step::Sqrt:
      x = std::sqrt(x);
      break;
    case Step::Softplus: {
      float scaled = x * beta;
      x = scaled > softplusThreshold ? x : library.softplus(scaled) / beta;
      break;
    }
    case Step::PlusOne:
      x = x + 1.0f;
      break;
    case Step::OneMinus:
      x = 1.0f - x;
      break;
    default:
      llvm_unreachable("not a function of one element");
    }
  }
  return x;
}

float FunctionChain::computeWith(float newBeta, float x) {
  beta = newBeta;
  return apply(order, x);
}

std::vector<uint32_t>
FunctionChain::compute(llvm::ArrayRef<uint32_t> numbers) const {
  std::vector<uint32_t> results;
  for (uint32_t bits : numbers) {
    results.push_back(toBits(apply(order, toFloat(bits))));
  }
  return results;
}

std::vector<RecipeStep> FunctionChain::listSteps() const {
  std::vector<RecipeStep> steps;
  for (Step kind : order) {
    steps.push_back({kind});
    steps.back().beta = kind == Step::Softplus ? beta : 1.0f;
  }
  return steps;
}

bool FunctionChain::fitBeta(llvm::ArrayRef<uint32_t> numbers,
                            llvm::ArrayRef<uint32_t> results) {
  auto from = sortNumbers(numbers), to = sortNumbers(results);
  if (llvm::count(order, Step::Softplus) != 1 || !from || !to ||
      from->size() != to->size() || from->front() == from->back()) {
    return false;
  }
  const float first = apply(order, from->front()),
              last = apply(order, from->back());
  if (std::isnan(first) || std::isnan(last)) {
    return false;
  }
  if (first > last) {
    std::reverse(to->begin(), to->end());
  }
  // Beta changes most where its argument is small.
  llvm::ArrayRef<Step> before =
      order.take_until([](Step kind) { return kind == Step::Softplus; });
  bool isFirst = apply(before, from->front()) < apply(before, from->back());
  const float x = isFirst ? from->front() : from->back(),
              y = isFirst ? to->front() : to->back();
  const bool rises = computeWith(0.5f, x) < computeWith(2.0f, x);
  for (float candidate : listNear([&](float tried) {
         return rises ? computeWith(tried, x) < y : computeWith(tried, x) > y;
       })) {
    beta = candidate;
    if (llvm::all_of(llvm::zip_equal(*from, *to), [&](auto pair) {
          return toBits(apply(order, std::get<0>(pair))) ==
                 toBits(std::get<1>(pair));
        })) {
      return true;
    }
  }
  beta = 1.0f;
  return false;
}

} // namespace accel::onnx
