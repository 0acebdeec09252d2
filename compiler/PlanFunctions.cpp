// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of a plan and their instruction records.
#include "compiler/PlanFunctions.h"

#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "runtime/plan/container/instruction_stream.h"

using namespace mlir;
using namespace accel;

static planpb::Phase toPhase(plan::Phase phase) {
  switch (phase) {
  case plan::Phase::Init:
    return planpb::PHASE_INIT;
  case plan::Phase::Load:
    return planpb::PHASE_LOAD;
  case plan::Phase::Forward:
    return planpb::PHASE_FORWARD;
  case plan::Phase::Backward:
    return planpb::PHASE_BACKWARD;
  case plan::Phase::Reduce:
    return planpb::PHASE_REDUCE;
  case plan::Phase::Update:
    return planpb::PHASE_UPDATE;
  case plan::Phase::Report:
    return planpb::PHASE_REPORT;
  }
  llvm_unreachable("all phases are listed");
}

static planpb::FunctionRole toRole(FunctionRole role) {
  switch (role) {
  case FunctionRole::Initialize:
    return planpb::FUNCTION_INITIALIZE;
  case FunctionRole::Step:
    return planpb::FUNCTION_STEP;
  case FunctionRole::Evaluate:
    return planpb::FUNCTION_EVALUATE;
  case FunctionRole::Infer:
    return planpb::FUNCTION_INFER;
  case FunctionRole::Count:
    return planpb::FUNCTION_COUNT;
  }
  llvm_unreachable("all roles are listed");
}

/// For which ranks a function is, in the order of the axes of the mesh.
static void addCoordinates(func::FuncOp function, planpb::Function &message) {
  auto all = function->getAttrOfType<DictionaryAttr>(dist::kCoordinatesAttr);
  for (StringRef axis : dist::getMeshAxes()) {
    if (auto found = all ? all.getAs<IntegerAttr>(axis) : IntegerAttr()) {
      planpb::AxisCoordinate *coordinate = message.add_coordinates();
      coordinate->set_axis(toMeshAxis(axis));
      coordinate->set_coordinate(found.getInt());
    }
  }
}

static uint32_t countEvents(llvm::ArrayRef<planpb::Instruction> instructions) {
  uint32_t events = 0;
  for (const planpb::Instruction &instruction : instructions) {
    for (uint32_t event : instruction.signals()) {
      events = std::max(events, event + 1);
    }
  }
  return events;
}

FailureOr<std::string> PlanFunctions::add(func::FuncOp function,
                                          uint32_t section) {
  std::vector<planpb::Instruction> instructions;
  gradientsComplete = 0;
  StringRef name = function.getSymName();
  if (failed(addBlock(function.getBody().front(), name, instructions))) {
    return failure();
  }
  std::string records;
  for (const planpb::Instruction &instruction : instructions) {
    runtime::AppendInstruction(instruction, records);
  }
  planpb::Function *message = manifest.add_functions();
  message->set_name(name.str());
  message->set_role(toRole(*getRole(function)));
  addCoordinates(function, *message);
  message->set_section(section);
  message->set_instructions(instructions.size());
  message->set_events(countEvents(instructions));
  message->set_gradients_complete_plus_one(gradientsComplete);
  addArenas(function, *message);
  return records;
}

void PlanFunctions::addArenas(func::FuncOp function,
                              planpb::Function &message) const {
  for (auto [space, attribute] : plan::kArenaAttrs) {
    auto bytes = function->getAttrOfType<IntegerAttr>(attribute);
    if (bytes && bytes.getInt() > 0) {
      planpb::Arena *arena = message.add_arenas();
      arena->set_space(toSpace(space));
      arena->set_bytes(bytes.getInt());
      arena->set_alignment(alignment);
    }
  }
}

/// What MarkPhases and MarkLayers have said of `op`.
void PlanFunctions::setMarks(Operation *op, uint32_t id,
                             planpb::Instruction &instruction) {
  instruction.set_id(id);
  if (auto phase = op->getAttrOfType<plan::PhaseAttr>(plan::kPhaseAttr)) {
    instruction.set_phase(toPhase(phase.getValue()));
  }
  if (auto layer = op->getAttrOfType<IntegerAttr>(plan::kLayerAttr)) {
    instruction.set_layer_plus_one(layer.getInt() + 1);
  }
  if (op->hasAttr(plan::kGradientsCompleteAttr)) {
    gradientsComplete = id + 1;
  }
}

LogicalResult PlanFunctions::addBlock(Block &block, StringRef function,
                                      std::vector<planpb::Instruction> &list) {
  for (Operation &op : block) {
    if (auto repeat = dyn_cast<plan::RepeatOp>(op)) {
      size_t begin = list.size();
      planpb::Instruction &head = list.emplace_back();
      setMarks(repeat, begin, head);
      head.set_name("repeat");
      if (failed(addBlock(repeat.getBody().front(), function, list))) {
        return failure();
      }
      list[begin].mutable_repeat()->set_last(list.size() - 1);
    } else if (auto interface = dyn_cast<plan::InstructionOpInterface>(op)) {
      FailureOr<planpb::Instruction> made =
          instructions.make(interface, function);
      if (failed(made)) {
        return failure();
      }
      setMarks(&op, list.size(), *made);
      list.push_back(std::move(*made));
    }
  }
  return success();
}
