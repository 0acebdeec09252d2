// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which algorithm is the fastest depends on the clock alone; of equals the one
// is taken that the library would choose first.
#include "runtime/device/cuda/product_tuning.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "runtime/base/deadline.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {
namespace {

constexpr int kMostCandidates = 16;
// The first calls load code, and the clock of the GPU goes up.
constexpr size_t kWarmUpCalls = 3;
// Odd numbers have a median.
constexpr size_t kFewestCalls = 5;
constexpr size_t kMostCalls = 51;
constexpr double kEnoughMicroseconds = 20'000;
// What is faster by less may be slower next time.
constexpr double kLeastGain = 0.01;

double MedianOf(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

size_t CallsOf(double microseconds) {
  const double wanted = kEnoughMicroseconds / std::max(microseconds, 1e-3);
  return wanted >= kMostCalls
             ? kMostCalls
             : std::max(kFewestCalls, static_cast<size_t>(wanted) | 1);
}

}  // namespace

ProductTuning::ProductTuning(const Gpu& gpu, ProductCalls& products,
                             const PlanView& plan, const MemoryLayout& layout,
                             const TuningOptions& options)
    : gpu_(gpu),
      products_(products),
      plan_(plan),
      options_(options),
      work_(FindWork(layout)) {}

ProductTuning::~ProductTuning() {
  if (!gpu_.MakeCurrent().ok()) {
    return;
  }
  for (EventHandle event : events_) {
    if (event != nullptr) {
      gpu_.driver()->cuEventDestroy_v2(event);
    }
  }
}

std::vector<ProductTuning::Work> ProductTuning::FindWork(
    const MemoryLayout& layout) const {
  std::vector<Work> found;
  std::set<uint32_t> seen;
  for (const FunctionView& function : plan_.functions()) {
    for (const planpb::Instruction& instruction : function.instructions()) {
      const planpb::Launch& launch = instruction.launch();
      if (!instruction.has_launch() || !products_.IsProduct(launch.kernel()) ||
          !seen.insert(launch.kernel()).second) {
        continue;
      }
      Work& work = found.emplace_back();
      work.kernel = launch.kernel();
      for (const uint32_t access : launch.arguments()) {
        work.operands.push_back(
            layout.RangeOf(instruction.accesses(static_cast<int>(access)), 0));
      }
    }
  }
  return found;
}

absl::Status ProductTuning::Prepare() {
  uint64_t most = 0;
  for (const Work& work : work_) {
    most = std::max(most, OperandMemory::BytesFor(work.operands));
  }
  ASSIGN_OR_RETURN(memory_, OperandMemory::Create(gpu_, most));
  events_.resize(2 * kMostCalls);
  for (EventHandle& event : events_) {
    RETURN_IF_CUDA_ERROR(gpu_.driver(), cuEventCreate, &event, kEventDefault);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::map<std::string, TunedProduct>> ProductTuning::Run() {
  auto tuned = TuneAll();
  if (absl::IsInternal(tuned.status()) ||
      absl::IsDeadlineExceeded(tuned.status())) {
    gpu_.Abandon();
  }
  return tuned;
}

absl::StatusOr<std::map<std::string, TunedProduct>> ProductTuning::TuneAll() {
  std::map<std::string, TunedProduct> all;
  if (work_.empty()) {
    return all;
  }
  RETURN_IF_ERROR(Prepare());
  for (const Work& work : work_) {
    const std::string& name =
        plan_.manifest().kernels(static_cast<int>(work.kernel)).name();
    auto tuned = Tune(work);
    RETURN_IF_ERROR(
        Annotate(tuned.status(), absl::StrCat("kernel '", name, "'")));
    if (options_.measured) {
      RETURN_IF_ERROR(options_.measured(name, *tuned));
    }
    all.emplace(name, *std::move(tuned));
  }
  return all;
}

absl::StatusOr<TunedProduct> ProductTuning::Tune(const Work& work) {
  RETURN_IF_ERROR(
      memory_->Place(products_.product(work.kernel), work.operands));
  ASSIGN_OR_RETURN(const std::vector<MatmulAlgo> candidates,
                   products_.FindCandidates(work.kernel, kMostCandidates));
  if (candidates.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("cuBLASLt ", products_.library().Version(),
                     " refuses all algorithms that it offers"));
  }
  const MatmulAlgo* best = nullptr;
  double first_us = 0;
  double best_us = 0;
  for (const MatmulAlgo& candidate : candidates) {
    products_.Use(work.kernel, candidate);
    ASSIGN_OR_RETURN(const double us, MeasureMicroseconds(work.kernel));
    if (best == nullptr) {
      first_us = us;
    }
    if (best == nullptr || us < (1 - kLeastGain) * best_us) {
      best = &candidate;
      best_us = us;
    }
  }
  products_.Use(work.kernel, *best);
  TunedProduct tuned = products_.Describe(work.kernel);
  tuned.candidates = static_cast<uint32_t>(candidates.size());
  tuned.first_us = first_us;
  tuned.best_us = best_us;
  return tuned;
}

absl::StatusOr<double> ProductTuning::MeasureMicroseconds(uint32_t kernel) {
  ASSIGN_OR_RETURN(const std::vector<double> warm_up,
                   TimeCalls(kernel, kWarmUpCalls));
  ASSIGN_OR_RETURN(std::vector<double> measured,
                   TimeCalls(kernel, CallsOf(warm_up.back())));
  return MedianOf(std::move(measured));
}

absl::StatusOr<std::vector<double>> ProductTuning::TimeCalls(uint32_t kernel,
                                                             size_t count) {
  for (size_t call = 0; call < count; ++call) {
    RETURN_IF_ERROR(Enqueue(kernel, events_[2 * call], events_[2 * call + 1]));
  }
  const auto owner = [&] {
    return absl::StrCat("calls with ", products_.Describe(kernel).description);
  };
  RETURN_IF_ERROR(PollUntil(Deadline::After(options_.timeout), owner, [&] {
    return gpu_.driver().IsDone(events_[2 * count - 1]);
  }));
  std::vector<double> microseconds;
  for (size_t call = 0; call < count; ++call) {
    float milliseconds = 0;
    RETURN_IF_CUDA_ERROR(gpu_.driver(), cuEventElapsedTime, &milliseconds,
                         events_[2 * call], events_[2 * call + 1]);
    // To the nanosecond; no event tells more.
    microseconds.push_back(std::round(1e6 * static_cast<double>(milliseconds)) /
                           1e3);
  }
  return microseconds;
}

// Of an accumulated result most microbatches add to what is there.
absl::Status ProductTuning::Enqueue(uint32_t kernel, EventHandle begin,
                                    EventHandle end) {
  const bool adds =
      products_.product(kernel).mode() != planpb::Product::RESULT_STORED;
  RETURN_IF_ERROR(memory_->FillCache());
  RETURN_IF_CUDA_ERROR(gpu_.driver(), cuEventRecord, begin, memory_->stream());
  RETURN_IF_ERROR(
      products_.Run(kernel, memory_->operands(), adds, memory_->stream()));
  RETURN_IF_CUDA_ERROR(gpu_.driver(), cuEventRecord, end, memory_->stream());
  return absl::OkStatus();
}

}  // namespace accel::runtime::cuda
