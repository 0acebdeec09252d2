// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The importer's program, its weights and 16-bit floats promoted.
#include "test/onnx/GradientProgram.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "frontends/onnx/ImportOnnx.h"
#include "frontends/onnx/Weights/TensorData.h"
#include "passes/Differentiate/ReverseMode.h"
#include "passes/Import/ImportPipeline.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::test {
namespace {

bool isFloat(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() > 0 && isa<FloatType>(tensor.getElementType());
}

/// The type with f32 instead of 16-bit floats.
Type widen(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<BFloat16Type, Float16Type>(tensor.getElementType())
             ? tensor.clone(Float32Type::get(type.getContext()))
             : type;
}

HostTensor toHost(RankedTensorType type, StringRef bytes) {
  HostTensor value = *HostTensor::fromAttribute(onnx::getElements(type, bytes));
  return value.withType(cast<RankedTensorType>(widen(type)));
}

class GradientProgramBuilder {
public:
  GradientProgramBuilder(const Case &subject,
                         const std::vector<std::string> &bound,
                         MLIRContext &context)
      : subject(subject), bound(bound), context(context) {}

  FailureOr<GradientProgram> build() {
    if (failed(importCase())) {
      return failure();
    }
    takeInputs();
    if (failed(promoteWeights())) {
      return failure();
    }
    widenLowFloats();
    collectFloats();
    if (failed(verify(*program.module))) {
      return failure();
    }
    return std::move(program);
  }

private:
  LogicalResult importCase() {
    onnx::ImportOptions options;
    options.infers = true;
    options.dropout.kind = onnx::DropoutPolicy::Kind::Off;
    options.batchNorm = onnx::BatchNormPolicy::Frozen;
    options.dimensions = getDimensions(subject);
    for (const CaseTensor &tensor : subject.data.front().inputs) {
      if (llvm::is_contained(bound, tensor.name)) {
        options.bound.push_back(bindTensor(tensor));
      }
    }
    FailureOr<onnx::ImportedModel> imported =
        onnx::importOnnx(subject.path, options, context);
    if (failed(imported)) {
      return failure();
    }
    program.module = std::move(imported->module);
    weights = std::move(imported->weights);
    PassManager manager(&context);
    buildImportPipeline(manager, {"off", int64_t(1) << 26, /*infers=*/true});
    if (failed(manager.run(*program.module))) {
      return failure();
    }
    program.forward = program.module->lookupSymbol<func::FuncOp>("forward");
    return success();
  }

  void takeInputs() {
    func::FuncOp forward = program.forward;
    for (unsigned i = 0; i < forward.getNumArguments(); ++i) {
      auto name = forward.getArgAttrOfType<StringAttr>(i, "accel.name");
      for (const CaseTensor &tensor : subject.data.front().inputs) {
        if (tensor.name == name.getValue()) {
          auto type = RankedTensorType::get(
              tensor.shape, onnx::getElementType(context, tensor.dataType));
          program.arguments.push_back(toHost(type, tensor.bytes));
        }
      }
    }
  }

  /// Weights become arguments, so that all is one kind of thing from here on.
  LogicalResult promoteWeights() {
    for (auto parameter :
         llvm::make_early_inc_range(program.module->getOps<ParameterOp>())) {
      auto key = parameter.getInitialAttr().getAs<StringAttr>("key");
      auto bytes = weights.read(key.getValue());
      if (!bytes) {
        return parameter.emitError(llvm::toString(bytes.takeError()));
      }
      promote(parameter, (*bytes)->getBuffer());
    }
    return success();
  }

  void promote(ParameterOp parameter, StringRef bytes) {
    func::FuncOp forward = program.forward;
    auto type = cast<RankedTensorType>(parameter.getType());
    auto name = DictionaryAttr::get(
        &context,
        {{"accel.name", StringAttr::get(&context, parameter.getSymName())}});
    unsigned index = forward.getNumArguments();
    (void)forward.insertArgument(index, type, name, parameter.getLoc());
    program.arguments.push_back(toHost(type, bytes));
    forward.walk([&](ReadOp read) {
      if (read.getSymbol() == parameter.getSymName()) {
        read.replaceAllUsesWith(forward.getArgument(index));
        read.erase();
      }
    });
    parameter.erase();
  }

  void widenLowFloats() {
    Block &body = program.forward.getBody().front();
    auto widenAll = [](ValueRange values) {
      for (Value value : values) {
        value.setType(widen(value.getType()));
      }
    };
    widenAll(body.getArguments());
    program.forward.walk([&](Operation *op) {
      widenAll(op->getResults());
      if (auto constant = dyn_cast<ConstantOp>(op)) {
        widenConstant(constant);
      }
      auto cast = dyn_cast<CastOp>(op);
      if (cast && cast.getOperand().getType() == cast.getResult().getType()) {
        cast.getResult().replaceAllUsesWith(cast.getOperand());
        cast.erase();
      }
    });
    program.forward.setType(
        FunctionType::get(&context, body.getArgumentTypes(),
                          body.getTerminator()->getOperandTypes()));
  }

  static void widenConstant(ConstantOp constant) {
    auto type = cast<RankedTensorType>(constant.getResult().getType());
    if (constant.getValue().getShapedType() != type) {
      HostTensor value = *HostTensor::fromAttribute(constant.getValue());
      constant.setValueAttr(value.withType(type).toAttribute());
    }
  }

  void collectFloats() {
    func::FuncOp forward = program.forward;
    for (auto [i, type] : llvm::enumerate(forward.getArgumentTypes())) {
      if (isFloat(type)) {
        program.wrt.push_back(i);
      }
    }
    for (auto [i, type] : llvm::enumerate(forward.getResultTypes())) {
      if (isFloat(type)) {
        program.outputs.push_back(i);
      }
    }
  }

  const Case &subject;
  const std::vector<std::string> &bound;
  MLIRContext &context;
  onnx::WeightTable weights;
  GradientProgram program;
};

} // namespace

FailureOr<func::FuncOp> GradientProgram::differentiate() {
  MLIRContext &context = *module->getContext();
  func::FuncOp copy = forward.clone();
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
      accel::differentiate(builder, body, results, given, inputs);
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

FailureOr<GradientProgram>
makeGradientProgram(const Case &subject, const std::vector<std::string> &bound,
                    MLIRContext &context) {
  return GradientProgramBuilder(subject, bound, context).build();
}

} // namespace accel::test
