// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The catalogue. A code travels with an error as its metadata.
#include "dialects/Diagnostics/ErrorCodes.h"

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel {

static constexpr ErrorInfo kCatalogue[] = {
    {ErrorCode::ModelFile, "ACCEL-E0101", "the model file cannot be read",
     "The file is not there, is no ONNX model, is damaged, or has an IR "
     "version "
     "or an operator set outside of what is read.",
     "Check the path; export the model again with torch.onnx.export."},
    {ErrorCode::WeightFile, "ACCEL-E0102", "a file of weights cannot be read",
     "Weights in external data must be in a regular file inside the model's "
     "folder, reached without '..' and symbolic links, and long enough.",
     "Keep the .data file beside the .onnx file; do not rename either."},
    {ErrorCode::UnknownOperator, "ACCEL-E0201", "an operator is not known",
     "The importer has no counterpart of the operator, or none that can be "
     "differentiated. accelc --list-ops prints those that it knows.",
     "Write these lines of the model with known operators, or export with "
     "another opset_version, where the exporter may use others."},
    {ErrorCode::OperatorSet, "ACCEL-E0202",
     "an operator is not known at this operator set",
     "An operator means different things in different operator sets, and older "
     "sets lack some of them.",
     "Export with a newer opset_version; accelc --list-ops says which."},
    {ErrorCode::UnknownAttribute, "ACCEL-E0203",
     "an attribute of an operator is not known",
     "The node sets an attribute, or a value of one, that changes what it "
     "computes in a way that the importer does not know. Leaving it out would "
     "train another model.",
     "Write these lines of the model without it."},
    {ErrorCode::InputCount, "ACCEL-E0204",
     "an operator has too many or too few inputs",
     "The node has inputs that the operator set does not define, or lacks "
     "required ones.",
     "Run onnx.checker.check_model on the file; export it again."},
    {ErrorCode::OtherDomain, "ACCEL-E0205", "an operator is of another domain",
     "Only the default domain of ONNX has a meaning that every tool agrees on; "
     "contrib operators (com.microsoft) come from inference optimizers.",
     "Train the file as the exporter wrote it, before it is optimized for "
     "inference; functions with a body are expanded."},
    {ErrorCode::BatchNorm, "ACCEL-E0206", "batch norm is not trained",
     "Batch norm takes its statistics over the samples of a microbatch and "
     "keeps running means of them; a plan has neither. The exporter may merge "
     "it with the layer before it, in training mode too, so that a Linear is "
     "left that nothing normalizes; optimize=False only shows it.",
     "Normalize each sample by itself in the model (torch.nn.LayerNorm, "
     "torch.nn.RMSNorm), and export again."},
    {ErrorCode::InvalidNode, "ACCEL-E0301", "a node cannot be converted",
     "Shapes, types or attributes of the node contradict each other or the "
     "operator's definition. With fixed shapes a size of the exporting machine "
     "may be baked into the graph.",
     "Look at the line of Python; export with symbolic dimensions."},
    {ErrorCode::ComputedShape, "ACCEL-E0302",
     "a shape or an index depends on the data",
     "Every shape is known when a plan is compiled: its memory is laid out and "
     "its ranks agree on it. A shape that is computed from the values of an "
     "input has no size then.",
     "Compute it from shapes, or pad to a fixed size and mask."},
    {ErrorCode::GraphStructure, "ACCEL-E0303", "the graph is not a valid graph",
     "A value is used that nothing computes, two nodes compute the same value, "
     "nodes wait for each other, or a function calls itself.",
     "Run onnx.checker.check_model on the file; export it again."},
    {ErrorCode::FoldedWeights, "ACCEL-E0401",
     "weights were folded into constants",
     "The exporter computed something of a parameter and kept only the result, "
     "under a name of its own (onnx::MatMul_440). Trained, it could not be "
     "given back to the framework, and ties would be lost.",
     "With dynamo=True add optimize=False; with dynamo=False add "
     "training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False."},
    {ErrorCode::AbsentWeights, "ACCEL-E0402", "the weights are not there",
     "The graph refers to weights in a file that is not beside it.",
     "Copy the file there, or begin with random weights: --init=gpt2 or "
     "--init=normal:STD."},
    {ErrorCode::Dimensions, "ACCEL-E0501",
     "a dimension has no size, or another one",
     "A plan has static shapes: every symbol of the inputs' shapes needs a "
     "size, and the first dimension of all inputs is the microbatch.",
     "Add --dim NAME=SIZE for the symbols that are named."},
    {ErrorCode::ElementType, "ACCEL-E0502",
     "parameters of a type that is not trained",
     "Parameters, gradients and the optimizer's state are fp32.",
     "Convert the model with model.float() before the export."},
    {ErrorCode::TrainedParameters, "ACCEL-E0503",
     "it is not clear which parameters train",
     "An ONNX file does not say what PyTorch froze (requires_grad_(False), "
     "no_grad, detach), so every parameter trains unless --freeze or --train "
     "say otherwise.",
     "Name the parameters by patterns that match: --train='lora_' trains these "
     "alone, --freeze='^backbone[.]' all but these; the last pattern that "
     "matches a name decides."},
    {ErrorCode::EmptyTensor, "ACCEL-E0504", "a tensor has no elements",
     "A size of 0 leaves nothing to train and nothing to learn from: a layer "
     "of "
     "width 0, an empty table, no classes, a slice of nothing.",
     "Give that dimension a size, or leave the layer out of the model."},
    {ErrorCode::NoObjective, "ACCEL-E0601", "there is nothing to minimise",
     "The objective is found by the shapes of the outputs, or by name: a "
     "number "
     "named loss, logits beside tokens, logits of classes.",
     "Choose --objective=causal-lm, classification, mse or output:NAME."},
    {ErrorCode::LossForm, "ACCEL-E0602",
     "the model's own loss cannot be split into samples",
     "A batch is split into microbatches and ranks, and a short last one is "
     "padded. The mean over all targets is the same for any split only if the "
     "loss is a sum over targets, each of one sample, divided by their count.",
     "Return such a loss, or train the mean over microbatches with "
     "--loss-weight=samples."},
    {ErrorCode::GlobalBatch, "ACCEL-E0603",
     "the samples of a step do not make whole microbatches",
     "A short microbatch is filled with copies of a sample that count nothing. "
     "Where samples influence each other (a mean over the batch), or the loss "
     "is a mean over samples (--loss-weight=samples), copies would change it.",
     "Choose a --global-batch that is a multiple of microbatch x ranks, or "
     "another microbatch (--dim batch=N)."},
    {ErrorCode::NotTrainable, "ACCEL-E0701", "a gradient does not exist",
     "Something between the parameters and the loss has no derivative, or no "
     "parameter influences the loss.",
     "Look at the node; detach it in the model if it is not meant to be "
     "trained."},
    {ErrorCode::MemoryLimit, "ACCEL-E0801", "the step needs too much memory",
     "What a rank needs is known when a plan is compiled; --memory-limit "
     "compares it with what a rank has.",
     "Take more ranks with --fsdp, a smaller microbatch (--dim batch=N), or a "
     "shorter sequence; --estimate shows what takes the memory."},
    {ErrorCode::IdleDropout, "ACCEL-W0301", "dropout that does nothing",
     "Dropout nodes have a mode, and in these it says that the model is "
     "evaluated: they pass on what they get.",
     "To train with dropout export the model after model.train()."},
    {ErrorCode::DropoutWithoutEffect, "ACCEL-W0302",
     "--dropout has nothing to act on",
     "--dropout gives the dropout sites of the file another probability, and "
     "the file has none.",
     "Leave --dropout out, or export the model after model.train()."},
    {ErrorCode::MergedParameters, "ACCEL-W0401",
     "parameters that are equal are trained as one",
     "The exporter has kept one of several equal parameters. Whether they are "
     "one in the model, and so stay equal, the file does not say.",
     "If they are not tied in the model, export with "
     "training=torch.onnx.TrainingMode.TRAINING or dynamo=True."},
    {ErrorCode::PaddedSteps, "ACCEL-W0601",
     "much of a step is computed for padding",
     "A step computes whole microbatches; where they hold more samples than "
     "--global-batch, the rest is filled with copies that count nothing.",
     "Choose a microbatch (--dim batch=N) that divides the --global-batch."},
    {ErrorCode::ParameterWithoutInfluence, "ACCEL-W0701",
     "a parameter does not influence the loss",
     "Its gradient is zero for any data. It keeps its value, and does not "
     "decay either.",
     "Look whether the objective reads the right output; otherwise the warning "
     "may be left out."},
};

ArrayRef<ErrorInfo> getErrorCatalogue() { return kCatalogue; }

const ErrorInfo &getErrorInfo(ErrorCode code) {
  return *llvm::find_if(
      kCatalogue, [&](const ErrorInfo &info) { return info.code == code; });
}

const ErrorInfo *findErrorInfo(StringRef name) {
  const auto *found = llvm::find_if(kCatalogue, [&](const ErrorInfo &info) {
    return name.equals_insensitive(info.name) ||
           name.equals_insensitive(info.name.drop_front(strlen("ACCEL-")));
  });
  return found == std::end(kCatalogue) ? nullptr : found;
}

void setCode(Diagnostic &diagnostic, ErrorCode code) {
  if (!getCode(diagnostic)) {
    diagnostic.getMetadata().push_back(
        DiagnosticArgument(getErrorInfo(code).name));
  }
}

InFlightDiagnostic withCode(InFlightDiagnostic error, ErrorCode code) {
  setCode(*error.getUnderlyingDiagnostic(), code);
  return error;
}

InFlightDiagnostic emitCodedError(Location location, ErrorCode code) {
  return withCode(emitError(location), code);
}

const ErrorInfo *getCode(Diagnostic &diagnostic) {
  for (DiagnosticArgument &argument : diagnostic.getMetadata()) {
    if (argument.getKind() ==
        DiagnosticArgument::DiagnosticArgumentKind::String) {
      return findErrorInfo(argument.getAsString());
    }
  }
  return nullptr;
}

} // namespace accel
