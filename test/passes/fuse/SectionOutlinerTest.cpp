// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A planner's answer is not trusted: groups that would wait for each other are
// an error that names their operations, and nothing has been outlined by then.
#include "passes/Fuse/SectionOutliner.h"

#include "test/passes/fuse/FourOperations.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace accel {
namespace {

class SectionOutlinerTest : public test::FourOperations {
protected:
  SectionOutlinerTest() {
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "\n";
      for (Diagnostic &note : diagnostic.getNotes()) {
        diagnostics += note.str() + "\n";
      }
    });
  }

  /// Outlines operation i in group `groups[i]`.
  LogicalResult outline(ArrayRef<unsigned> groups) {
    const Target *target = findTarget("cpu", *module);
    FusionPlan plan(ops);
    for (auto [op, group] : llvm::zip_equal(ops, groups)) {
      if (group < plan.getGroups().size()) {
        plan.join(op, group);
      } else {
        plan.start(op, LoopKind::Rows, /*elements=*/4, /*columns=*/0,
                   /*open=*/true);
      }
    }
    KernelLibrary kernels(*module, *target);
    return SectionOutliner(plan, kernels).run(end);
  }

  std::string diagnostics;
};

TEST_F(SectionOutlinerTest, GroupsThatWaitForNobodyBecomeCalls) {
  ASSERT_TRUE(succeeded(outline({0, 1, 1, 2}))) << diagnostics;
  EXPECT_TRUE(succeeded(verify(*module))) << diagnostics;
  size_t calls = 0;
  module->walk([&](func::CallOp) { ++calls; });
  EXPECT_EQ(calls, 3u);
}

TEST_F(SectionOutlinerTest, AKernelThatWouldWaitForItselfIsAnErrorThatNamesIt) {
  // The sum joined the exponential's kernel around what is between them.
  std::string before;
  llvm::raw_string_ostream(before) << *module;
  EXPECT_TRUE(failed(outline({0, 1, 1, 0})));
  EXPECT_NE(diagnostics.find("is in a kernel that would wait for itself: the "
                             "fusion planner is at fault; please report it "
                             "with the model"),
            std::string::npos)
      << diagnostics;
  EXPECT_NE(diagnostics.find("accel.exp"), std::string::npos) << diagnostics;
  EXPECT_NE(diagnostics.find("accel.neg"), std::string::npos) << diagnostics;
  std::string after;
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(after, before);
}

} // namespace
} // namespace accel
