// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences of the program on the interpreter.
#include "test/onnx/GradientRun.h"

#include "compiler/RegisterAll.h"
#include "dialects/Accel/Interpreter/Interpreter.h"
#include "test/onnx/GradientProgram.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace accel::test {
namespace {

/// Of each argument, and where the program has large ones.
constexpr size_t kMostElements = 24, kMostOfLarge = 6;
constexpr int64_t kLarge = 1 << 15; ///< elements
/// Of a slope, and beside it: what constants of f32 are rounded by, against the
/// largest slope of the input, and what is no more than nothing.
constexpr double kTolerance = 2e-5;
constexpr double kConstants = 2.4e-7;
constexpr double kLeast = 1e-8;
/// Of what compiled code may differ by: how often what f32 loses when each
/// result is rounded, because its functions are wrong by some units of the last
/// place; how much of the input's largest slope, because it adds
/// thousands of terms up in f32; how much of the largest of all inputs, where
/// slopes of an input cancel out; and what is lost of 1 - tanh^2 near 1, as
/// cotangents are about 1.
constexpr double kLosses = 16;
constexpr double kRounding = 5e-5;
constexpr double kCancelled = 1e-6;
constexpr double kSmallest = 3e-8;

/// From -1 to 1, never near 0.
double makeCotangent(size_t i) {
  double value = std::sin(12.9898 * static_cast<double>(i + 1)) * 43758.5453;
  value -= std::floor(value);
  // A number of f32, so that compiled code gets the same.
  return static_cast<float>(value < 0.5 ? -1.0 + value : value);
}

double findLargest(ArrayRef<double> numbers) {
  double largest = 0;
  for (double each : numbers) {
    largest = std::max(largest, std::isfinite(each) ? std::abs(each) : 0.0);
  }
  return largest;
}

/// Why no float goes into the program of a case.
std::string explainNoFloats(const Case &subject) {
  std::string reason = "no floats go in";
  for (const CaseTensor &tensor : subject.data.front().inputs) {
    bool isFloat = llvm::is_contained({"f64", "f32", "f16", "bf16"},
                                      getElementName(tensor.dataType));
    if (isFloat && llvm::is_contained(tensor.shape, 0)) {
      return "floats that go in have no elements";
    }
    if (isFloat) {
      reason = "floats that go in are bound";
    }
  }
  return reason;
}

class GradientCheck {
public:
  GradientCheck(const Case &subject, const std::vector<std::string> &bound,
                CompiledGradient *compiled)
      : subject(subject), bound(bound), compiled(compiled),
        context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { diagnostics = diagnostic.str(); });
  }

  GradientOutcome run() {
    FailureOr<GradientProgram> made =
        makeGradientProgram(subject, bound, context);
    if (failed(made)) {
      return {false, "", "cannot be imported again: " + diagnostics};
    }
    program = std::move(*made);
    if (program.wrt.empty()) {
      return {true, explainNoFloats(subject), ""};
    }
    if (program.outputs.empty()) {
      return {true, "no floats come out", ""};
    }
    FailureOr<func::FuncOp> gradient = program.differentiate();
    if (failed(gradient)) {
      return {true, "no derivative", diagnostics};
    }
    return compare(*gradient);
  }

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllAccelDialects(registry);
    return registry;
  }

  /// What outputs are multiplied by: 0 where they are no numbers, which would
  /// leave none of the sum.
  bool makeCotangents(Interpreter &interpreter) {
    FailureOr<SmallVector<HostTensor>> results =
        interpreter.run(program.forward, program.arguments);
    if (failed(results)) {
      return false;
    }
    size_t count = 0;
    for (size_t i : program.outputs) {
      HostTensor cotangent((*results)[i].getType());
      for (auto [element, value] :
           llvm::zip_equal(cotangent.mutableFloats(), (*results)[i].floats())) {
        element = makeCotangent(count++);
        if (!std::isfinite(value)) {
          element = 0;
          isMasked = true;
        }
      }
      cotangents.push_back(std::move(cotangent));
    }
    return true;
  }

  /// The outputs times their cotangents, and the size of what was added.
  struct Total {
    double sum = 0, magnitude = 0;
  };
  std::optional<Total> total(Interpreter &interpreter,
                             ArrayRef<HostTensor> values) {
    FailureOr<SmallVector<HostTensor>> results =
        interpreter.run(program.forward, values);
    if (failed(results)) {
      return std::nullopt;
    }
    Total total;
    for (auto [i, cotangent] : llvm::zip_equal(program.outputs, cotangents)) {
      for (auto [value, factor] :
           llvm::zip_equal((*results)[i].floats(), cotangent.floats())) {
        if (factor != 0) {
          total.sum += value * factor;
          total.magnitude += std::abs(value * factor);
        }
      }
    }
    return total;
  }

  GradientOutcome compare(func::FuncOp gradient) {
    Interpreter interpreter(*program.module);
    if (!makeCotangents(interpreter)) {
      return {false, "", "does not run: " + diagnostics};
    }
    SmallVector<HostTensor> values(program.arguments);
    llvm::append_range(values, cotangents);
    FailureOr<SmallVector<HostTensor>> gradients =
        interpreter.run(gradient, values);
    std::optional<Total> middle = total(interpreter, program.arguments);
    if (failed(gradients) || !middle) {
      return {false, "", "does not run: " + diagnostics};
    }
    for (auto [position, argument] : llvm::enumerate(program.wrt)) {
      std::string wrong =
          compareInput(interpreter, argument, *middle, (*gradients)[position]);
      if (!wrong.empty()) {
        return {false, "", wrong};
      }
    }
    std::string wrong = compareCompiled(gradient, values, *gradients);
    if (!wrong.empty()) {
      return {false, "", "compiled: " + wrong};
    }
    std::string text = hasNan         ? "gradient is NaN somewhere"
                       : compared > 0 ? "gradient right"
                                      : "no element has a slope";
    return {
        true, text,
        llvm::formatv("{0} of {1} elements compared", compared, tried).str()};
  }

  bool isLarge() const {
    return llvm::any_of(program.arguments, [](const HostTensor &argument) {
      return argument.getNumElements() > kLarge;
    });
  }

  std::string compareInput(Interpreter &interpreter, size_t argument,
                           Total middle, const HostTensor &gradient) {
    auto elements = static_cast<size_t>(gradient.getNumElements());
    size_t most = isLarge() ? kMostOfLarge : kMostElements;
    size_t step = std::max<size_t>(1, (elements + most - 1) / most);
    double largest = findLargest(gradient.floats());
    for (size_t i = 0; i < elements; i += step) {
      ++tried;
      double x = program.arguments[argument].floats()[i];
      double h = 1e-5 * std::max(1.0, std::abs(x));
      auto at = [&](double value) {
        SmallVector<HostTensor> values(program.arguments);
        values[argument].mutableFloats()[i] = value;
        return total(interpreter, values).value_or(Total{NAN, NAN}).sum;
      };
      double above = at(x + h), below = at(x - h);
      double wide = (at(x + 2 * h) - at(x - 2 * h)) / (4 * h);
      double right = (above - middle.sum) / h, left = (middle.sum - below) / h;
      double narrow = (above - below) / (2 * h);
      double slope = std::max(std::abs(left), std::abs(right));
      double scale = std::max(1.0, slope);
      // A kink or a jump, or a number that is none.
      if (!(std::abs(right - left) <= 1e-3 * scale &&
            std::abs(wide - narrow) <= 1e-3 * scale)) {
        continue;
      }
      double got = gradient.floats()[i];
      // No number that came out depends on it, but one that is none: 0 times
      // its slope.
      bool isUnknown = isMasked && std::isnan(got) && narrow == 0 && wide == 0;
      if (isUnknown) {
        continue;
      }
      ++compared;
      // Without what the third derivative adds to both.
      double expected = narrow + (narrow - wide) / 3;
      hasNan |= std::isnan(got);
      // What the sum's digits leave of a difference.
      double noise = 4e-16 * middle.magnitude / h;
      double bound = kTolerance * slope + kConstants * largest + kLeast + noise;
      if (!std::isnan(got) && !(std::abs(got - expected) <= bound)) {
        return llvm::formatv(
                   "gradient by input {0}[{1}] at {2:e}: expected {3:e8}, "
                   "got {4:e8}",
                   argument, i, x, expected, got)
            .str();
      }
    }
    return "";
  }

  /// What is wrong with what compiled code gives, in f32.
  std::string compareCompiled(func::FuncOp gradient,
                              ArrayRef<HostTensor> values,
                              ArrayRef<HostTensor> exact) {
    if (!compiled) {
      return "";
    }
    InterpreterOptions options;
    options.roundResults = true;
    Interpreter interpreter(*program.module, options);
    FailureOr<SmallVector<HostTensor>> rounded =
        interpreter.run(gradient, values);
    auto results = compiled->run(gradient, values);
    if (!results || failed(rounded)) {
      return llvm::toString(results.takeError()) + ": " + diagnostics;
    }
    double largest = 0;
    for (const HostTensor &each : exact) {
      largest = std::max(largest, findLargest(each.floats()));
    }
    for (size_t i = 0; i < exact.size(); ++i) {
      std::string wrong =
          compareRounded(exact[i].floats(), (*rounded)[i].floats(),
                         (*results)[i], kCancelled * largest + kSmallest);
      if (!wrong.empty()) {
        return llvm::formatv("gradient by input {0}{1}", program.wrt[i], wrong)
            .str();
      }
    }
    return "";
  }

  /// From `rounded` comes how much f32 loses here.
  static std::string compareRounded(ArrayRef<double> exact,
                                    ArrayRef<double> rounded,
                                    ArrayRef<double> got, double least) {
    double loss = 0;
    for (auto [want, near] : llvm::zip_equal(exact, rounded)) {
      if (std::isfinite(want) && std::isfinite(near)) {
        loss = std::max(loss, std::abs(want - near));
      }
    }
    double bound = kLosses * loss + kRounding * findLargest(exact) + least;
    for (auto [i, want] : llvm::enumerate(exact)) {
      bool isSame = std::isfinite(want) && std::isfinite(rounded[i])
                        ? std::abs(got[i] - want) <= bound
                        : !std::isfinite(got[i]);
      if (!isSame) {
        return llvm::formatv("[{0}]: expected {1:e8}, got {2:e8}, "
                             "further away than {3:e2}",
                             i, want, got[i], bound)
            .str();
      }
    }
    return "";
  }

  const Case &subject;
  const std::vector<std::string> &bound;
  CompiledGradient *compiled; ///< null: not to be compared
  MLIRContext context;
  std::string diagnostics;
  GradientProgram program;
  SmallVector<HostTensor> cotangents; ///< of the float outputs
  size_t tried = 0, compared = 0;     ///< elements
  bool hasNan = false;
  bool isMasked = false; ///< whether something that comes out is no number
};

} // namespace

GradientOutcome checkGradient(const Case &subject,
                              const std::vector<std::string> &bound,
                              CompiledGradient *compiled) {
  return GradientCheck(subject, bound, compiled).run();
}

} // namespace accel::test
