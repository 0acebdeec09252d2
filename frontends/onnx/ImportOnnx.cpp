// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The importer's table of contents: read, check, recover parameters, take
// weights out, expand functions, convert, finish.
#include "frontends/onnx/ImportOnnx.h"

#include "dialects/Accel/Interpreter/InputRanges.h"
#include "frontends/onnx/Annotation/InitPolicy.h"
#include "frontends/onnx/Annotation/InputRoles.h"
#include "frontends/onnx/Annotation/PaddingRows.h"
#include "frontends/onnx/Checks/ModelCheck.h"
#include "frontends/onnx/Checks/SupportCheck.h"
#include "frontends/onnx/Conversion/GraphConversion.h"
#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Export/MakeExportTemplate.h"
#include "frontends/onnx/Model/FunctionExpansion.h"
#include "frontends/onnx/Model/InputBinding.h"
#include "frontends/onnx/Model/Metadata.h"
#include "frontends/onnx/Model/ModelFile.h"
#include "frontends/onnx/Model/OperatorUpgrade.h"
#include "frontends/onnx/Weights/DeclareParameters.h"
#include "frontends/onnx/Weights/ExternalData.h"
#include "frontends/onnx/Weights/RebuiltWeights.h"
#include "frontends/onnx/Weights/RecurrentWeights.h"
#include "frontends/onnx/Weights/SavedCheck.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// The first version whose gradients ours were not compared with.
const llvm::VersionTuple kUnknownPytorch(2, 15);

class Importer {
public:
  Importer(StringRef path, const ImportOptions &options, MLIRContext &context)
      : path(path), options(options), context(context), builder(&context) {
    context.loadDialect<AccelDialect, func::FuncDialect>();
  }

  FailureOr<ImportedModel> run() {
    FailureOr<std::unique_ptr<pb::ModelProto>> file =
        readModelFile(path, context);
    if (failed(file)) {
      return failure();
    }
    model = std::move(*file);
    if (failed(checkModel(*model, path, context)) || failed(prepare()) ||
        failed(convert()) || hasErrors || failed(verify(*result.module))) {
      return failure();
    }
    if (failed(checkBatchNormPolicy())) {
      return failure();
    }
    tellAboutTraining();
    result.weights = std::move(weights.table);
    return std::move(result);
  }

private:
  /// Takes note of an error; whether the import ends with it.
  bool stops() {
    hasErrors = true;
    return !options.keepsGoing;
  }

  LogicalResult prepare();
  LogicalResult makeTemplate();
  LogicalResult checkAbsentWeights();
  LogicalResult refuseAbsentWeights();
  LogicalResult keepStatistics();
  LogicalResult convert();
  void begin(ConversionState &conversion, int64_t batch) const;
  void convertOtherBatches(const BoundInputs &inputs);
  LogicalResult convertOtherBatch(StringRef symbol, int64_t batch);
  void declareModule(int64_t batch);
  void finishParameters();
  void recordDropoutSites();
  LogicalResult checkBatchNormPolicy();
  void tellAboutTraining();

  StringRef path;
  const ImportOptions &options;
  MLIRContext &context;
  Builder builder;
  std::unique_ptr<pb::ModelProto> model;
  Recovery recovery;
  ModelWeights weights;
  ConversionState state;
  ImportedModel result;
  bool hasErrors = false;
};

/// Everything that works on the protobuf. The export template is made before
/// functions are expanded.
LogicalResult Importer::prepare() {
  pb::GraphProto &graph = *model->mutable_graph();
  result.dataFiles =
      listExternalFiles(*model, llvm::sys::path::parent_path(path));
  if (failed(bindInputs(graph, options.bound, path, context)) && stops()) {
    return failure();
  }
  // Of a model that answers, weights stay as they lie.
  if (!options.infers &&
      failed(separateRecurrentWeights(graph, path, context, result.notes))) {
    return failure();
  }
  if (options.saved && failed(rebuildFoldedWeights(graph, path, options,
                                                   context, result.notes))) {
    return failure();
  }
  recovery = recoverParameters(graph, path, options, context, result.notes);
  if (!recovery.isComplete && stops()) {
    return failure();
  }
  FailureOr<ModelWeights> collected =
      collectWeights(graph, recovery, path, context);
  if (failed(collected)) {
    return failure();
  }
  weights = std::move(*collected);
  if (options.saved &&
      failed(
          checkSaved(weights, *options.saved, path, context, result.notes)) &&
      stops()) {
    return failure();
  }
  if (failed(checkAbsentWeights()) && stops()) {
    return failure();
  }
  if (failed(makeTemplate()) || failed(upgradeOperators(*model, context)) ||
      failed(expandFunctions(*model, path, context))) {
    return failure();
  }
  UnsupportedNodes unsupported = findUnsupported(*model, options);
  for (const UnsupportedNode &each : unsupported) {
    state.unsupported.insert(each.node);
  }
  if (!unsupported.empty()) {
    reportUnsupported(unsupported, path, /*oneByOne=*/options.keepsGoing,
                      context);
    return success(!stops());
  }
  return success();
}

