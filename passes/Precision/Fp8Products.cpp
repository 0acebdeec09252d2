// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales multiply what is rounded, and their inverses the sums.
#include "passes/Precision/Fp8Products.h"

#include "dialects/Accel/IR/Fp8Scale.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace accel;

Fp8Products::Fp8Products(func::FuncOp microbatch, const Fp8Sites &sites,
                         Fp8Types types, TensorScales &scales)
    : microbatch(microbatch), types(types), scales(scales), values(scales) {
  auto typeOf = [&](Value operand) {
    return sites.isGradient(operand) ? types.gradient : types.forward;
  };
  microbatch.walk([&](MatmulOp product) {
    if (isPrecisionSite(product) && sites.contains(product)) {
      products[product] = {typeOf(product.getLhs()), typeOf(product.getRhs())};
    }
  });
}

void Fp8Products::readParameters() {
  llvm::SetVector<StringAttr> names;
  for (auto &[product, operands] : products) {
    for (Value operand : product->getOperands()) {
      if (ReadOp read = getParameterRead(operand)) {
        names.insert(read.getSymbolAttr().getAttr());
      }
    }
  }
  OpBuilder builder(microbatch);
  auto type = RankedTensorType::get({static_cast<int64_t>(names.size())},
                                    builder.getF32Type());
  for (StringRef name : {kWeightScaleState, kWeightInverseState}) {
    StateOp::create(builder, microbatch.getLoc(), name, type, StateKind::Scale,
                    builder.getF64FloatAttr(1.0));
  }
  builder.setInsertionPointToStart(&microbatch.getBody().front());
  ArithmeticBuilder b(builder, microbatch.getLoc());
  Value inverses = b.create<ReadOp>(type, kWeightInverseState);
  SymbolTable symbols(microbatch->getParentOfType<ModuleOp>());
  SmallVector<Value> scalars;
  for (auto [index, name] : llvm::enumerate(names)) {
    auto parameter = symbols.lookup<ParameterOp>(name);
    parameter.setComputeAttr(TypeAttr::get(types.forward));
    parameter.setScaleAttr(builder.getI64IntegerAttr(index));
    scalars.push_back(buildElement(b, inverses, index));
  }
  for (ReadOp read : llvm::to_vector(microbatch.getOps<ReadOp>())) {
    auto *found = llvm::find(names, read.getSymbolAttr().getAttr());
    if (found != names.end()) {
      narrow(read, scalars[found - names.begin()]);
    }
  }
}

void Fp8Products::narrow(ReadOp read, Value inverse) {
  OpBuilder builder(read);
  ArithmeticBuilder b(builder, read.getLoc());
  auto type = cast<RankedTensorType>(read.getType());
  Value numbers = b.create<ReadOp>(type.clone(types.forward), read.getSymbol());
  values.set(read, {numbers, inverse});
}

void Fp8Products::lower() {
  for (auto &[product, operands] : products) {
    lower(cast<MatmulOp>(product), operands);
  }
  scales.finish(microbatch);
}

void Fp8Products::lower(MatmulOp product, const Operands &operands) {
  ScaledValue lhs = values.get(product.getLhs(), operands.lhs);
  ScaledValue rhs = values.get(product.getRhs(), operands.rhs);
  OpBuilder builder(product);
  ArithmeticBuilder b(builder, product.getLoc());
  auto type = cast<RankedTensorType>(product.getType());
  auto narrow = MatmulOp::create(builder, product.getLoc(), type, lhs.numbers,
                                 rhs.numbers, product.getTransposeLhs(),
                                 product.getTransposeRhs(), product.getRole());
  Value result = b.mul(narrow.getResult(), b.repeat(lhs.inverse, type));
  result = b.mul(result, b.repeat(rhs.inverse, type));
  product.replaceAllUsesWith(result);
  product.erase();
}
