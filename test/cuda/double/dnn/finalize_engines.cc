// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Engines, their configurations, heuristics and plans.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "test/cuda/double/dnn/finalize.h"
#include "test/cuda/double/dnn/handles.h"
#include "test/cuda/double/dnn/plan_json.h"
#include "test/cuda/double/dnn/refusals.h"

namespace accel::cuda_double::dnn {
namespace {

using SharedProblem = std::shared_ptr<const Problem>;

constexpr int kMaxMultiprocessors = 1024;

Status CheckMultiprocessors(const Descriptor& descriptor, int name) {
  if (!descriptor.Has(name)) {
    return kSuccess;
  }
  const auto count = descriptor.Get<int32_t>(name);
  return count >= 0 && count <= kMaxMultiprocessors
             ? kSuccess
             : Bad("there are no so many multiprocessors");
}

SharedDescriptor MakeKnobInfo(const KnobRange& range) {
  auto info = std::make_shared<Descriptor>();
  info->kind = kKnobInfoDescriptor;
  info->is_finalized = true;
  info->values[kKnobInfoType] =
      Value::Of(kTypeKnobType, std::vector<int>{range.type});
  const auto set = [&](int name, int64_t value) {
    info->values[name] = Value::Of(kTypeInt64, std::vector<int64_t>{value});
  };
  set(kKnobInfoMinimum, range.minimum);
  set(kKnobInfoMaximum, range.maximum);
  set(kKnobInfoStride, range.stride);
  return info;
}

void SetEngineAttributes(Descriptor& descriptor, int64_t index) {
  descriptor.values[kEngineNumericalNote] =
      Value::Of(kTypeNumericalNote, NumericalNotes(index));
  descriptor.values[kEngineBehaviorNote] =
      Value::Of(kTypeBehaviorNote, BehaviorNotes(index));
  Value infos{kTypeBackendDescriptor, 0, {}, {}};
  for (const KnobRange& range : Knobs(index)) {
    infos.descriptors.push_back(MakeKnobInfo(range));
    ++infos.count;
  }
  descriptor.values[kEngineKnobInfo] = infos;
}

Status Choose(const KnobChoice& choice, EngineConfiguration* configuration) {
  for (const KnobRange& range : Knobs(configuration->index)) {
    if (choice.type != range.type) {
      continue;
    }
    if (choice.value < range.minimum || choice.value > range.maximum ||
        (choice.value - range.minimum) % range.stride != 0) {
      return Refuse(kNotSupported, "the knob has no such value");
    }
    configuration->pieces = choice.value;
    return kSuccess;
  }
  return Refuse(kNotSupported, "the engine has no such knob");
}

void SetConfigurationAttributes(Descriptor& descriptor,
                                const EngineConfiguration& configuration) {
  descriptor.meaning = configuration;
  descriptor.values[kCfgWorkspaceSize] = Value::Of(
      kTypeInt64, std::vector<int64_t>{WorkspaceBytes(configuration)});
}

// As documented: what the attribute says, then the environment, then the
// default.
Status FindRetention(const Descriptor& descriptor, int* retention) {
  const char* variable = std::getenv("CUDNN_CUDA_GRAPH_RETENTION");
  if (descriptor.Has(kPlanGraphRetention)) {
    *retention = descriptor.Get<int>(kPlanGraphRetention);
  } else if (variable != nullptr && std::strcmp(variable, "none") == 0) {
    *retention = kRetentionNone;
  }
  return *retention == kRetentionPerGraph || *retention == kRetentionNone
             ? kSuccess
             : Bad("there is no such retention of graphs");
}

Status FindConfiguration(const Descriptor& descriptor,
                         EngineConfiguration* configuration) {
  const bool is_read = descriptor.Has(kPlanJson);
  if (is_read == descriptor.Has(kPlanEngineConfig)) {
    return Bad("a plan is made of an engine configuration or of JSON");
  }
  if (!is_read) {
    *configuration =
        descriptor.Referred<EngineConfiguration>(kPlanEngineConfig);
    return kSuccess;
  }
  const Value& json = descriptor.values.at(kPlanJson);
  const std::string text(reinterpret_cast<const char*>(json.bytes.data()),
                         json.bytes.size());
  return ReadPlan(text.substr(0, text.find('\0')), configuration);
}

// The device may be another than the one whose heuristic was asked.
Status CheckPlanOf(const EngineConfiguration& configuration) {
  const char* reason = "";
  Status status =
      CheckEngine(*configuration.problem, configuration.index, &reason);
  if (status == kSuccess) {
    status = CheckPlan(configuration, &reason);
  }
  return status == kSuccess ? kSuccess : Refuse(status, reason);
}

}  // namespace

Status FinalizeEngine(Descriptor& descriptor) {
  const auto& problem =
      descriptor.Referred<SharedProblem>(kEngineOperationGraph);
  const auto index = descriptor.Get<int64_t>(kEngineGlobalIndex);
  if (index < 0 || index >= EngineCount()) {
    return Refuse(kNotSupported, "there is no engine of that global index");
  }
  if (Status status = CheckMultiprocessors(descriptor, kEngineSmCountTarget);
      status != kSuccess) {
    return status;
  }
  const char* reason = "";
  if (Status status = CheckEngine(*problem, index, &reason);
      status != kSuccess) {
    return Refuse(status, reason);
  }
  descriptor.meaning = EngineDescription{problem, index};
  SetEngineAttributes(descriptor, index);
  return kSuccess;
}

Status FinalizeEngineCfg(Descriptor& descriptor) {
  const auto& engine = descriptor.Referred<EngineDescription>(kCfgEngine);
  EngineConfiguration configuration =
      DefaultConfiguration(engine.problem, engine.index);
  if (descriptor.Has(kCfgKnobChoices)) {
    for (const SharedDescriptor& choice :
         descriptor.values.at(kCfgKnobChoices).descriptors) {
      if (Status status =
              Choose(std::get<KnobChoice>(choice->meaning), &configuration);
          status != kSuccess) {
        return status;
      }
    }
  }
  SetConfigurationAttributes(descriptor, configuration);
  return kSuccess;
}

SharedDescriptor MakeConfiguration(const SharedDescriptor& graph,
                                   const EngineConfiguration& configuration) {
  auto engine = std::make_shared<Descriptor>();
  engine->kind = kEngineDescriptor;
  engine->is_finalized = true;
  engine->meaning =
      EngineDescription{configuration.problem, configuration.index};
  engine->values[kEngineOperationGraph] =
      Value{kTypeBackendDescriptor, 1, {}, {graph}};
  engine->values[kEngineGlobalIndex] =
      Value::Of(kTypeInt64, std::vector<int64_t>{configuration.index});
  SetEngineAttributes(*engine, configuration.index);
  auto made = std::make_shared<Descriptor>();
  made->kind = kEngineCfgDescriptor;
  made->is_finalized = true;
  made->values[kCfgEngine] = Value{kTypeBackendDescriptor, 1, {}, {engine}};
  SetConfigurationAttributes(*made, configuration);
  return made;
}

Status FinalizeEngineHeur(Descriptor& descriptor) {
  if (Status status = CheckMultiprocessors(descriptor, kHeurSmCountTarget);
      status != kSuccess) {
    return status;
  }
  if (CurrentCapability() == 0) {
    return Refuse(kNotInitialized, "there is no current context");
  }
  const SharedDescriptor& graph =
      descriptor.values.at(kHeurOperationGraph).descriptors[0];
  const auto& problem = std::get<SharedProblem>(graph->meaning);
  Value results{kTypeBackendDescriptor, 0, {}, {}};
  for (int64_t index : RankEngines(*problem, descriptor.Get<int>(kHeurMode))) {
    results.descriptors.push_back(
        MakeConfiguration(graph, DefaultConfiguration(problem, index)));
    ++results.count;
  }
  descriptor.values[kHeurResults] = results;
  return kSuccess;
}

Status FinalizePlan(Descriptor& descriptor) {
  const auto context = FindHandle(descriptor.Get<Handle>(kPlanHandle));
  if (!context) {
    return Bad("EXECUTION_PLAN_HANDLE is no handle");
  }
  PlanDescription plan;
  plan.gpu = context->gpu;
  Status status = FindRetention(descriptor, &plan.retention);
  if (status == kSuccess) {
    status = FindConfiguration(descriptor, &plan.configuration);
  }
  if (status == kSuccess) {
    status = CheckPlanOf(plan.configuration);
  }
  if (status != kSuccess) {
    return status;
  }
  descriptor.values[kPlanWorkspaceSize] = Value::Of(
      kTypeInt64, std::vector<int64_t>{WorkspaceBytes(plan.configuration)});
  const std::string json = WritePlan(plan.configuration);
  descriptor.values[kPlanJson] = Value::Of(
      kTypeChar,
      std::vector<char>(json.c_str(), json.c_str() + json.size() + 1));
  descriptor.values[kPlanGraphRetention] =
      Value::Of(kTypeGraphRetention, std::vector<int>{plan.retention});
  descriptor.meaning = plan;
  // A finalized plan needs its configuration no more.
  descriptor.values.erase(kPlanEngineConfig);
  return kSuccess;
}

}  // namespace accel::cuda_double::dnn
