// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// onnx-loss-test MODEL.onnx TOKENS.bin SAMPLES [--dim=NAME=SIZE]
// Imports a language model and prints the mean cross entropy of the first
// samples of a token stream (16-bit numbers; a sample is as long as the model's
// input, its targets are the successors), evaluated by the interpreter on
// `@forward` as it was imported.
#include "dialects/Accel/Interpreter/Interpreter.h"
#include "frontends/onnx/ImportOnnx.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using accel::HostTensor;

namespace {

bool setParameters(const accel::onnx::ImportedModel &model,
                   accel::Interpreter &interpreter) {
  for (const std::string &name : model.weights.getKeys()) {
    const accel::onnx::WeightEntry &entry = *model.weights.find(name);
    auto bytes = llvm::cantFail(model.weights.read(name));
    auto elements = DenseElementsAttr::getFromRawBuffer(
        entry.type,
        ArrayRef<char>(bytes->getBufferStart(), bytes->getBufferSize()));
    auto value = HostTensor::fromAttribute(elements);
    if (!value || failed(interpreter.setSymbol(name, *value))) {
      return false;
    }
  }
  return true;
}

/// -ln softmax(row)[label]
double getLoss(ArrayRef<double> row, int64_t label) {
  double maximum = *std::max_element(row.begin(), row.end()), sum = 0;
  for (double logit : row) {
    sum += std::exp(logit - maximum);
  }
  return maximum + std::log(sum) - row[label];
}

/// The sum of the losses of the batch that begins at token `first`; none after
/// an error.
std::optional<double> runBatch(accel::Interpreter &interpreter,
                               func::FuncOp forward, ArrayRef<uint16_t> tokens,
                               size_t first) {
  auto type = cast<RankedTensorType>(forward.getArgumentTypes().front());
  size_t count = type.getNumElements();
  std::vector<int64_t> ids(tokens.begin() + first,
                           tokens.begin() + first + count);
  auto results = interpreter.run(forward, {HostTensor(type, ids)});
  if (failed(results)) {
    return std::nullopt;
  }
  const HostTensor &logits = results->front();
  size_t classes = logits.getShape().back();
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += getLoss(logits.floats().slice(i * classes, classes),
                   tokens[first + i + 1]);
  }
  return sum;
}

} // namespace

int main(int argc, char **argv) {
  size_t samples = 0;
  accel::onnx::ImportOptions options;
  bool good = argc >= 4 && !StringRef(argv[3]).getAsInteger(10, samples);
  for (int i = 4; i < argc; ++i) {
    StringRef argument = argv[i];
    good &= argument.consume_front("--dim=");
    options.dimensions.insert(
        llvm::cantFail(accel::onnx::parseDimension(argument)));
  }
  auto data = good ? llvm::MemoryBuffer::getFile(argv[2])
                   : std::make_error_code(std::errc::invalid_argument);
  MLIRContext context;
  auto model = data ? accel::onnx::importOnnx(argv[1], options, context)
                    : FailureOr<accel::onnx::ImportedModel>(failure());
  if (failed(model)) {
    return 1;
  }
  std::vector<uint16_t> tokens((*data)->getBufferSize() / 2);
  std::memcpy(tokens.data(), (*data)->getBufferStart(), 2 * tokens.size());
  accel::Interpreter interpreter(*model->module);
  auto forward = model->module->lookupSymbol<func::FuncOp>("forward");
  auto type = cast<RankedTensorType>(forward.getArgumentTypes().front());
  size_t length = type.getDimSize(1), batch = type.getDimSize(0);
  if (!setParameters(*model, interpreter) ||
      tokens.size() <= samples * length) {
    return 1;
  }
  double sum = 0;
  for (size_t sample = 0; sample < samples; sample += batch) {
    auto loss = runBatch(interpreter, forward, tokens, sample * length);
    if (!loss) {
      return 1;
    }
    sum += *loss;
  }
  llvm::outs() << llvm::format("loss %.6f\n", sum / (samples * length));
}
