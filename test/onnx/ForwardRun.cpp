// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The road of a user: accelc --inference, a plan in a file, accel-run.
#include "test/onnx/ForwardRun.h"

#include "compiler/Driver.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/schema/element_type.h"
#include "test/onnx/AnsweringPlan.h"

#include "absl/strings/str_cat.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <set>

namespace accel::test {
namespace {

namespace pb = onnx::pb;

/// Those of ONNX's own runner.
constexpr double kRelative = 1e-3;
constexpr double kAbsolute = 1e-7;
/// What is 0 in a spectrum is in ONNX's files what rounding leaves of numbers
/// as large as its largest.
constexpr double kSpectralNoise = 1e-6;

/// Which inputs of an operator say of what shape or along which axes it works:
/// a compiler of static shapes has to know them.
std::vector<size_t> getSettings(const std::string &name) {
  return llvm::StringSwitch<std::vector<size_t>>(name)
      .Cases({"Reshape",      "Expand",          "Tile",
              "Unsqueeze",    "Squeeze",         "Split",
              "TopK",         "CumSum",          "OneHot",
              "Trilu",        "CenterCropPad",   "ReduceSum",
              "ReduceMean",   "ReduceMax",       "ReduceMin",
              "ReduceProd",   "ReduceL1",        "ReduceL2",
              "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare",
              "AffineGrid",   "SplitToSequence", "DFT",
              "CumProd",      "Compress"},
             {1})
      .Cases({"Slice"}, {1, 2, 3, 4})
      .Cases({"Pad"}, {1, 2, 3})
      .Cases({"Resize", "Upsample"}, {1, 2, 3})
      .Cases({"STFT"}, {1, 2})
      .Cases({"MelWeightMatrix"}, {0, 1, 2, 3, 4})
      .Cases({"ConstantOfShape", "If", "NonZero"}, {0})
      .Cases({"Loop"}, {0, 1})
      .Cases({"Range", "HannWindow", "HammingWindow", "BlackmanWindow"},
             {0, 1, 2})
      .Cases({"Dropout"}, {1, 2})
      .Cases({"Clip"}, {1, 2})
      .Cases({"Col2Im"}, {1, 2})
      .Cases({"MaxUnpool"}, {2})
      .Cases({"LSTM", "GRU", "RNN"}, {4})
      .Default({});
}

std::string takeCode(llvm::StringRef message) {
  size_t at = message.find("ACCEL-E");
  return at == llvm::StringRef::npos ? "" : message.substr(at, 11).str();
}

double widen(llvm::StringRef bytes, size_t i, const llvm::fltSemantics &kind) {
  uint16_t bits;
  std::memcpy(&bits, bytes.data() + 2 * i, sizeof(bits));
  llvm::APFloat value(kind, llvm::APInt(16, bits));
  bool isInexact;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &isInexact);
  return value.convertToDouble();
}

template <typename T> double readNumber(llvm::StringRef bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + sizeof(T) * i, sizeof(T));
  return static_cast<double>(value);
}

double getNumber(int32_t dataType, llvm::StringRef bytes, size_t i) {
  switch (dataType) {
  case pb::TensorProto::FLOAT:
    return readNumber<float>(bytes, i);
  case pb::TensorProto::DOUBLE:
    return readNumber<double>(bytes, i);
  case pb::TensorProto::INT32:
    return readNumber<int32_t>(bytes, i);
  case pb::TensorProto::INT64:
    return readNumber<int64_t>(bytes, i);
  case pb::TensorProto::FLOAT16:
    return widen(bytes, i, llvm::APFloat::IEEEhalf());
  case pb::TensorProto::BFLOAT16:
    return widen(bytes, i, llvm::APFloat::BFloat());
  default:
    return readNumber<uint8_t>(bytes, i);
  }
}

size_t getBytes(int32_t dataType) {
  return runtime::ByteWidth(*runtime::DTypeFromName(
      {getElementName(dataType).data(), getElementName(dataType).size()}));
}

/// By how much numbers of `expected` may be wrong, whatever their size.
double getNoise(const CaseTensor &expected, llvm::StringRef operatorName) {
  if (operatorName != "DFT" && operatorName != "STFT") {
    return kAbsolute;
  }
  double largest = 0;
  size_t count = expected.bytes.size() / getBytes(expected.dataType);
  for (size_t i = 0; i < count; ++i) {
    largest = std::max(
        largest, std::abs(getNumber(expected.dataType, expected.bytes, i)));
  }
  return std::max(kAbsolute, kSpectralNoise * largest);
}

