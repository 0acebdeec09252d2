// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the kernels of a real plan, one product or attention after the other is
// given other operands, and one cast after the other another way: each time
// the verifier finds it, and it alone.
#include "test/compiler/CompiledModel.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Precision/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace accel::test {
namespace {

constexpr StringLiteral kMark = "test.damaged";

class PrecisionTest : public testing::Test {
protected:
  void SetUp() override {
    CompilerOptions options;
    options.precision.precision = "bf16";
    options.frontend.dimensions["batch"] = 2;
    model = CompiledModel::compile("gpt2/model.onnx", options);
    ASSERT_TRUE(model);
    context = model->getKernels().getContext();
    model->getKernels()->setAttr("accel.precision", TypeAttr::get(getLow()));
  }

  Type getLow() const { return BFloat16Type::get(context); }
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

TEST_F(PrecisionTest, TheKernelsOfAPlanAreAsDecided) {
  PassManager manager(context);
  manager.addPass(createVerifyPrecisionPass());
  EXPECT_TRUE(succeeded(manager.run(model->getKernels())));
}

TEST_F(PrecisionTest, AProductOfOtherOperandsIsNamed) {
  int damaged = damageEach<MatmulOp>(
      [](MatmulOp) { return true; },
      [&](MatmulOp product) {
        OpBuilder builder(product);
        for (OpOperand &operand : product->getOpOperands()) {
          operand.set(CastOp::create(builder, product.getLoc(), operand.get(),
                                     getWide()));
        }
      });
  EXPECT_GT(damaged, 10);
}

TEST_F(PrecisionTest, AttentionOfOtherOperandsIsNamed) {
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
TEST_F(PrecisionTest, ACastOfAnotherValueIsNamed) {
  int damaged = damageEach<CastOp>(
      [&](CastOp cast) {
        bool isStored = llvm::any_of(cast->getUsers(), [](Operation *user) {
          return isa<func::ReturnOp>(user);
        });
        return isStored && cast.getType().getElementType() == getLow();
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

} // namespace
} // namespace accel::test
