// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages as those of training, without samples, steps and ranks.
#include "tools/accel-run/inference_run.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/widen_floats.h"
#include "runtime/checkpoint/model_weights.h"
#include "runtime/data/integer_element.h"
#include "runtime/device/create_device.h"
#include "runtime/executor/inference.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/npy.h"
#include "runtime/io/output_files.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/report/console.h"

namespace accel::tools {
namespace {

using Tensors = google::protobuf::RepeatedPtrField<planpb::Tensor>;

// A tensor of the plan and the file that it is read from or written to.
struct Bound {
  const planpb::Tensor* tensor;
  std::string path;
};

// Of NAME=FILE; the name may contain '='.
absl::StatusOr<std::vector<Bound>> Bind(const std::vector<std::string>& words,
                                        absl::string_view option,
                                        const Tensors& tensors) {
  std::vector<Bound> bound;
  for (const std::string& word : words) {
    const planpb::Tensor* found = nullptr;
    for (const planpb::Tensor& tensor : tensors) {
      if (word.size() > tensor.name().size() + 1 &&
          word.compare(0, tensor.name().size(), tensor.name()) == 0 &&
          word[tensor.name().size()] == '=') {
        found = &tensor;
      }
    }
    if (found == nullptr) {
      std::string names;
      for (const planpb::Tensor& tensor : tensors) {
        absl::StrAppend(&names, names.empty() ? "" : ", ", tensor.name(), " ",
                        runtime::FormatTensor(tensor));
      }
      return absl::InvalidArgumentError(absl::StrCat(
          option, " ", word, ": expected NAME=FILE.npy with one of the names ",
          names.empty() ? "of the plan, which has none" : names));
    }
    if (std::ranges::any_of(
            bound, [&](const Bound& each) { return each.tensor == found; })) {
      return absl::InvalidArgumentError(absl::StrCat(
          option, " ", word, ": expected each name once, got it again"));
    }
    bound.push_back({found, word.substr(found->name().size() + 1)});
  }
  return bound;
}

// Whether `wide` has other integers than `narrow`, and all that these can be.
bool IsWider(runtime::DType wide, runtime::DType narrow) {
  const auto is_integer = [](runtime::DType dtype) {
    return dtype != runtime::DType::kBool && runtime::IsInt64Compatible(dtype);
  };
  if (wide == narrow || !is_integer(wide) || !is_integer(narrow)) {
    return false;
  }
  const runtime::IntegerRange inner = runtime::ValuesOf(narrow);
  const runtime::IntegerRange outer = runtime::ValuesOf(wide);
  return outer.Contains(inner.min) && outer.Contains(inner.max);
}

// Integers of `narrow` as those of `wide`. Requires: IsWider(wide, narrow).
std::vector<std::byte> Widen(const std::vector<std::byte>& bytes,
                             runtime::DType narrow, runtime::DType wide) {
  const auto from = static_cast<size_t>(runtime::ByteWidth(narrow));
  const auto to = static_cast<size_t>(runtime::ByteWidth(wide));
  std::vector<std::byte> result(bytes.size() / from * to);
  for (size_t i = 0; i < bytes.size() / from; ++i) {
    runtime::StoreInteger(wide, runtime::LoadInteger(narrow, &bytes[i * from]),
                          &result[i * to]);
  }
  return result;
}

absl::StatusOr<std::vector<std::byte>> ReadArray(runtime::Vfs& vfs,
                                                 const Bound& bound) {
  ASSIGN_OR_RETURN(const auto file,
                   vfs.Open(bound.path, runtime::OpenMode::kRead));
  ASSIGN_OR_RETURN(const auto layout, runtime::ReadNpyLayout(*file));
  const planpb::Tensor& tensor = *bound.tensor;
  planpb::Tensor got;
  got.set_dtype(runtime::FromDType(layout.header.dtype));
  got.mutable_shape()->Add(layout.header.shape.begin(),
                           layout.header.shape.end());
  const runtime::DType wanted = *runtime::ToDType(tensor.dtype());
  const bool widens = IsWider(wanted, layout.header.dtype);
  planpb::Tensor fitting = got;
  if (widens) {
    fitting.set_dtype(tensor.dtype());
  }
  if (runtime::FormatTensor(fitting) != runtime::FormatTensor(tensor)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", bound.path, "': expected ", runtime::FormatTensor(tensor),
        " for input '", tensor.name(), "', got ", runtime::FormatTensor(got),
        wanted == runtime::DType::kBF16
            ? "; no .npy type fits it: export the model with float32 inputs"
            : ""));
  }
  std::vector<std::byte> bytes(layout.data_size);
  RETURN_IF_ERROR(file->ReadAt(layout.data_offset, absl::MakeSpan(bytes)));
  return widens ? Widen(bytes, layout.header.dtype, wanted) : bytes;
}