/// What trained weights are written into; inference makes none.
LogicalResult Importer::makeTemplate() {
  if (options.infers) {
    return success();
  }
  FailureOr<ExportTemplate> exported =
      makeExportTemplate(*model, recovery, [&](const pb::TensorProto &tensor) {
        return readConstant(tensor, path, context);
      });
  if (failed(exported)) {
    return failure();
  }
  result.exportTemplate = std::move(*exported);
  return success();
}

LogicalResult Importer::checkAbsentWeights() {
  if (options.init) {
    if (!weights.table.empty()) {
      addRemark(result.notes, "the model's own weights are not used: --init "
                              "gives all initial values");
    }
    return success();
  }
  return weights.absent.empty() ? success() : refuseAbsentWeights();
}

LogicalResult Importer::refuseAbsentWeights() {
  return emitCodedError(UnknownLoc::get(&context), codes::AbsentWeights)
         << path << ": expected the weights in '" << weights.absentFile
         << "' beside the model, got no such file ("
         << tellCount(weights.absent.size(), "parameter", "parameters") << ", '"
         << weights.absent.front()
         << "' among them); copy it there, or train from scratch with "
            "--init=gpt2 or --init=normal:STD";
}

LogicalResult Importer::convert() {
  auto dataInputs = getDataInputs(model->graph());
  FailureOr<BoundInputs> inputs =
      bindDimensions(dataInputs, options, path, context);
  if (failed(inputs) && !stops()) {
    inputs = bindDimensions(dataInputs, assumeSizes(dataInputs), path, context);
  }
  if (failed(inputs)) {
    return failure();
  }
  begin(state, inputs->batch);
  declareModule(inputs->batch);
  declareParameters(*result.module, weights.parameters);
  GraphSource source{model->graph(), recovery, weights, path};
  if (failed(convertGraph(source, *inputs, state, *result.module))) {
    return failure();
  }
  finishParameters();
  if (failed(keepStatistics()) && stops()) {
    return failure();
  }
  if (failed(assignPaddingRows(state.function, options.paddingRows,
                               result.notes)) &&
      stops()) {
    return failure();
  }
  annotateInputRanges(state.function);
  markFilledInputs(state.function);
  recordDropoutSites();
  if (!hasErrors) {
    convertOtherBatches(*inputs);
  }
  return success();
}

/// What conversion knows beforehand.
void Importer::begin(ConversionState &conversion, int64_t batch) const {
  conversion.opset = defaultOpset(*model);
  conversion.batch = batch;
  conversion.dropout = options.dropout;
  conversion.batchNorm = options.batchNorm;
  conversion.infers = options.infers;
  conversion.pytorch = getPytorchVersion(*model);
}

/// Two multiples of the batch, so that what divides it divides these, too: not
/// as few as numbers of a text often are, nor as many as an input has elements
/// along another dimension.
static SmallVector<int64_t> chooseOtherBatches(const BoundInputs &inputs) {
  llvm::SmallSet<int64_t, 8> sizes;
  for (RankedTensorType type : inputs.types) {
    sizes.insert_range(type.getShape());
  }
  constexpr int64_t kFew = 4;
  SmallVector<int64_t> batches;
  for (int64_t factor = inputs.batch < kFew ? 7 : 3; batches.size() < 2;
       factor += 2) {
    if (!sizes.contains(factor * inputs.batch)) {
      batches.push_back(factor * inputs.batch);
    }
  }
  return batches;
}

