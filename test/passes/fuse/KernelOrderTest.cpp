// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers of the fusion planner, right ones and damaged ones: the order of
// right ones respects what waits for what, and kernels that wait for each other
// are found and named, whatever the planner promised.
#include "passes/Fuse/KernelOrder.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "test/passes/fuse/FourOperations.h"

using namespace mlir;

namespace accel {
namespace {

/// A function's operations, and which kernel each is said to be in.
class KernelOrderTest : public test::FourOperations {
protected:
  /// Puts operation i into kernel `kernels[i]`; -1: into none.
  KernelOrder getOrder(std::vector<int> kernels) {
    kernelOf.clear();
    for (size_t i = 0; i < ops.size(); ++i) {
      if (kernels[i] >= 0) {
        kernelOf[ops[i]] = kernels[i];
      }
      for (Value operand : ops[i]->getOperands()) {
        if (Operation *producer = operand.getDefiningOp()) {
          predecessors[ops[i]].push_back(producer);
        }
      }
    }
    return KernelOrder(ops, kernelOf, [&](Operation *op) {
      return KernelOrder::Operations(predecessors[op]);
    });
  }

  std::vector<std::string> getNames(KernelOrder::Operations operations) {
    std::vector<std::string> names;
    for (Operation *op : operations) {
      names.push_back(op->getName().getStringRef().str());
    }
    return names;
  }

  DenseMap<Operation *, unsigned> kernelOf;
  DenseMap<Operation *, SmallVector<Operation *>> predecessors;
};

using Names = std::vector<std::string>;

TEST_F(KernelOrderTest, EachKernelComesBehindWhatItReads) {
  KernelOrder order = getOrder({0, 1, 1, -1});
  EXPECT_TRUE(order.getCycle().empty());
  ASSERT_EQ(order.getNodes().size(), 3u);
  EXPECT_EQ(getNames(order.getNodes()[0]), Names({"accel.exp"}));
  EXPECT_EQ(getNames(order.getNodes()[1]), Names({"accel.neg", "accel.sin"}));
  EXPECT_EQ(getNames(order.getNodes()[2]), Names({"accel.add"}));
}

TEST_F(KernelOrderTest, OneKernelOfAllWaitsForNobody) {
  KernelOrder order = getOrder({0, 0, 0, 0});
  EXPECT_TRUE(order.getCycle().empty());
  EXPECT_EQ(order.getNodes().size(), 1u);
}

TEST_F(KernelOrderTest, TwoKernelsThatWaitForEachOtherAreNamed) {
  // The sum joined the exponential's kernel, though what is between is another.
  KernelOrder order = getOrder({0, 1, 1, 0});
  EXPECT_TRUE(order.getNodes().empty());
  EXPECT_EQ(getNames(order.getCycle()).size(), 2u);
  EXPECT_NE(llvm::find(order.getCycle(), ops[0]), order.getCycle().end());
  EXPECT_NE(llvm::find(order.getCycle(), ops[1]), order.getCycle().end());
}

TEST_F(KernelOrderTest, ACycleThroughAnOperationInNoKernelIsNamed) {
  KernelOrder order = getOrder({0, -1, 2, 0});
  EXPECT_TRUE(order.getNodes().empty());
  EXPECT_EQ(order.getCycle().size(), 3u);
}

TEST_F(KernelOrderTest, WhatWaitsForACycleIsNotPartOfIt) {
  // exp and sin are one kernel around neg; the sum only waits for it.
  KernelOrder order = getOrder({0, 1, 0, 2});
  EXPECT_EQ(order.getCycle().size(), 2u);
  EXPECT_EQ(llvm::find(order.getCycle(), ops[3]), order.getCycle().end());
}

} // namespace
} // namespace accel