// Element `i` of a tensor.
double NumberAt(const std::vector<std::byte>& bytes, runtime::DType dtype,
                size_t i) {
  const std::byte* const at =
      bytes.data() + i * static_cast<size_t>(runtime::ByteWidth(dtype));
  const auto read = [at](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return static_cast<double>(value);
  };
  switch (dtype) {
    case runtime::DType::kF32:
      return read(float());
    case runtime::DType::kF64:
      return read(double());
    case runtime::DType::kF16:
      return std::bit_cast<float>(
          runtime::WidenF16(static_cast<uint16_t>(read(uint16_t()))));
    case runtime::DType::kBF16:
      return std::bit_cast<float>(
          runtime::WidenBf16(static_cast<uint16_t>(read(uint16_t()))));
    case runtime::DType::kI64:
      return read(int64_t());
    case runtime::DType::kI32:
      return read(int32_t());
    default:
      return read(uint8_t());
  }
}

bool HasNumbers(runtime::DType dtype) {
  using runtime::DType;
  return runtime::IsWithinF32(dtype) || dtype == DType::kF64 ||
         dtype == DType::kI64 || dtype == DType::kI32 || dtype == DType::kBool;
}

// "smallest -1.2, largest 3.4, mean 0.1"; empty for what has no numbers.
std::string Summarize(const std::vector<std::byte>& bytes,
                      runtime::DType dtype) {
  const size_t count =
      bytes.size() / static_cast<size_t>(runtime::ByteWidth(dtype));
  if (count == 0 || !HasNumbers(dtype)) {
    return "";
  }
  double least = INFINITY, most = -INFINITY, sum = 0;
  size_t strange = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = NumberAt(bytes, dtype, i);
    strange += std::isfinite(value) ? 0 : 1;
    if (std::isfinite(value)) {
      least = std::min(least, value);
      most = std::max(most, value);
      sum += value;
    }
  }
  if (strange == count) {
    return "no finite number";
  }
  return absl::StrFormat(
      "smallest %g, largest %g, mean %g%s", least, most,
      sum / static_cast<double>(count - strange),
      strange == 0 ? "" : absl::StrCat(", ", strange, " not finite"));
}

class InferenceRun {
 public:
  InferenceRun(runtime::Vfs& vfs, const RunOptions& options,
               const std::string& python_environment)
      : vfs_(vfs), options_(options), python_environment_(python_environment) {}

  absl::Status Run() {
    RETURN_IF_ERROR(Open());
    RETURN_IF_ERROR(CheckFiles());
    RETURN_IF_ERROR(Create());
    RETURN_IF_ERROR(Initialize());
    for (const Bound& input : inputs_) {
      const auto bytes = ReadArray(vfs_, input);
      RETURN_IF_ERROR(WithExitCode(bytes.status(), ExitCode::kData));
      RETURN_IF_ERROR(WithExitCode(
          runtime::Annotate(inference_->SetInput(*input.tensor, *bytes),
                            absl::StrCat("'", input.path, "'")),
          ExitCode::kData));
    }
    const auto begin = std::chrono::steady_clock::now();
    RETURN_IF_ERROR(inference_->Run());
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - begin;
    Print(absl::StrFormat("%s: answered in %.1f ms by %s", options_.plan,
                          elapsed.count(), inference_->executor().Describe()));
    return WriteOutputs();
  }

 private:
  absl::Status Open() {
    ASSIGN_OR_RETURN(plan_,
                     runtime::Plan::Open(vfs_, options_.plan,
                                         runtime::WeightCheck::kWhenRead));
    if (plan_->view().FindFunction(planpb::FUNCTION_INFER) == nullptr) {
      return WithExitCode(
          absl::FailedPreconditionError(absl::StrCat(
              "'", options_.plan,
              "' trains and does not answer: compile the model with accelc "
              "--inference, or leave out --input and --output")),
          ExitCode::kCommandLine);
    }
    auto inputs = Bind(options_.inputs, "--input", plan_->manifest().inputs());
    RETURN_IF_ERROR(WithExitCode(inputs.status(), ExitCode::kCommandLine));
    auto outputs =
        Bind(options_.outputs, "--output", plan_->manifest().outputs());
    RETURN_IF_ERROR(WithExitCode(outputs.status(), ExitCode::kCommandLine));
    inputs_ = *std::move(inputs);
    outputs_ = *std::move(outputs);
    return absl::OkStatus();
  }

  absl::Status CheckFiles() {
    runtime::OutputFiles files(vfs_);
    absl::Status status = files.AddInput("plan", options_.plan);
    for (const Bound& input : inputs_) {
      status.Update(files.AddInput("--input", input.path));
    }
    if (!options_.weights.empty()) {
      status.Update(files.AddInput("--weights", options_.weights));
    }
    for (const Bound& output : outputs_) {
      status.Update(files.AddOutput("--output", output.path));
    }
    return WithExitCode(status, ExitCode::kCommandLine);
  }