/// What is different; empty: nothing.
std::string compare(const CaseTensor &expected, llvm::StringRef got,
                    llvm::StringRef operatorName) {
  if (got.size() != expected.bytes.size()) {
    return absl::StrCat(expected.name, ": expected ", expected.bytes.size(),
                        " bytes, got ", got.size());
  }
  // Two units of the last place of 16 bits are more.
  double relative =
      expected.dataType == pb::TensorProto::BFLOAT16  ? std::ldexp(1.0, -6)
      : expected.dataType == pb::TensorProto::FLOAT16 ? std::ldexp(1.0, -9)
                                                      : kRelative;
  double noise = getNoise(expected, operatorName);
  size_t count = got.size() / getBytes(expected.dataType);
  for (size_t i = 0; i < count; ++i) {
    double want = getNumber(expected.dataType, expected.bytes, i);
    double have = getNumber(expected.dataType, got, i);
    bool isSame = want == have || (std::isnan(want) && std::isnan(have)) ||
                  std::abs(want - have) <= noise + relative * std::abs(want);
    if (!isSame) {
      return absl::StrCat(expected.name, "[", i, "] of ", count, ": expected ",
                          want, ", got ", have);
    }
  }
  return "";
}

/// What is wrong with what the plan gives; empty: nothing.
std::string compareOutput(const AnsweringPlan &plan, const CaseTensor &expected,
                          llvm::StringRef operatorName) {
  const planpb::Tensor *output = plan.findOutput(expected.name);
  if (!output) {
    return "no output " + expected.name;
  }
  std::vector<int64_t> shape(output->shape().begin(), output->shape().end());
  auto name = runtime::ElementTypeName(output->dtype());
  if (shape != expected.shape || llvm::StringRef(name.data(), name.size()) !=
                                     getElementName(expected.dataType)) {
    return absl::StrCat(expected.name, ": got ", runtime::FormatTensor(*output),
                        ", which is another shape or type");
  }
  auto bytes = plan.read(*output);
  return bytes.ok() ? compare(expected, *bytes, operatorName)
                    : std::string(bytes.status().message());
}

Outcome wrong(const std::string &detail) {
  return {Outcome::Kind::Wrong, "", detail, {}};
}

} // namespace

ForwardRun::ForwardRun(const std::string &folder)
    : plan(folder + "/case.plan"), vfs(runtime::MakePosixVfs()),
      device(makeDevice(*vfs)) {}

Outcome ForwardRun::compileCase(const Case &subject,
                                const std::vector<size_t> &bound) {
  CompilerOptions options;
  options.model = subject.path;
  options.output = plan;
  options.makeInference();
  options.threads = 1;
  options.diagnostics.quiet = true;
  // One variant is enough: all give the same bits.
  options.target = "x86-64-v3";
  options.frontend.dimensions = getDimensions(subject);
  Outcome outcome;
  const std::vector<CaseTensor> &inputs = subject.data.front().inputs;
  for (size_t i : bound) {
    if (i < inputs.size()) {
      options.frontend.bound.push_back(bindTensor(inputs[i]));
      outcome.bound.push_back(inputs[i].name);
    }
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  ExitCode code = compile(options, llvm::nulls(), stream);
  if (code == ExitCode::Ok) {
    return outcome;
  }
  outcome.code = takeCode(messages);
  outcome.kind =
      outcome.code.empty() ? Outcome::Kind::Wrong : Outcome::Kind::Refused;
  outcome.detail = llvm::StringRef(messages).split('\n').first.str();
  return outcome;
}

Outcome ForwardRun::answer(const Case &subject) {
  auto opened = AnsweringPlan::open(*vfs, *device, plan);
  if (!opened.ok()) {
    return wrong(std::string(opened.status().message()));
  }
  for (const DataSet &data : subject.data) {
    absl::Status status;
    for (const CaseTensor &tensor : data.inputs) {
      status.Update((*opened)->setInput(tensor.name, tensor.bytes));
    }
    if (status.ok()) {
      status = (*opened)->run();
    }
    if (!status.ok()) {
      return wrong(std::string(status.message()));
    }
    for (const CaseTensor &expected : data.outputs) {
      std::string difference =
          compareOutput(**opened, expected, subject.getOperator());
      if (!difference.empty()) {
        return wrong(difference);
      }
    }
  }
  return {};
}

Outcome ForwardRun::run(const Case &subject, const std::string &operatorName) {
  if (!subject.otherKind.empty() || subject.data.empty()) {
    return {Outcome::Kind::NotTried, subject.otherKind, "", {}};
  }
  std::vector<size_t> bound;
  Outcome compiled = compileCase(subject, bound);
  if (compiled.kind != Outcome::Kind::Pass &&
      !getSettings(operatorName).empty()) {
    bound = getSettings(operatorName);
    compiled = compileCase(subject, bound);
  }
  if (compiled.kind != Outcome::Kind::Pass) {
    return compiled;
  }
  Outcome outcome = answer(subject);
  outcome.bound = compiled.bound;
  return outcome;
}

} // namespace accel::test