void Importer::convertOtherBatches(const BoundInputs &inputs) {
  bool hasNumber = llvm::any_of(state.function.getResultTypes(), [](Type type) {
    return cast<ShapedType>(type).getRank() == 0;
  });
  if (options.infers || inputs.batchSymbol.empty() || !hasNumber) {
    return;
  }
  for (int64_t batch : chooseOtherBatches(inputs)) {
    if (failed(convertOtherBatch(inputs.batchSymbol, batch))) {
      addRemark(result.notes,
                "the model does not convert with another batch, of " +
                    std::to_string(batch) +
                    " samples, which would tell what its loss counts or mixes");
      result.otherBatches.clear();
      return;
    }
  }
}

LogicalResult Importer::convertOtherBatch(StringRef symbol, int64_t batch) {
  ImportOptions others = options;
  others.dimensions.erase("batch");
  others.dimensions[symbol.str()] = batch;
  ConversionState converted;
  begin(converted, batch);
  OwningOpRef<ModuleOp> module = ModuleOp::create(result.module->getLoc());
  (*module)->setAttrs((*result.module)->getAttrs());
  (*module)->setAttr("accel.batch", builder.getI64IntegerAttr(batch));
  OpBuilder inserter = OpBuilder::atBlockEnd(module->getBody());
  for (auto parameter : result.module->getOps<ParameterOp>()) {
    inserter.clone(*parameter);
  }
  // That it can't be had is no fault of the model as it is used.
  ScopedDiagnosticHandler silence(&context,
                                  [](Diagnostic &) { return success(); });
  auto dataInputs = getDataInputs(model->graph());
  FailureOr<BoundInputs> bound =
      bindDimensions(dataInputs, others, path, context);
  GraphSource source{model->graph(), recovery, weights, path};
  if (failed(bound) ||
      failed(convertGraph(source, *bound, converted, *module))) {
    return failure();
  }
  result.otherBatches.push_back(std::move(module));
  return success();
}

void Importer::declareModule(int64_t batch) {
  std::string name = getModelName(path).str();
  result.module =
      ModuleOp::create(NameLoc::get(builder.getStringAttr(name)), name);
  NamedAttrList description;
  description.set("name", builder.getStringAttr(name));
  description.set("opset", builder.getI64IntegerAttr(defaultOpset(*model)));
  description.set("producer",
                  builder.getStringAttr(StringRef(model->producer_name() + " " +
                                                  model->producer_version())
                                            .trim()));
  (*result.module)->setAttr("accel.model", description.getDictionary(&context));
  if (!options.infers) {
    (*result.module)->setAttr("accel.batch", builder.getI64IntegerAttr(batch));
  }
}

/// A parameter that nothing reads has no gradient and must not decay either; it
/// stays for the export.
void Importer::finishParameters() {
  llvm::StringSet<> read;
  state.function.walk([&](ReadOp op) { read.insert(op.getSymbol()); });
  std::vector<std::string> unread;
  for (auto parameter : result.module->getOps<ParameterOp>()) {
    if (state.runningStatistics.contains(parameter.getSymName())) {
      parameter.setTrainable(false);
      parameter.setStatistic(true);
    } else if (state.keptStatistics.contains(parameter.getSymName())) {
      parameter.setTrainable(false);
    } else if (!read.contains(parameter.getSymName())) {
      parameter.setTrainable(false);
      unread.push_back(parameter.getSymName().str());
    }
  }
  if (!options.infers) {
    addCountedRemark(result.notes,
                     "parameter that the model does not use is not trained",
                     "parameters that the model does not use are not trained",
                     std::move(unread));
  }
  if (options.init) {
    applyInitPolicy(*result.module, state.function, *options.init,
                    state.keptStatistics);
  }
}

/// Of the file's weights `--init` leaves the statistics that no batch norm
/// moves, which it has no values for.
LogicalResult Importer::keepStatistics() {
  if (!options.init) {
    return success();
  }
  WeightTable kept;
  for (const std::string &key : weights.table.getKeys()) {
    if (state.keptStatistics.contains(key)) {
      kept.insert(key, *weights.table.find(key));
    }
  }
  weights.table = std::move(kept);
  bool isAbsent = llvm::any_of(weights.absent, [&](const std::string &name) {
    return state.keptStatistics.contains(name);
  });
  return isAbsent ? refuseAbsentWeights() : success();
}

