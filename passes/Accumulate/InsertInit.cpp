// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the function that sets up all state that does not come with the model.
#include "passes/Accumulate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/FunctionRoles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cmath>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_INSERTINITPASS
#include "passes/Accumulate/Passes.h.inc"

namespace {

/// What `initial` of a parameter says.
struct InitialValue {
  enum Kind { File, Normal, Uniform, Constant } kind;
  double mean = 0;      ///< or the constant
  double deviation = 0; ///< or the bound
  int64_t site = 0;
};

/// Requires: `initial` is there; the verifier of accel.parameter knows its
/// form.
InitialValue readInitial(DictionaryAttr initial) {
  auto number = [&](StringRef name) {
    return initial.getAs<FloatAttr>(name).getValueAsDouble();
  };
  StringRef kind = initial.getAs<StringAttr>("kind").getValue();
  if (kind == "constant") {
    return {InitialValue::Constant, number("value")};
  }
  if (kind == "normal") {
    return {InitialValue::Normal, number("mean"), number("deviation"),
            initial.getAs<IntegerAttr>("site").getInt()};
  }
  if (kind == "uniform") {
    return {InitialValue::Uniform, 0, number("bound"),
            initial.getAs<IntegerAttr>("site").getInt()};
  }
  return {InitialValue::File};
}

class InsertInitPass : public impl::InsertInitPassBase<InsertInitPass> {
public:
  using InsertInitPassBase::InsertInitPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<std::pair<ParameterOp, InitialValue>> values;
    bool hasFailed = false;
    for (ParameterOp parameter : module.getOps<ParameterOp>()) {
      if (!parameter.getInitialAttr()) {
        hasFailed = true;
        parameter.emitError("expected an initial value of parameter '")
            << parameter.getSymName()
            << "', got none; give the weights, or say how to make them with "
               "--init";
        continue;
      }
      values.emplace_back(parameter, readInitial(parameter.getInitialAttr()));
    }
    if (hasFailed) {
      return signalPassFailure();
    }
    build(values);
  }

private:
  void build(ArrayRef<std::pair<ParameterOp, InitialValue>> values) {
    ModuleOp module = getOperation();
    func::FuncOp next = findFunction(module, FunctionRole::Step);
    next = next ? next : findFunction(module, FunctionRole::Infer);
    OpBuilder builder(&getContext());
    if (next) {
      builder.setInsertionPoint(next);
    } else {
      builder.setInsertionPointToEnd(module.getBody());
    }
    auto init = func::FuncOp::create(builder, module.getLoc(), "init",
                                     builder.getFunctionType({}, {}));
    setRole(init, FunctionRole::Initialize);
    builder.setInsertionPointToStart(init.addEntryBlock());
    bool isRandom = llvm::any_of(values, [](const auto &entry) {
      return entry.second.kind == InitialValue::Normal ||
             entry.second.kind == InitialValue::Uniform;
    });
    Value seed;
    if (isRandom) {
      seed = InputOp::create(builder, init.getLoc(),
                             RankedTensorType::get({}, builder.getI64Type()),
                             "seed");
    }
    for (auto [parameter, value] : values) {
      writeParameter(builder, parameter, value, seed);
    }
    for (StateOp state : module.getOps<StateOp>()) {
      if (state.getKind() == StateKind::Input ||
          state.getKind() == StateKind::Output) {
        continue; // Each call writes them.
      }
      double number =
          state.getInitial() ? state.getInitial()->convertToDouble() : 0;
      write(builder, state.getLoc(), state.getSymName(),
            makeSplat(builder, state.getLoc(), state.getType(), number));
    }
    func::ReturnOp::create(builder, init.getLoc());
  }

  static void writeParameter(OpBuilder &builder, ParameterOp parameter,
                             const InitialValue &value, Value seed) {
    Location loc = parameter.getLoc();
    if (value.kind == InitialValue::Constant) {
      write(builder, loc, parameter.getSymName(),
            makeSplat(builder, loc, parameter.getType(), value.mean));
    }
    if (value.kind == InitialValue::Normal) {
      write(builder, loc, parameter.getSymName(),
            makeNormal(builder, parameter, value, value.deviation, seed));
    }
    if (value.kind == InitialValue::Uniform) {
      // erf(x) of normal x with variance 1/2 is uniform between -1 and 1.
      Value normal =
          makeNormal(builder, parameter, value, std::sqrt(0.5), seed);
      ArithmeticBuilder b(builder, loc);
      write(builder, loc, parameter.getSymName(),
            b.mul(b.create<ErfOp>(normal), value.deviation));
    }
  }

  static Value makeNormal(OpBuilder &builder, ParameterOp parameter,
                          const InitialValue &value, double deviation,
                          Value seed) {
    return RandomNormalOp::create(
        builder, parameter.getLoc(), parameter.getType(), seed,
        builder.getF64FloatAttr(value.mean), builder.getF64FloatAttr(deviation),
        builder.getI64IntegerAttr(value.site),
        /*site_offset=*/Value());
  }

  static void write(OpBuilder &builder, Location loc, StringRef symbol,
                    Value value) {
    WriteOp::create(builder, loc, symbol, value);
  }

  static Value makeSplat(OpBuilder &builder, Location loc, Type type,
                         double number) {
    auto tensor = cast<RankedTensorType>(type);
    Type element = tensor.getElementType();
    Attribute attribute =
        isa<FloatType>(element)
            ? Attribute(FloatAttr::get(element, number))
            : Attribute(IntegerAttr::get(element, int64_t(number)));
    return ConstantOp::create(builder, loc, tensor,
                              DenseElementsAttr::get(tensor, attribute));
  }
};

} // namespace
} // namespace accel
