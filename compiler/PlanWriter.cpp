// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the sections of a plan and its manifest: the one place where MLIR's
// errors and absl's meet.
#include "compiler/PlanWriter.h"

#include "compiler/DecidedPlan.h"
#include "compiler/PlanManifest.h"
#include "dialects/Accel/IR/FunctionRoles.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace accel;

namespace {

/// Writes one plan; keeps the first failure.
class Writer {
public:
  Writer(ModuleOp module, const LoweredCode &code,
         const onnx::ImportedModel &model, const PlanWriterOptions &options,
         PlanFile &file)
      : module(module), code(code), model(model),
        manifest(module, code, model, options), file(file) {}

  LogicalResult write();

private:
  LogicalResult check(const absl::Status &status) {
    return status.ok() ? success()
                       : module.emitError(std::string(status.message()));
  }
  LogicalResult add(StringRef name, planpb::SectionKind kind, StringRef bytes,
                    uint32_t &index);
  LogicalResult addCode();
  LogicalResult addWeights();
  LogicalResult addFunctions();
  LogicalResult addExport();
  LogicalResult addText();

  ModuleOp module;
  const LoweredCode &code;
  const onnx::ImportedModel &model;
  PlanManifest manifest;
  PlanFile &file;
  uint32_t sections = 0;
};

LogicalResult Writer::add(StringRef name, planpb::SectionKind kind,
                          StringRef bytes, uint32_t &index) {
  absl::StatusOr<uint32_t> added = file.getContainer().AddSection(
      {name.data(), name.size()}, kind, {bytes.data(), bytes.size()});
  if (!added.ok()) {
    return check(added.status());
  }
  index = *added;
  sections = index + 1;
  return success();
}

LogicalResult Writer::addCode() {
  for (auto [i, variant] : llvm::enumerate(code.variants)) {
    uint32_t section = 0;
    StringRef bytes(variant.image.code.data(), variant.image.code.size());
    if (failed(add("code." + variant.variant.name, planpb::SECTION_CODE, bytes,
                   section))) {
      return failure();
    }
    manifest.get().mutable_variants(i)->set_section(section);
  }
  return success();
}

/// What is copied is there already, as the first section.
LogicalResult Writer::addWeights() {
  if (failed(check(file.waitForWeights()))) {
    return failure();
  }
  std::optional<uint32_t> section = file.getWeightSection();
  if (section) {
    sections = *section + 1;
  }
  for (const auto &[key, source] : file.getSources()) {
    manifest.setWeightSource(key, source);
  }
  for (const planpb::ExternalFile &external : file.getExternalFiles()) {
    *manifest.get().add_external_files() = external;
  }
  return success();
}

LogicalResult Writer::addFunctions() {
  for (func::FuncOp function : getProgram(module)) {
    FailureOr<std::string> records = manifest.addFunction(function, sections);
    uint32_t index = 0;
    if (failed(records) ||
        failed(add(("instructions." + function.getSymName()).str(),
                   planpb::SECTION_INSTRUCTIONS, *records, index))) {
      return failure();
    }
  }
  uint32_t index = 0;
  std::string constants = manifest.takeConstants(sections);
  return constants.empty()
             ? success()
             : add("constants", planpb::SECTION_CONSTANTS, constants, index);
}

LogicalResult Writer::addExport() {
  if (model.exportTemplate.tensors.empty()) {
    return success();
  }
  planpb::Export *message = manifest.get().mutable_export_();
  uint32_t modelSection = 0;
  uint32_t graphSection = 0;
  if (failed(add("export.model", planpb::SECTION_EXPORT,
                 model.exportTemplate.model, modelSection)) ||
      failed(add("export.graph", planpb::SECTION_EXPORT,
                 model.exportTemplate.graph, graphSection))) {
    return failure();
  }
  message->set_model_section_plus_one(modelSection + 1);
  message->set_graph_section_plus_one(graphSection + 1);
  llvm::StringMap<std::pair<uint32_t, RankedTensorType>> parameters;
  for (auto [i, parameter] : llvm::enumerate(module.getOps<ParameterOp>())) {
    parameters[parameter.getSymName()] = {
        i, cast<RankedTensorType>(parameter.getType())};
  }
  for (const onnx::ExportTensor &tensor : model.exportTemplate.tensors) {
    auto parameter = parameters.find(tensor.parameter);
    if (parameter == parameters.end()) {
      return module.emitError("the export template names parameter '")
             << tensor.parameter << "', which the module lacks";
    }
    planpb::ExportTensor *out = message->add_tensors();
    out->set_header(tensor.header);
    out->set_parameter(parameter->second.first);
    if (tensor.transposed) {
      out->set_rows(parameter->second.second.getDimSize(0));
      out->set_columns(parameter->second.second.getDimSize(1));
    }
  }
  return success();
}

LogicalResult Writer::addText() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(16).elideLargeResourceString();
  module->print(stream, flags);
  uint32_t index = 0;
  return add("text", planpb::SECTION_TEXT, text, index);
}

LogicalResult Writer::write() {
  if (failed(verifyDecided(module)) || failed(addWeights()) ||
      failed(addCode()) || failed(addFunctions()) || failed(addExport()) ||
      failed(addText())) {
    return failure();
  }
  return check(file.finish(manifest.finish()));
}

} // namespace

LogicalResult accel::writePlan(ModuleOp module, const LoweredCode &code,
                               const onnx::ImportedModel &model,
                               const PlanWriterOptions &options,
                               PlanFile &file) {
  return Writer(module, code, model, options, file).write();
}
