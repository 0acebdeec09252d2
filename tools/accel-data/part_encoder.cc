// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A batch of parts, from which every thread takes the next one.
#include "tools/accel-data/part_encoder.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/deadline.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"

namespace accel::tools {
namespace {

// Enough for all threads, little enough for memory and for who wants to stop.
constexpr size_t kBatchBytes = size_t{4} << 20;
constexpr size_t kBatchParts = 4096;
// A batch takes seconds.
constexpr std::chrono::minutes kPatience{30};

}  // namespace

absl::StatusOr<std::unique_ptr<PartEncoder>> PartEncoder::Create(
    const Tokenizer& tokenizer, int threads, Take take) {
  auto encoder =
      std::unique_ptr<PartEncoder>(new PartEncoder(tokenizer, std::move(take)));
  if (threads > 1 && tokenizer.is_slow()) {
    ASSIGN_OR_RETURN(
        encoder->workers_,
        runtime::WorkerThreads::Create(threads, "the tokenizer's threads"));
  }
  return encoder;
}

PartEncoder::PartEncoder(const Tokenizer& tokenizer, Take take)
    : tokenizer_(tokenizer), take_(std::move(take)) {}

absl::Status PartEncoder::Add(DocumentPart part) {
  bytes_ += part.text.size();
  parts_.push_back(std::move(part));
  return bytes_ < kBatchBytes && parts_.size() < kBatchParts ? absl::OkStatus()
                                                             : EncodeAll();
}

void PartEncoder::EncodeSome() {
  for (size_t i = next_++; i < parts_.size(); i = next_++) {
    results_[i] = tokenizer_.Encode(parts_[i].text, ids_[i]);
  }
}

absl::Status PartEncoder::EncodeAll() {
  ids_.assign(parts_.size(), {});
  results_.assign(parts_.size(), absl::OkStatus());
  next_ = 0;
  if (workers_ == nullptr) {
    EncodeSome();
  } else {
    const auto job = [this](int) { EncodeSome(); };
    workers_->Start(workers_->count(), job);
    RETURN_IF_ERROR(workers_->WaitUntilDone(
        runtime::Deadline::After(kPatience),
        [] { return std::string("the tokenizer's threads"); }));
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    RETURN_IF_ERROR(runtime::Annotate(
        results_[i],
        absl::StrCat("'", parts_[i].path, "', line ", parts_[i].line)));
    RETURN_IF_ERROR(take_(parts_[i], ids_[i]));
  }
  parts_.clear();
  bytes_ = 0;
  return absl::OkStatus();
}

}  // namespace accel::tools
