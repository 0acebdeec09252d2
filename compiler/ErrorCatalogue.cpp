// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table and how it is searched.
#include "compiler/ErrorCatalogue.h"

#include "compiler/ErrorCodes.h"
#include "frontends/onnx/ErrorCodes.h"
#include "passes/ErrorCodes.h"

#include "llvm/ADT/STLExtras.h"

namespace accel {

static constexpr ErrorInfo kCatalogue[] = {
    {onnx::codes::ModelFile, ExitCode::InputOutput,
     "The file is not there, is no ONNX model, is damaged, or has an IR "
     "version or an operator set outside of what is read.",
     "Check the path; export the model again with torch.onnx.export."},
    {onnx::codes::WeightFile, ExitCode::InputOutput,
     "Weights in external data must be in a regular file inside the "
     "model's folder, reached without '..' and symbolic links, and long "
     "enough.",
     "Keep the .data file beside the .onnx file; do not rename either."},
    {driver_codes::AdapterFolder, ExitCode::InputOutput,
     "--lora takes a folder with adapter_config.json and "
     "adapter_model.safetensors, as PEFT's save_pretrained and accel-run "
     "--export write them, of pairs of one rank beside linear layers. It is "
     "not there, is damaged, or says something else, which would train another "
     "model.",
     "Check the path; save the adapters again without what is named."},
    {driver_codes::ParameterFile, ExitCode::InputOutput,
     "--params takes a safetensors file, or the index of several, with the "
     "state dict of the module that was exported. It is not there, is damaged, "
     "or is something else.",
     "Check the path; save the file with "
     "safetensors.torch.save_model(model, \"model.safetensors\")."},
    {onnx::codes::UnknownOperator, ExitCode::Unsupported,
     "The importer has no counterpart of the operator, or none that can be"
     " differentiated. accelc --list-ops prints those that it knows.",
     "Write these lines of the model with known operators, or export with "
     "another opset_version, where the exporter may use others."},
    {onnx::codes::OperatorSet, ExitCode::Unsupported,
     "An operator means different things in different operator sets, and "
     "older sets lack some of them.",
     "Export with a newer opset_version; accelc --list-ops says which."},
    {onnx::codes::UnknownAttribute, ExitCode::Unsupported,
     "The node sets an attribute, or a value of one, that changes what it "
     "computes in a way that the importer does not know. Leaving it out "
     "would train another model.",
     "Write these lines of the model without it."},
    {onnx::codes::InputCount, ExitCode::Unsupported,
     "The node has inputs that the operator set does not define, or lacks "
     "required ones.",
     "Run onnx.checker.check_model on the file; export it again."},
    {onnx::codes::OtherDomain, ExitCode::Unsupported,
     "Only the default domain of ONNX has a meaning that every tool agrees"
     " on; contrib operators (com.microsoft) come from inference "
     "optimizers.",
     "Train the file as the exporter wrote it, before it is optimized for "
     "inference; functions with a body are expanded."},
    {onnx::codes::BatchNorm, ExitCode::Unsupported,
     "The default exporter merges a batch norm with the layer before it, in "
     "training mode too: what is left are scaled weights that nothing "
     "normalizes. And it writes whether a batch norm trains in the text of "
     "the call alone (fx_node), which tools may remove.",
     "Export again with torch.onnx.export(model, args, \"model.onnx\", "
     "dynamo=True, optimize=False), or with dynamo=False and "
     "training=torch.onnx.TrainingMode.TRAINING, "
     "do_constant_folding=False. Where only the mode is missing, "
     "--batch-norm=frozen trains with the running statistics of the file."},
    {onnx::codes::InvalidNode, ExitCode::CompileError,
     "Shapes, types or attributes of the node contradict each other or the"
     " operator's definition. With fixed shapes a size of the exporting "
     "machine may be baked into the graph.",
     "Look at the line of Python; export with symbolic dimensions."},
    {onnx::codes::ComputedShape, ExitCode::CompileError,
     "Every shape is known when a plan is compiled: its memory is laid out"
     " and its ranks agree on it. A shape that is computed from the values"
     " of an input has no size then.",
     "Compute it from shapes, or pad to a fixed size and mask."},
    {onnx::codes::GraphStructure, ExitCode::CompileError,
     "A value is used that nothing computes, two nodes compute the same "
     "value, nodes wait for each other, or a function calls itself.",
     "Run onnx.checker.check_model on the file; export it again."},
    {onnx::codes::DetachedValue, ExitCode::CompileError,
     "PyTorch gives no gradient to what is in front of detach(), as rounding "
     "that lets gradients through, or a branch that only teaches another one. "
     "ONNX has no operator for that. The text of calls, which the exporter "
     "writes beside the nodes, tells where it was, unless the node's other "
     "inputs were folded or merged as well, or what is detached is read "
     "through "
     "a view, as in y.detach()[:, 1:].",
     "Export with torch.onnx.export(..., dynamo=True, optimize=False), which "
     "folds nothing."},
    {onnx::codes::FoldedWeights, ExitCode::CompileError,
     "The exporter computed something of a parameter and kept only the "
     "result, under a name of its own (onnx::MatMul_440). Trained, it "
     "could not be given back to the framework, and ties would be lost.",
     "With dynamo=True add optimize=False; with dynamo=False add "
     "training=torch.onnx.TrainingMode.TRAINING, "
     "do_constant_folding=False. Of a file that is there already, --params "
     "model.safetensors, with the state dict, has most of them computed from "
     "the parameters again."},
    {onnx::codes::AbsentWeights, ExitCode::InputOutput,
     "The graph refers to weights in a file that is not beside it.",
     "Copy the file there, or begin with random weights: --init=gpt2 or "
     "--init=normal:STD."},
    {onnx::codes::SavedParameters, ExitCode::CompileError,
     "What the exporter computed of parameters is computed from the tensors of "
     "--params again, and has to come out with the bits that the model has; "
     "parameters that both files have must be equal. A constant differs, or "
     "how it was computed is not known or not certain: of two equal rows of a "
     "table nobody can tell which was read.",
     "Save the state dict of the very module that is exported, before or after "
     "the export, without training it in between. What is not known or not "
     "certain needs an export with dynamo=True, optimize=False."},
    {onnx::codes::MergedCalls, ExitCode::CompileError,
     "Parameters of a new model may have the same numbers: all norms begin "
     "with "
     "1 and 0. The default exporter keeps one tensor for them and, where what "
     "they are applied to is the same as well, one node: nothing in the file "
     "tells of the others, which would not train or train as one. A number, or "
     "what is computed of a parameter, may become one with a parameter, too. "
     "So do two passes with dropout over the same numbers, each of which would "
     "drop others, and two cross entropies of the same logits, whose label "
     "smoothing is no part of the node.",
     "With dynamo=True add optimize=False; with dynamo=False add "
     "training=torch.onnx.TrainingMode.TRAINING, "
     "do_constant_folding=False."},
    {onnx::codes::IdleParameters, ExitCode::CompileError,
     "The default exporter leaves out products with 1 and sums with 0. A "
     "parameter that is a single number and begins so, as a scale or a gate, "
     "goes with them: nothing in the file tells what it was applied to.",
     "With dynamo=True add optimize=False, or begin with another number."},
    {onnx::codes::ChangedBuffer, ExitCode::CompileError,
     "The model writes a buffer and reads it in the next forward pass, as "
     "spectral norm its vectors, or a codebook its averages. A plan has states "
     "for running statistics of batch norms only: the buffer would stay what "
     "it is, and training would be another.",
     "Export with the module that changes it in eval mode, if it leaves the "
     "buffer alone there, as module.parametrizations.weight[0].eval() does "
     "with spectral norm; or change the buffer outside of forward."},
    {onnx::codes::Dimensions, ExitCode::CompileError,
     "A plan has static shapes: every symbol of the inputs' shapes needs a"
     " size, and the first dimension of all inputs is the microbatch.",
     "Add --dim NAME=SIZE for the symbols that are named."},
    {codes::ElementType, ExitCode::CompileError,
     "Parameters, gradients and the optimizer's state are fp32.",
     "Convert the model with model.float() before the export."},
    {onnx::codes::TrainedParameters, ExitCode::CompileError,
     "An ONNX file does not say what PyTorch froze (requires_grad_(False),"
     " no_grad, detach), so every parameter trains unless --freeze or "
     "--train say otherwise.",
     "Name the parameters by patterns that match: --train='lora_' trains "
     "these alone, --freeze='^backbone[.]' all but these; the last pattern"
     " that matches a name decides."},
    {codes::EmptyTensor, ExitCode::CompileError,
     "A size of 0 leaves nothing to train and nothing to learn from: a "
     "layer of width 0, an empty table, no classes, a slice of nothing.",
     "Give that dimension a size, or leave the layer out of the model."},
    {codes::Precision, ExitCode::CompileError,
     "A precision was asked for that no product of the model would get, or a "
     "pattern of --precision-exclude or --precision-include says nothing: a "
     "plan that trained in f32 under another name would go unnoticed.",
     "Look at the names of parameters (accelc --compile-to=import) and of ONNX "
     "nodes, and correct the pattern; leave --bf16 out to train in f32."},
    {codes::ParameterGroups, ExitCode::CompileError,
     "--group names parameters by a pattern, and --layer-decay finds layers by "
     "names. A pattern without a match, or with frozen parameters alone, would "
     "change nothing; without blocks there are no layers to count.",
     "Look at the names of parameters (accelc --compile-to=frontend) and "
     "correct the pattern; give rates by name where layers are not found."},
    {codes::Adapters, ExitCode::CompileError,
     "--lora adds low-rank pairs to the weights of linear layers: matrices "
     "that products alone read. A pattern chose none, a chosen one is read in "
     "another way, too (a table tied to the head), or a folder of adapters is "
     "not of this model.",
     "Look at the names of linear layers in the message, and correct targets=; "
     "leave it out for all of them but the output head."},
    {onnx::codes::BoundInput, ExitCode::CompileError,
     "--bind gives an input of the model its value when the model is "
     "compiled: the input is there, and the array has its type and fits its "
     "shape.",
     "Compare the array with the input that the message shows; "
     "ARRAY.astype('int64') converts it."},
    {codes::NoObjective, ExitCode::CompileError,
     "The objective is found by the shapes of the outputs, or by name: a "
     "number named loss, logits beside tokens, logits of classes.",
     "Choose --objective=causal-lm, classification, mse or output:NAME."},
    {codes::LossForm, ExitCode::CompileError,
     "A batch is split into microbatches and ranks, and a short last one "
     "is padded. The mean over all targets is the same for any split only "
     "if the loss is a sum over targets, each of one sample, divided by "
     "their count.",
     "Return such a loss, or train the mean over microbatches with "
     "--loss-weight=samples."},
    {driver_codes::GlobalBatch, ExitCode::CompileError,
     "A short microbatch is filled with copies of a sample that count "
     "nothing. Where samples influence each other (a mean over the batch),"
     " or the loss is a mean over samples (--loss-weight=samples), copies "
     "would change it. And a batch norm over features needs two samples: the "
     "variance of one is 0.",
     "Choose a --global-batch that is a multiple of microbatch x ranks, or"
     " another microbatch (--dim batch=N)."},
    {codes::SparsePrediction, ExitCode::CompileError,
     "--sparse-prediction computes logits for rows with a label only. It can "
     "do so if the loss is a cross entropy, and its logits are rows times a "
     "matrix, with a bias and other arithmetic element by element, that "
     "nothing else uses.",
     "Compile without --sparse-prediction; or export the model without its "
     "loss, and give the labels to accel-run."},
    {codes::NotTrainable, ExitCode::CompileError,
     "Something between the parameters and the loss has no derivative, or "
     "no parameter influences the loss.",
     "Look at the node; detach it in the model if it is not meant to be "
     "trained."},
    {driver_codes::MemoryLimit, ExitCode::CompileError,
     "What a rank needs is known when a plan is compiled; --memory-limit "
     "compares it with what a rank has.",
     "Take more ranks with --fsdp, a smaller microbatch (--dim batch=N), "
     "or a shorter sequence; --estimate shows what takes the memory."},
    {codes::AssemblerTimeout, ExitCode::CompileError,
     "ptxas makes a plan's code in seconds. One that has not ended after "
     "minutes hangs, or shares the machine with too much else.",
     "Compile when less else runs, or wait longer (--ptxas-timeout=SECONDS); "
     "compute_ for sm_ in --target needs no ptxas."},
    {onnx::codes::IdleDropout, ExitCode::CompileError,
     "Dropout nodes have a mode, and in these it says that the model is "
     "evaluated: they pass on what they get.",
     "To train with dropout export the model after model.train(), at operator "
     "set 12 or later (opset_version=): before, a dropout has no mode."},
    {onnx::codes::DropoutWithoutEffect, ExitCode::CompileError,
     "--dropout gives the dropout sites of the file another probability, "
     "and the file has none.",
     "Leave --dropout out, or export the model after model.train()."},
    {onnx::codes::IdleBatchNorm, ExitCode::CompileError,
     "The model was exported in eval mode, where batch norms use their "
     "running statistics and do not move them.",
     "To train with the statistics of microbatches export the model after "
     "model.train(); if the running ones are meant, say so: "
     "--batch-norm=frozen."},
    {onnx::codes::MergedParameters, ExitCode::CompileError,
     "The exporter has kept one of several equal parameters. Whether they "
     "are one in the model, and so stay equal, the file does not say.",
     "If they are not tied in the model, export with "
     "training=torch.onnx.TrainingMode.TRAINING or dynamo=True."},
    {onnx::codes::FoldedConstants, ExitCode::CompileError,
     "The exporter has computed something of parameters or buffers, and wrote "
     "the result alone. Of which ones, the file does not say.",
     "If parameters are among them, export with "
     "training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False."},
    {driver_codes::PaddedSteps, ExitCode::CompileError,
     "A step computes whole microbatches; where they hold more samples "
     "than --global-batch, the rest is filled with copies that count "
     "nothing.",
     "Choose a microbatch (--dim batch=N) that divides the --global-batch."},
    {codes::ParameterWithoutInfluence, ExitCode::CompileError,
     "Its gradient is zero for any data. It keeps its value, and does not "
     "decay either.",
     "Look whether the objective reads the right output; otherwise the "
     "warning may be left out."},
};

llvm::ArrayRef<ErrorInfo> getErrorCatalogue() { return kCatalogue; }

const ErrorInfo &getErrorInfo(const ErrorCode &code) {
  const auto *found = llvm::find_if(
      kCatalogue, [&](const ErrorInfo &info) { return info.code == code; });
  assert(found != std::end(kCatalogue) && "every code is in the catalogue");
  return *found;
}

const ErrorInfo *findErrorInfo(llvm::StringRef name) {
  const auto *found = llvm::find_if(kCatalogue, [&](const ErrorInfo &info) {
    llvm::StringRef known = info.code.name;
    return name.equals_insensitive(known) ||
           name.equals_insensitive(known.drop_front(strlen("ACCEL-")));
  });
  return found == std::end(kCatalogue) ? nullptr : found;
}

} // namespace accel
