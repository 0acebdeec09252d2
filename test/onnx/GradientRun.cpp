// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The importer's program with its gradients beside it, on the interpreter.
#include "test/onnx/GradientRun.h"

#include "compiler/RegisterAll.h"
#include "dialects/Accel/Interpreter/Interpreter.h"
#include "frontends/onnx/ImportOnnx.h"
#include "frontends/onnx/Weights/TensorData.h"
#include "passes/Differentiate/ReverseMode.h"
#include "passes/Import/ImportPipeline.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace accel::test {
namespace {

constexpr size_t kMostElements = 24;
constexpr double kTolerance = 2e-5;

/// From -1 to 1, never near 0.
double makeCotangent(size_t i) {
  double value = std::sin(12.9898 * static_cast<double>(i + 1)) * 43758.5453;
  value -= std::floor(value);
  return value < 0.5 ? -1.0 + value : value;
}

HostTensor toHost(MLIRContext &context, const CaseTensor &tensor) {
  auto type = RankedTensorType::get(
      tensor.shape, onnx::getElementType(context, tensor.dataType));
  return *HostTensor::fromAttribute(onnx::getElements(type, tensor.bytes));
}

bool isWideFloat(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() > 0 &&
         isa<Float32Type, Float64Type>(tensor.getElementType());
}

class GradientCheck {
public:
  GradientCheck(const Case &subject, const std::vector<std::string> &bound)
      : subject(subject), bound(bound),
        context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { diagnostics = diagnostic.str(); });
  }

  GradientOutcome run() {
    if (!importCase()) {
      return {false, "", "cannot be imported again: " + diagnostics};
    }
    if (wrt.empty() || outputs.empty()) {
      return {true, wrt.empty() ? "no floats go in" : "no floats come out", ""};
    }
    FailureOr<func::FuncOp> gradient = makeGradient();
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

  bool isBound(const std::string &name) const {
    return llvm::is_contained(bound, name);
  }

  bool importCase() {
    onnx::ImportOptions options;
    options.infers = true;
    options.dropout.kind = onnx::DropoutPolicy::Kind::Off;
    options.batchNorm = onnx::BatchNormPolicy::Frozen;
    for (const CaseTensor &tensor : subject.data.front().inputs) {
      if (isBound(tensor.name)) {
        options.bound.push_back({tensor.name,
                                 getElementName(tensor.dataType).str(),
                                 tensor.shape, tensor.bytes});
      }
    }
    FailureOr<onnx::ImportedModel> imported =
        onnx::importOnnx(subject.path, options, context);
    if (failed(imported)) {
      return false;
    }
    module = std::move(imported->module);
    // Weights are not inputs; these cases have none worth a look.
    if (!module->getOps<ParameterOp>().empty()) {
      return false;
    }
    PassManager manager(&context);
    buildImportPipeline(manager, {"off", int64_t(1) << 26, /*infers=*/true});
    if (failed(manager.run(*module))) {
      return false;
    }
    forward = module->lookupSymbol<func::FuncOp>("forward");
    collect();
    return true;
  }

  void collect() {
    for (auto [i, type] : llvm::enumerate(forward.getArgumentTypes())) {
      auto name = forward.getArgAttrOfType<StringAttr>(i, "accel.name");
      for (const CaseTensor &tensor : subject.data.front().inputs) {
        if (tensor.name == name.getValue()) {
          arguments.push_back(toHost(context, tensor));
        }
      }
      if (isWideFloat(type)) {
        wrt.push_back(i);
      }
    }
    for (auto [i, type] : llvm::enumerate(forward.getResultTypes())) {
      if (isWideFloat(type)) {
        outputs.push_back(i);
      }
    }
  }

  /// A copy of the program that takes gradients of its outputs besides and
  /// returns those of its inputs.
  FailureOr<func::FuncOp> makeGradient() {
    auto copy = forward.clone();
    copy.setSymName("gradient");
    module->push_back(copy);
    Block &body = copy.getBody().front();
    Operation *terminator = body.getTerminator();
    SmallVector<Value> results, given, inputs;
    for (size_t i : outputs) {
      Value result = terminator->getOperand(i);
      results.push_back(result);
      given.push_back(body.addArgument(result.getType(), result.getLoc()));
    }
    for (size_t i : wrt) {
      inputs.push_back(body.getArgument(i));
    }
    OpBuilder builder(terminator);
    FailureOr<SmallVector<Value>> gradients =
        differentiate(builder, body, results, given, inputs);
    if (failed(gradients)) {
      return failure();
    }
    terminator->setOperands(*gradients);
    copy.setAllResultAttrs(ArrayRef<DictionaryAttr>(SmallVector<DictionaryAttr>(
        gradients->size(), DictionaryAttr::get(&context))));
    SmallVector<DictionaryAttr> none(body.getNumArguments(),
                                     DictionaryAttr::get(&context));
    copy.setType(FunctionType::get(&context, body.getArgumentTypes(),
                                   terminator->getOperandTypes()));
    copy.setAllArgAttrs(none);
    return copy;
  }

  /// The outputs times their cotangents.
  std::optional<double> total(Interpreter &interpreter,
                              ArrayRef<HostTensor> values) {
    FailureOr<SmallVector<HostTensor>> results =
        interpreter.run(forward, values);
    if (failed(results)) {
      return std::nullopt;
    }
    double sum = 0;
    size_t count = 0;
    for (size_t i : outputs) {
      for (double value : (*results)[i].floats()) {
        sum += value * makeCotangent(count++);
      }
    }
    return sum;
  }

  GradientOutcome compare(func::FuncOp gradient) {
    Interpreter interpreter(*module);
    SmallVector<HostTensor> values(arguments);
    size_t count = 0;
    for (size_t i : outputs) {
      HostTensor cotangent(cast<RankedTensorType>(forward.getResultTypes()[i]));
      for (double &element : cotangent.mutableFloats()) {
        element = makeCotangent(count++);
      }
      values.push_back(std::move(cotangent));
    }
    FailureOr<SmallVector<HostTensor>> gradients =
        interpreter.run(gradient, values);
    std::optional<double> middle = total(interpreter, arguments);
    if (failed(gradients) || !middle) {
      return {false, "", "does not run: " + diagnostics};
    }
    for (auto [position, argument] : llvm::enumerate(wrt)) {
      std::string wrong =
          compareInput(interpreter, argument, *middle, (*gradients)[position]);
      if (!wrong.empty()) {
        return {false, "", wrong};
      }
    }
    return {true,
            hasNan         ? "gradient is NaN somewhere"
            : compared > 0 ? "gradient right"
                           : "no element has a slope",
            ""};
  }

  std::string compareInput(Interpreter &interpreter, size_t argument,
                           double middle, const HostTensor &gradient) {
    auto elements = static_cast<size_t>(gradient.getNumElements());
    size_t step = std::max<size_t>(1, elements / kMostElements);
    for (size_t i = 0; i < elements; i += step) {
      double x = arguments[argument].floats()[i];
      double h = 1e-5 * std::max(1.0, std::abs(x));
      auto at = [&](double value) {
        SmallVector<HostTensor> values(arguments);
        values[argument].mutableFloats()[i] = value;
        return total(interpreter, values).value_or(NAN);
      };
      double above = at(x + h), below = at(x - h);
      double wide = (at(x + 2 * h) - at(x - 2 * h)) / (4 * h);
      double right = (above - middle) / h, left = (middle - below) / h;
      double expected = (above - below) / (2 * h);
      double scale = std::max({1.0, std::abs(left), std::abs(right)});
      // A kink or a jump, or a number that is none.
      if (!(std::abs(right - left) <= 1e-3 * scale &&
            std::abs(wide - expected) <= 1e-3 * scale)) {
        continue;
      }
      ++compared;
      double got = gradient.floats()[i];
      hasNan |= std::isnan(got);
      // What the sum's digits leave of a difference.
      double noise = 4e-16 * std::abs(middle) / h;
      if (!std::isnan(got) &&
          !(std::abs(got - expected) <= kTolerance * scale + noise)) {
        return llvm::formatv(
                   "gradient by input {0}[{1}] at {2:e}: expected {3:e8}, "
                   "got {4:e8}",
                   argument, i, x, expected, got)
            .str();
      }
    }
    return "";
  }

  const Case &subject;
  const std::vector<std::string> &bound;
  MLIRContext context;
  std::string diagnostics;
  OwningOpRef<ModuleOp> module;
  func::FuncOp forward;
  SmallVector<HostTensor> arguments;
  SmallVector<size_t> wrt, outputs;
  size_t compared = 0;
  bool hasNan = false;
};

} // namespace

GradientOutcome checkGradient(const Case &subject,
                              const std::vector<std::string> &bound) {
  return GradientCheck(subject, bound).run();
}

} // namespace accel::test
