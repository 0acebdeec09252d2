// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and sizes of products and attention, as their operations have them.
#include "compiler/PlanSites.h"

#include "compiler/PlanBuffers.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/ProductShape.h"
#include "passes/Precision/PrecisionSites.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

static planpb::Site::Role toRole(ProductRole role) {
  switch (role) {
  case ProductRole::Forward:
    return planpb::Site::ROLE_FORWARD;
  case ProductRole::InputGradient:
    return planpb::Site::ROLE_INPUT_GRADIENT;
  case ProductRole::WeightGradient:
    return planpb::Site::ROLE_WEIGHT_GRADIENT;
  }
  llvm_unreachable("all roles are listed");
}

static void describeProduct(ProductRole role, const ProductShape &shape,
                            planpb::Site &site) {
  site.set_kind(planpb::Site::KIND_PRODUCT);
  site.set_role(toRole(role));
  site.add_shape(shape.matrices);
  site.add_shape(shape.rows);
  site.add_shape(shape.columns);
  site.add_shape(shape.depth);
}

/// All rows, each times one matrix of its own.
static void describe(GroupedMatmulOp product, planpb::Site &site) {
  ArrayRef<int64_t> rows = shapeOf(product.getRows());
  int64_t columns = shapeOf(product.getResult())[1];
  describeProduct(product.getRole(), {1, rows[0], columns, rows[1]}, site);
}

/// The rows of all matrices, each summed over the rows that chose it.
static void describe(GroupedOuterOp product, planpb::Site &site) {
  ArrayRef<int64_t> lhs = shapeOf(product.getLhs());
  int64_t columns = shapeOf(product.getRhs())[1];
  describeProduct(ProductRole::WeightGradient, {1, lhs[1], columns, lhs[0]},
                  site);
}

template <typename OpTy>
static void describeAttention(OpTy attention, planpb::Site &site) {
  ArrayRef<int64_t> query = shapeOf(attention.getQuery());
  site.set_kind(planpb::Site::KIND_ATTENTION);
  site.set_role(std::is_same_v<OpTy, AttentionOp>
                    ? planpb::Site::ROLE_FORWARD
                    : planpb::Site::ROLE_GRADIENT);
  for (int64_t size : query.drop_back()) {
    site.add_shape(size);
  }
  site.add_shape(shapeOf(attention.getKey())[2]);
  site.add_shape(query.back());
}

/// Of floats that the kernel stores, each once.
static void addResults(func::FuncOp function, planpb::Site &site) {
  for (Type type : function.getResultTypes()) {
    Type element = cast<RankedTensorType>(type).getElementType();
    planpb::ElementType stored = toElementType(element);
    if (isa<FloatType>(element) &&
        !llvm::is_contained(site.results(), stored)) {
      site.add_results(stored);
    }
  }
}

/// Whether some variant rounds the operands of the kernel's product to TF32.
static bool usesTf32(func::FuncOp function) {
  auto entries = function->getAttrOfType<DictionaryAttr>(plan::kCodeAttr);
  return llvm::any_of(entries, [](NamedAttribute entry) {
    auto call = dyn_cast<plan::LibraryCallAttr>(entry.getValue());
    plan::ProductAttr product = call ? call.getProduct() : nullptr;
    plan::ConvolutionAttr convolution = call ? call.getConvolution() : nullptr;
    return (product && product.getTf32()) ||
           (convolution && convolution.getTf32());
  });
}

bool accel::isSite(Operation *op) {
  return isa<MatmulOp, GroupedMatmulOp, GroupedOuterOp, AttentionOp,
             AttentionGradOp>(op);
}

void accel::addSites(func::FuncOp function, planpb::Kernel &kernel) {
  for (Operation &op : function.getBody().front()) {
    if (!isSite(&op)) {
      continue;
    }
    planpb::Site *site = kernel.add_sites();
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](MatmulOp product) {
          describeProduct(product.getRole(), ProductShape::get(product), *site);
        })
        .Case<GroupedMatmulOp, GroupedOuterOp>(
            [&](auto product) { describe(product, *site); })
        .Case<AttentionOp, AttentionGradOp>(
            [&](auto attention) { describeAttention(attention, *site); });
    Type operand = elementTypeOf(op.getOperand(0));
    site->set_operands(toElementType(operand));
    if (Type right = elementTypeOf(op.getOperand(1)); right != operand) {
      site->set_right_operand(toElementType(right));
    }
    // Every kernel sums floats of 16 and 8 bits in f32.
    site->set_accumulator(operand.isF64() ? planpb::ELEMENT_F64
                                          : planpb::ELEMENT_F32);
    site->set_tf32(isa<MatmulOp>(op) && usesTf32(function));
    addResults(function, *site);
    site->set_flops(cast<CostOpInterface>(op).getFlops());
    if (auto reason = op.getAttrOfType<StringAttr>(kPrecisionReasonAttr)) {
      site->set_reason(reason.getValue().str());
    }
  }
}
