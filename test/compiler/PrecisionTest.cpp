// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the kernels of a real plan, one product or attention after the other is
// given other operands, and one cast after the other another way: each time
// the verifier finds it, and it alone.
#include "test/compiler/CompiledModel.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Fp8Scale.h"
#include "passes/Precision/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace accel::test {
namespace {

constexpr StringLiteral kMark = "test.damaged";

struct Case {
  const char *model;
  const char *fp8 = ""; ///< the recipe
};

void PrintTo(const Case &each, std::ostream *stream) {
  *stream << each.model << " " << each.fp8;
}

class PrecisionTest : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    CompilerOptions options;
    options.precision.precision = "bf16";
    options.precision.fp8.recipe = GetParam().fp8;
    options.frontend.dimensions["batch"] = 2;
    model = CompiledModel::compile(
        std::string(GetParam().model) + "/model.onnx", options);
    ASSERT_TRUE(model);
    context = model->getKernels().getContext();
  }

  Type getLow() const { return BFloat16Type::get(context); }
  /// What products may read, and kernels store for them.
  bool isRounded(Type element) const {
    return element == getLow() || isFp8(element);
  }
  Type getWide() const { return Float32Type::get(context); }

  /// Copies the kernels for each operation that `chooses`, damages the copy of
  /// that one, and expects that the verifier says where. Returns how many.
  template <typename OpTy>
  int damageEach(llvm::function_ref<bool(OpTy)> chooses,
                 llvm::function_ref<void(OpTy)> damage) {
    std::vector<OpTy> chosen;
    model->getKernels().walk([&](OpTy op) {
      if (chooses(op)) {
        chosen.push_back(op);
      }
    });
    for (OpTy op : chosen) {
      op->setAttr(kMark, UnitAttr::get(context));
      OwningOpRef<ModuleOp> copy = model->getKernels().clone();
      op->removeAttr(kMark);
      std::string kernel;
      copy->walk([&](OpTy each) {
        if (each->hasAttr(kMark)) {
          kernel = each->template getParentOfType<func::FuncOp>().getSymName();
          each->setLoc(
              NameLoc::get(StringAttr::get(context, "the damaged one")));
          damage(each);
        }
      });
      SCOPED_TRACE(kernel);
      expectNamed(*copy);
    }
    return static_cast<int>(chosen.size());
  }

  void expectNamed(ModuleOp module) {
    int errors = 0, right = 0;
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
        ++errors;
        std::string where;
        llvm::raw_string_ostream(where) << diagnostic.getLocation();
        right += where.find("the damaged one") != std::string::npos;
      }
    });
    PassManager manager(context);
    manager.addPass(createVerifyPrecisionPass());
    EXPECT_TRUE(failed(manager.run(module)));
    EXPECT_GT(right, 0);
    EXPECT_EQ(right, errors);
  }

  std::unique_ptr<CompiledModel> model;
  MLIRContext *context = nullptr;
};

TEST_P(PrecisionTest, TheKernelsOfAPlanAreAsDecided) {
  PassManager manager(context);
  manager.addPass(createVerifyPrecisionPass());
  EXPECT_TRUE(succeeded(manager.run(model->getKernels())));
}

TEST_P(PrecisionTest, AProductOfOtherOperandsIsNamed) {
  int damaged = damageEach<MatmulOp>(
      [](MatmulOp) { return true; },
      [&](MatmulOp product) {
        OpBuilder builder(product);
        for (unsigned i : {0, 1}) {
          product->setOperand(i, CastOp::create(builder, product.getLoc(),
                                                product->getOperand(i),
                                                getWide()));
        }
      });
  EXPECT_GT(damaged, 10);
}

TEST_P(PrecisionTest, AttentionOfOtherOperandsIsNamed) {
  // Of its operands one is rounded to another type, and back: the same type,
  // and other numbers.
  auto reroute = [&](Operation *op) {
    OpBuilder builder(op);
    Value wide =
        CastOp::create(builder, op->getLoc(), op->getOperand(0), getWide());
    Value half =
        CastOp::create(builder, op->getLoc(), wide, Float16Type::get(context));
    op->setOperand(0, CastOp::create(builder, op->getLoc(), half, getLow()));
  };
  EXPECT_GT(damageEach<AttentionOp>([](AttentionOp) { return true; }, reroute),
            0);
  EXPECT_GT(damageEach<AttentionGradOp>([](AttentionGradOp) { return true; },
                                        reroute),
            0);
}

/// A number that was rounded to another type before is not the one that was
/// decided, whatever its own type is.
TEST_P(PrecisionTest, ACastOfAnotherValueIsNamed) {
  int damaged = damageEach<CastOp>(
      [&](CastOp cast) {
        bool isStored = llvm::any_of(cast->getUsers(), [](Operation *user) {
          return isa<func::ReturnOp>(user);
        });
        return isStored && isRounded(cast.getType().getElementType());
      },
      [&](CastOp cast) {
        OpBuilder builder(cast);
        Value half = CastOp::create(builder, cast.getLoc(), cast.getOperand(),
                                    Float16Type::get(context));
        cast->setOperand(0, half);
        // What is wrong is found where the value is stored.
        for (Operation *user : cast->getUsers()) {
          user->setLoc(cast.getLoc());
        }
      });
  EXPECT_GT(damaged, 10);
}

/// Bytes that were made of bytes of another kind are other numbers.
TEST_P(PrecisionTest, BytesOfOtherNumbersAreNamed) {
  int damaged = damageEach<MatmulOp>(
      [](MatmulOp product) {
        return isFp8(product.getLhs().getType().getElementType());
      },
      [&](MatmulOp product) {
        OpBuilder builder(product);
        for (unsigned i : {0, 1}) {
          product->setOperand(i,
                              CastOp::create(builder, product.getLoc(),
                                             product->getOperand(i), getLow()));
        }
      });
  EXPECT_TRUE(!*GetParam().fp8 || damaged > 10) << damaged;
}

INSTANTIATE_TEST_SUITE_P(Plans, PrecisionTest,
                         testing::Values(Case{"gpt2"},
                                         Case{"decoder16", "current"},
                                         Case{"decoder16", "delayed"},
                                         Case{"decoder16", "block"},
                                         Case{"decoder16", "mx"}),
                         [](const testing::TestParamInfo<Case> &info) {
                           return info.param.model + std::string("_") +
                                  (*info.param.fp8 ? info.param.fp8 : "bf16");
                         });

} // namespace
} // namespace accel::test
