// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buckets with their segments and slots, and the scalars.
#include "compiler/PlanState.h"

#include "dialects/Accel/IR/HyperparameterMeaning.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Analysis/StateMemory.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;
using namespace accel;

/// What microbatches read, held whole, is whole on every rank between steps; of
/// a gradient held whole only the rank's part means something.
void PlanState::setAxes(planpb::Slot &slot, planpb::Segment &segment,
                        StateOp state) {
  dist::Holding holding = dist::getHolding(state);
  bool isMaster = state.isMaster();
  if (holding == dist::Holding::All ||
      (holding == dist::Holding::Whole && state.isRead())) {
    return;
  }
  for (StringRef axis : dist::getShardAxes()) {
    slot.add_sharded_over(toMeshAxis(axis));
    if (isMaster) {
      segment.add_sharded_over(toMeshAxis(axis));
    }
  }
}

void PlanState::addSlot(StateOp state, planpb::Segment &segment) {
  planpb::Slot *slot = segment.add_slots();
  slot->set_name(state.getSlot()->getName().str());
  slot->set_buffer(buffers.getStateIndex(state.getSymName()));
  setAxes(*slot, segment, state);
  if (int64_t block = getSlotBlock(state); block != 1) {
    slot->set_block(block);
  }
  planpb::ElementType dtype =
      toElementType(cast<RankedTensorType>(state.getType()).getElementType());
  if (state.isMaster()) {
    segment.set_stored_dtype(dtype);
  }
  if (state.isRead()) {
    segment.set_gathered_dtype(dtype);
  }
}

void PlanState::addBuckets() {
  for (auto op : module.getOps<BucketOp>()) {
    planpb::Bucket *bucket = manifest.add_buckets();
    bucket->set_name(op.getSymName().str());
    bucket->set_granule(op.getGranule());
    for (auto layout : op.getSegments().getAsRange<SegmentAttr>()) {
      planpb::Segment *segment = bucket->add_segments();
      segment->set_name(layout.getName().str());
      segment->set_group(stringifyOptimizerGroup(layout.getGroup()).str());
      segment->set_elements(layout.getElements());
      SegmentRefAttr reference = op.getReference(layout.getName());
      for (auto state : module.getOps<StateOp>()) {
        if (state.getSegmentAttr() == reference) {
          addSlot(state, *segment);
        }
      }
    }
  }
}

static void addHyperparameter(StateOp op, uint32_t buffer,
                              planpb::Manifest &manifest) {
  HyperparameterMeaning meaning = HyperparameterMeaning::get(op);
  planpb::Hyperparameter *hyper = manifest.add_hyperparameters();
  hyper->set_name(op.getSymName().str());
  hyper->set_buffer(buffer);
  hyper->set_default_value(op.getInitial() ? op.getInitial()->convertToDouble()
                                           : 0.0);
  hyper->set_minimum(0.0);
  hyper->set_maximum(meaning.choices.empty()
                         ? std::numeric_limits<double>::max()
                         : static_cast<double>(meaning.choices.size() - 1));
  hyper->set_integer(meaning.isInteger);
  hyper->set_defaults_to_steps(meaning.defaultsToSteps);
  for (StringRef name : meaning.choices) {
    hyper->add_choices(name.str());
  }
  for (StringRef name : meaning.readBy) {
    hyper->add_read_by_schedules(name.str());
  }
}

static planpb::State::Kind toStateKind(StateKind kind) {
  switch (kind) {
  case StateKind::Hyperparameter:
    return planpb::State::KIND_HYPERPARAMETER;
  case StateKind::Counter:
    return planpb::State::KIND_COUNTER;
  case StateKind::Accumulator:
  case StateKind::AccumulatorMax:
    return planpb::State::KIND_ACCUMULATOR;
  case StateKind::Partial:
  case StateKind::PartialMax:
    return planpb::State::KIND_PARTIAL;
  case StateKind::Scale:
    return planpb::State::KIND_SCALE;
  case StateKind::Input:
  case StateKind::Output:
  case StateKind::Slot:
    break; // what the host gives and takes; what belongs to a segment
  }
  llvm_unreachable("a free-standing state");
}

void PlanState::addTensor(StateOp state, planpb::Tensor &tensor) {
  auto type = cast<RankedTensorType>(state.getType());
  tensor.set_name(
      state->getAttrOfType<StringAttr>("accel.name").getValue().str());
  tensor.set_dtype(toElementType(type.getElementType()));
  for (int64_t size : type.getShape()) {
    tensor.add_shape(size);
  }
  if (type.getNumElements() > 0) {
    tensor.set_buffer_plus_one(buffers.getStateIndex(state.getSymName()) + 1);
  }
  setValueRanges(state, tensor);
}

void PlanState::addTensors() {
  for (auto state : module.getOps<StateOp>()) {
    if (state.getKind() == StateKind::Input) {
      addTensor(state, *manifest.add_inputs());
    } else if (state.getKind() == StateKind::Output) {
      addTensor(state, *manifest.add_outputs());
    }
  }
}

void PlanState::addScalars() {
  for (auto op : module.getOps<StateOp>()) {
    if (op.getKind() == StateKind::Slot || op.getKind() == StateKind::Input ||
        op.getKind() == StateKind::Output) {
      continue;
    }
    uint32_t buffer = buffers.getStateIndex(op.getSymName());
    planpb::State *state = manifest.add_states();
    state->set_name(op.getSymName().str());
    state->set_buffer(buffer);
    state->set_kind(toStateKind(op.getKind()));
    if (op.getKind() == StateKind::Hyperparameter) {
      addHyperparameter(op, buffer, manifest);
    }
  }
}
