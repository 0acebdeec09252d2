// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders the streams by events where they touch the same bytes, with as few
// events as suffice.
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Schedule/Passes.h"
#include "passes/Schedule/ScheduleProblem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {
#define GEN_PASS_DEF_INSERTEVENTSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// An event: `second` waits for the signal that `first` gave `distance`
/// iterations ago.
struct Order {
  unsigned first, second, distance;
  bool operator==(const Order &other) const {
    return first == other.first && second == other.second &&
           distance == other.distance;
  }
};

/// Writes a set of orders into the problem's instructions, one event per
/// signalling instruction.
void applyOrders(ScheduleProblem &problem, ArrayRef<Order> orders) {
  problem.numEvents = 0;
  for (ScheduledInstruction &instruction : problem.instructions) {
    instruction.waits.clear();
    instruction.signals.clear();
  }
  for (const Order &order : orders) {
    ScheduledInstruction &first = problem.instructions[order.first];
    if (first.signals.empty()) {
      first.signals.push_back(problem.numEvents++);
    }
    problem.instructions[order.second].waits.push_back(
        {first.signals.front(), order.distance});
  }
}

/// Adds an order for every hazard there is.
SmallVector<Order> solve(ScheduleProblem &problem) {
  SmallVector<Order> orders;
  applyOrders(problem, orders);
  size_t before = 0;
  do {
    before = orders.size();
    auto addOrder = [&](const Hazard &hazard) {
      bool bothInLoop = problem.instructions[hazard.first].inLoop &&
                        problem.instructions[hazard.second].inLoop;
      Order order{hazard.first, hazard.second,
                  bothInLoop ? hazard.secondIteration - hazard.firstIteration
                             : 0};
      // Two iterations may ask for the same order.
      if (!llvm::is_contained(orders, order)) {
        orders.push_back(order);
      }
      return true;
    };
    problem.findHazard(addOrder);
    applyOrders(problem, orders);
  } while (orders.size() != before);
  return orders;
}

/// Drops every order that the others imply.
void reduce(ScheduleProblem &problem, SmallVectorImpl<Order> &orders) {
  for (size_t i = 0; i < orders.size();) {
    SmallVector<Order> fewer(orders.begin(), orders.end());
    fewer.erase(fewer.begin() + i);
    applyOrders(problem, fewer);
    if (problem.findHazard()) {
      ++i;
    } else {
      orders.assign(fewer);
    }
  }
  applyOrders(problem, orders);
}

class InsertEventsPass
    : public accel::impl::InsertEventsPassBase<InsertEventsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      ScheduleProblem problem = readSchedule(function);
      SmallVector<Order> orders = solve(problem);
      reduce(problem, orders);
      Builder builder(&getContext());
      for (ScheduledInstruction &instruction : problem.instructions) {
        SmallVector<Attribute> waits;
        for (const EventWait &wait : instruction.waits) {
          waits.push_back(
              plan::WaitAttr::get(&getContext(), wait.event, wait.distance));
        }
        SmallVector<Attribute> signals;
        for (unsigned event : instruction.signals) {
          signals.push_back(plan::EventAttr::get(&getContext(), event));
        }
        setOrRemove(instruction.op, plan::kWaitsAttr, waits, builder);
        setOrRemove(instruction.op, plan::kSignalsAttr, signals, builder);
      }
    }
  }

  static void setOrRemove(Operation *op, StringRef name,
                          ArrayRef<Attribute> values, Builder &builder) {
    if (values.empty()) {
      op->removeAttr(name);
    } else {
      op->setAttr(name, builder.getArrayAttr(values));
    }
  }
};

} // namespace