void Importer::recordDropoutSites() {
  SmallVector<Attribute> sites;
  for (const DropoutSite &site : state.dropoutSites) {
    NamedAttrList entry;
    entry.set("site", builder.getI64IntegerAttr(site.number));
    entry.set("name", builder.getStringAttr(site.name));
    entry.set("scope", builder.getStringAttr(site.scope));
    entry.set("probability", builder.getF64FloatAttr(site.probability));
    entry.set("attention", builder.getBoolAttr(site.attention));
    sites.push_back(entry.getDictionary(&context));
  }
  if (!sites.empty()) {
    (*result.module)
        ->setAttr("accel.dropout_sites", builder.getArrayAttr(sites));
  }
}

/// `--batch-norm` has to change something.
LogicalResult Importer::checkBatchNormPolicy() {
  bool isFrozen = options.batchNorm == BatchNormPolicy::Frozen;
  bool isIdle = isFrozen ? state.idleBatchNorms.empty()
                         : options.batchNorm == BatchNormPolicy::Synchronized &&
                               state.runningStatistics.empty();
  if (options.infers || !isIdle) {
    return success();
  }
  InFlightDiagnostic error = emitError(UnknownLoc::get(&context));
  error << path << ": --batch-norm=" << (isFrozen ? "frozen" : "sync");
  if (state.idleBatchNorms.empty()) {
    return error << ": expected a model with batch norms, got one without; "
                    "leave the option out";
  }
  return error << ": expected batch norms that train, got a model in eval "
                  "mode; export it after model.train(), or leave the option "
                  "out";
}

void Importer::tellAboutTraining() {
  if (options.infers) {
    return;
  }
  if (state.pytorch && *state.pytorch >= kUnknownPytorch) {
    addRemark(result.notes,
              "PyTorch " + state.pytorch->getAsString() +
                  " wrote the file, and what accelc trains is compared with "
                  "versions below " +
                  kUnknownPytorch.getAsString() +
                  "; where several gradients are right, as at the bounds of "
                  "clamp, versions differ");
  }
  if (!state.dropoutSites.empty()) {
    std::vector<std::string> names;
    for (const DropoutSite &site : state.dropoutSites) {
      names.push_back(site.scope.empty() ? site.name : site.scope);
    }
    addCountedRemark(result.notes, "dropout site", "dropout sites",
                     std::move(names));
  } else if (options.dropout.kind == DropoutPolicy::Kind::Probability) {
    addWarning(result.notes, codes::DropoutWithoutEffect,
               "--dropout has no effect, the file has no dropout; export the "
               "model after model.train()");
  }
  if (!state.idleBatchNorms.empty() &&
      options.batchNorm != BatchNormPolicy::Frozen) {
    addWarning(result.notes, codes::IdleBatchNorm,
               "batch norms of a model in eval mode normalise with their "
               "running statistics, which stay as they are; to train with "
               "those of microbatches, export the model after model.train()",
               state.idleBatchNorms);
  }
  if (state.labelSmoothing > 0.0) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "label smoothing " << llvm::format("%g", state.labelSmoothing)
        << " of the loss, which the exporter dropped, is part of it again";
    addRemark(result.notes, std::move(text));
  }
  addCountedRemark(result.notes,
                   "boolean mask that the exporter adds to attention's scores "
                   "selects columns again, as in PyTorch",
                   "boolean masks that the exporter adds to attention's scores "
                   "select columns again, as in PyTorch",
                   state.addedSelections);
  addCountedRemark(result.notes,
                   "operator draws random numbers anew in every step; an "
                   "evaluation takes their mean",
                   "operators draw random numbers anew in every step; an "
                   "evaluation takes their mean",
                   state.randomDraws);
  if (!state.idleDropouts.empty()) {
    addWarning(result.notes, codes::IdleDropout,
               "Dropout nodes that are not in training mode do nothing; to "
               "train with them, export the model after model.train(), with "
               "opset_version=12 or later",
               state.idleDropouts);
  }
}

} // namespace

FailureOr<ImportedModel>
importOnnx(StringRef path, const ImportOptions &options, MLIRContext &context) {
  return Importer(path, options, context).run();
}

} // namespace accel::onnx