  absl::Status Create() {
    runtime::DeviceOptions device;
    device.kind = runtime::ChooseDevice(plan_->view(),
                                        options_.device == "cpu"
                                            ? runtime::DeviceChoice::kCpu
                                            : runtime::DeviceChoice::kPlanned);
    device.threads = options_.threads;
    device.cuda_libs = options_.cuda_libs;
    device.python_environment = python_environment_;
    ASSIGN_OR_RETURN(device_, runtime::CreateDevice(vfs_, device));
    if (!plan_->manifest().kernels().empty()) {
      RETURN_IF_ERROR(
          runtime::Annotate(device_->ChooseVariant(plan_->view()).status(),
                            absl::StrCat("'", options_.plan, "'")));
    }
    runtime::ExecutorOptions executor;
    executor.seed = options_.seed;
    executor.weights_dir = options_.weights_dir;
    executor.serial = options_.serial;
    executor.timeout = std::chrono::nanoseconds(
        static_cast<int64_t>(options_.timeout_seconds * 1e9));
    ASSIGN_OR_RETURN(inference_, runtime::Inference::Create(
                                     vfs_, *plan_, *device_, executor));
    return absl::OkStatus();
  }

  absl::Status Initialize() {
    if (options_.weights.empty()) {
      return inference_->Initialize();
    }
    ASSIGN_OR_RETURN(const auto weights,
                     runtime::SafetensorsSet::Open(vfs_, options_.weights));
    ASSIGN_OR_RETURN(const auto comparison,
                     runtime::CompareWeights(plan_->view(), *weights));
    RETURN_IF_ERROR(WithExitCode(
        runtime::Annotate(
            runtime::CheckWeights(comparison, options_.weights_allowance,
                                  options_.weights),
            "--weights"),
        ExitCode::kCommandLine));
    return inference_->Initialize(
        [&](runtime::Executor& rank, runtime::Executor::RestoredPart part) {
          return part == runtime::Executor::RestoredPart::kParameters
                     ? runtime::LoadWeights(plan_->view(), *weights, rank)
                     : absl::OkStatus();
        });
  }

  absl::Status WriteOutputs() {
    for (const planpb::Tensor& output : plan_->manifest().outputs()) {
      ASSIGN_OR_RETURN(const auto bytes, inference_->ReadOutput(output));
      // Validated: the type is one of the runtime's.
      const runtime::DType dtype = *runtime::ToDType(output.dtype());
      std::string line =
          absl::StrCat("  ", output.name(), " ", runtime::FormatTensor(output));
      if (const std::string summary = Summarize(bytes, dtype);
          !summary.empty()) {
        absl::StrAppend(&line, ": ", summary);
      }
      const auto asked = std::ranges::find_if(
          outputs_, [&](const Bound& each) { return each.tensor == &output; });
      if (asked != outputs_.end()) {
        RETURN_IF_ERROR(
            runtime::Annotate(WriteArray(output, dtype, bytes, asked->path),
                              absl::StrCat("--output ", output.name())));
        absl::StrAppend(&line, "; in ", asked->path);
      }
      Print(line);
    }
    return absl::OkStatus();
  }

  absl::Status WriteArray(const planpb::Tensor& output, runtime::DType dtype,
                          const std::vector<std::byte>& bytes,
                          const std::string& path) {
    ASSIGN_OR_RETURN(
        std::string content,
        runtime::MakeNpyHeader(
            {dtype, {output.shape().begin(), output.shape().end()}}));
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return runtime::WriteFileAtomically(vfs_, path, content);
  }

  // To standard error where standard output takes an array.
  void Print(absl::string_view text) {
    if (options_.quiet) {
      return;
    }
    const bool is_taken =
        std::ranges::any_of(outputs_, [this](const Bound& output) {
          return runtime::IsStandardOutput(vfs_, output.path);
        });
    const int descriptor = is_taken ? STDERR_FILENO : STDOUT_FILENO;
    runtime::Console(
        runtime::TerminalTraits::OfDescriptor(descriptor, options_.color),
        runtime::Console::ToDescriptor(descriptor))
        .PrintLine(text);
  }

  runtime::Vfs& vfs_;
  const RunOptions& options_;
  const std::string& python_environment_;
  std::unique_ptr<runtime::Plan> plan_;
  std::vector<Bound> inputs_, outputs_;
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<runtime::Inference> inference_;
};

}  // namespace

std::string DescribeInputs(const planpb::Manifest& manifest) {
  std::string text;
  for (const planpb::Tensor& input : manifest.inputs()) {
    absl::StrAppend(&text, " --input ", input.name(), "=FILE.npy");
  }
  for (const planpb::Tensor& output : manifest.outputs()) {
    absl::StrAppend(&text, " --output ", output.name(), "=FILE.npy");
  }
  return text;
}

ExitCode RunInference(runtime::Vfs& vfs, const RunOptions& options,
                      const std::string& python_environment,
                      const runtime::Logger& logger) {
  const absl::Status status =
      InferenceRun(vfs, options, python_environment).Run();
  if (status.ok()) {
    return ExitCode::kOk;
  }
  logger.Log(runtime::LogLevel::kError, status.message());
  return ExitCodeOf(status, ExitCode::kInputOutput);
}

}  // namespace accel::tools
