// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan says of the model, of how it is trained and of its origin.
#include "compiler/PlanFacts.h"

#include "compiler/PlanBuffers.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/Schedule.h"
#include "dialects/Accel/IR/StepNames.h"
#include "passes/Precision/PrecisionSites.h"

using namespace mlir;
using namespace accel;

/// Requires: verifyDecided has found it.
static int64_t integerAttr(Operation *op, StringRef name) {
  return op->getAttrOfType<IntegerAttr>(name).getInt();
}

/// The value at step 0 of a state, if the module has it.
static std::optional<double> initialOf(ModuleOp module, StringRef name) {
  auto state = module.lookupSymbol<StateOp>(name);
  return state && state.getInitial()
             ? std::optional(state.getInitial()->convertToDouble())
             : std::nullopt;
}

static std::string textOf(DictionaryAttr dictionary, StringRef key) {
  auto attr = dictionary ? dictionary.getAs<StringAttr>(key) : StringAttr();
  return attr ? attr.getValue().str() : std::string();
}

void accel::addModel(ModuleOp module, planpb::Manifest &manifest) {
  planpb::Model &message = *manifest.mutable_model();
  auto facts = module->getAttrOfType<DictionaryAttr>("accel.model");
  std::string name = textOf(facts, "name");
  message.set_name(name.empty() ? module.getSymName().value_or("model").str()
                                : name);
  uint64_t all = 0;
  uint64_t trainable = 0;
  for (auto parameter : module.getOps<ParameterOp>()) {
    if (parameter.getStatistic()) {
      continue;
    }
    int64_t elements =
        cast<RankedTensorType>(parameter.getType()).getNumElements();
    all += elements;
    trainable += parameter.getTrainable() ? elements : 0;
  }
  message.set_parameter_count(all);
  message.set_trainable_parameter_count(trainable);
  message.set_layers(
      llvm::count_if(module.getOps<BucketOp>(), [](BucketOp bucket) {
        return bucket.getLayer().has_value();
      }));
}

static void addObjective(ModuleOp module, int64_t microbatch, int64_t exponent,
                         planpb::Manifest &manifest) {
  auto objective = module->getAttrOfType<DictionaryAttr>("accel.objective");
  planpb::Objective &message = *manifest.mutable_objective();
  message.set_kind(textOf(objective, "kind"));
  message.set_output(textOf(objective, "output"));
  message.set_targets_per_sample(
      std::max<uint64_t>(1, (uint64_t(1) << std::max<int64_t>(0, exponent)) /
                                std::max<int64_t>(1, microbatch)));
  manifest.set_forbids_padding(objective &&
                               objective.contains("whole_microbatches"));
  if (auto least = module->getAttrOfType<IntegerAttr>(kLeastSamplesAttr)) {
    message.set_least_samples(least.getInt());
  }
  message.set_synchronized_statistics(
      module->hasAttr(kSynchronizedStatisticsAttr));
}

/// Who answers takes no samples of data; a step of one reads none.
static void addAnswering(planpb::Manifest &manifest) {
  manifest.set_microbatch(1);
  manifest.set_default_global_batch(1);
  manifest.set_precision(planpb::ELEMENT_F32);
}

void accel::addTraining(ModuleOp module, planpb::Manifest &manifest) {
  if (findFunction(module, FunctionRole::Infer)) {
    return addAnswering(manifest);
  }
  int64_t microbatch = integerAttr(module, "accel.batch");
  int64_t exponent = integerAttr(module, "accel.gradient_exponent");
  manifest.set_microbatch(microbatch);
  manifest.set_default_global_batch(integerAttr(module, "accel.global_batch"));
  manifest.set_gradient_exponent(exponent);
  auto precision = module->getAttrOfType<TypeAttr>(kPrecisionAttr);
  manifest.set_precision(precision ? toElementType(precision.getValue())
                                   : planpb::ELEMENT_F32);
  if (auto fp8 = module->getAttrOfType<DictionaryAttr>(kFp8Attr)) {
    auto typeOf = [&](StringRef name) {
      return toElementType(fp8.getAs<TypeAttr>(name).getValue());
    };
    planpb::Fp8 *message = manifest.mutable_fp8();
    message->set_recipe(fp8.getAs<StringAttr>("recipe").getValue().str());
    message->set_forward(typeOf("forward"));
    message->set_gradient(typeOf("gradient"));
    message->set_emulated(fp8.contains("emulated"));
  }
  addObjective(module, microbatch, exponent, manifest);
  if (auto optimizer = module->getAttrOfType<StringAttr>(kOptimizerAttr)) {
    manifest.mutable_optimizer()->set_kind(optimizer.getValue().str());
  }
  manifest.mutable_optimizer()->set_clips(
      initialOf(module, "clip_norm").value_or(0) > 0);
  if (std::optional<double> schedule = initialOf(module, "schedule")) {
    manifest.mutable_schedule()->set_kind(
        getScheduleNames()[static_cast<size_t>(*schedule)].str());
  }
}

void accel::addDropoutSites(ModuleOp module, planpb::Manifest &manifest) {
  auto sites = module->getAttrOfType<ArrayAttr>("accel.dropout_sites");
  if (!sites) {
    return;
  }
  for (auto site : sites.getAsRange<DictionaryAttr>()) {
    planpb::DropoutSite *message = manifest.add_dropout_sites();
    message->set_site(site.getAs<IntegerAttr>("site").getInt());
    message->set_probability(
        site.getAs<FloatAttr>("probability").getValueAsDouble());
    message->set_name(textOf(site, "name"));
    message->set_scope(textOf(site, "scope"));
    message->set_attention(site.getAs<BoolAttr>("attention").getValue());
  }
}

void accel::addOrigin(const PlanWriterOptions &options,
                      const onnx::ImportNotes &notes,
                      planpb::Manifest &manifest) {
  manifest.set_producer("accelc " ACCEL_VERSION);
  for (const auto &[key, value] : options.options) {
    planpb::Option *option = manifest.add_options();
    option->set_name(key);
    option->set_value(value);
  }
  for (const onnx::ImportNote &note : notes) {
    manifest.add_notes(onnx::toString(note));
  }
}
