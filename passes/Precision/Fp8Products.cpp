// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters first, then one product after the other.
#include "passes/Precision/Fp8Products.h"

#include "dialects/Accel/IR/Fp8Scale.h"

using namespace mlir;
using namespace accel;

Fp8Products::Fp8Products(func::FuncOp microbatch, const Fp8Sites &sites,
                         Fp8Types types, Fp8Operands &operands)
    : microbatch(microbatch), types(types), operands(operands) {
  auto typeOf = [&](Value operand) {
    return sites.isGradient(operand) ? types.gradient : types.forward;
  };
  microbatch.walk([&](MatmulOp product) {
    if (isPrecisionSite(product) && sites.contains(product)) {
      products[product] = {typeOf(product.getLhs()), typeOf(product.getRhs())};
    }
  });
}

/// Where the scales of each parameter begin that a product reads.
llvm::MapVector<StringAttr, int64_t> Fp8Products::declareScales() {
  SymbolTable symbols(microbatch->getParentOfType<ModuleOp>());
  OpBuilder builder(microbatch);
  llvm::MapVector<StringAttr, int64_t> first;
  int64_t count = 0;
  for (auto &[product, factors] : products) {
    for (Value operand : product->getOperands()) {
      ReadOp read = getParameterRead(operand);
      StringAttr name = read ? read.getSymbolAttr().getAttr() : StringAttr();
      if (!read || !first.try_emplace(name, count).second) {
        continue;
      }
      auto parameter = symbols.lookup<ParameterOp>(name);
      parameter.setComputeAttr(TypeAttr::get(types.forward));
      parameter.setScaleAttr(builder.getI64IntegerAttr(count));
      count += operands.countScales(cast<RankedTensorType>(read.getType()));
    }
  }
  auto type = RankedTensorType::get({count}, builder.getF32Type());
  for (StringRef name : {kWeightScaleState, kWeightInverseState}) {
    StateOp::create(builder, microbatch.getLoc(), name, type, StateKind::Scale,
                    builder.getF64FloatAttr(1.0));
  }
  return first;
}

void Fp8Products::readParameters() {
  llvm::MapVector<StringAttr, int64_t> first = declareScales();
  auto state = microbatch->getParentOfType<ModuleOp>().lookupSymbol<StateOp>(
      kWeightInverseState);
  OpBuilder builder(microbatch.getContext());
  builder.setInsertionPointToStart(&microbatch.getBody().front());
  Value inverses = ReadOp::create(builder, microbatch.getLoc(), state.getType(),
                                  kWeightInverseState);
  for (ReadOp read : llvm::to_vector(microbatch.getOps<ReadOp>())) {
    auto *found = first.find(read.getSymbolAttr().getAttr());
    if (found == first.end()) {
      continue;
    }
    builder.setInsertionPoint(read);
    ArithmeticBuilder b(builder, read.getLoc());
    auto type = cast<RankedTensorType>(read.getType());
    Value numbers =
        b.create<ReadOp>(type.clone(types.forward), read.getSymbol());
    operands.setParameter(b, read, {numbers, inverses, found->second});
  }
}

void Fp8Products::lower() {
  for (auto &[op, factors] : products) {
    auto product = cast<MatmulOp>(op);
    OpBuilder builder(product);
    ArithmeticBuilder b(builder, product.getLoc());
    product.replaceAllUsesWith(
        operands.multiply(b, product, factors.lhs, factors.rhs));
    product.erase();
  }
  operands.finish(microbatch);
}
