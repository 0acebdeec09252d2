// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order and epochs over the sources of a signature's fields.
#include "runtime/data/dataset.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/file_binder.h"
#include "runtime/data/synthetic_source.h"
#include "runtime/random/permutation.h"

namespace accel::runtime {

static absl::StatusOr<Blend::Opened> OpenAny(
    Vfs& vfs, const std::vector<SignatureField>& signature,
    const DatasetOptions& options) {
  if (options.data.size() == 1 && NamesBlend(options.data[0])) {
    return Blend::Open(vfs, signature, options.data[0], options.option);
  }
  auto bound = options.data.empty()
                   ? MakeSyntheticSources(signature, options.seed)
                   : BindFiles(vfs, signature, options.data,
                               options.global_batch, options.option);
  RETURN_IF_ERROR(bound.status());
  return Blend::Opened{nullptr, *std::move(bound)};
}

absl::StatusOr<std::unique_ptr<Dataset>> Dataset::Open(
    Vfs& vfs, std::vector<SignatureField> signature,
    const DatasetOptions& options) {
  ASSIGN_OR_RETURN(Blend::Opened opened, OpenAny(vfs, signature, options));
  return std::unique_ptr<Dataset>(
      new Dataset(std::move(signature), std::move(opened), options));
}

Dataset::Dataset(std::vector<SignatureField> signature, Blend::Opened opened,
                 const DatasetOptions& options)
    : signature_(std::move(signature)),
      sources_(std::move(opened.bound.sources)),
      notes_(std::move(opened.bound.notes)),
      blend_(std::move(opened.blend)),
      size_(opened.bound.rows),
      global_batch_(options.global_batch),
      seed_(options.seed),
      shuffle_(options.shuffle),
      synthetic_(options.data.empty()),
      identity_(std::move(opened.bound.identity)) {}

absl::Status Dataset::CheckRun(int64_t samples) const {
  return blend_ == nullptr ? absl::OkStatus()
                           : blend_->CheckRun(samples, global_batch_);
}

int64_t Dataset::RowOf(int64_t global_sample) const {
  if (blend_ != nullptr) {
    return blend_->RowOf(global_sample, seed_, shuffle_);
  }
  const int64_t place = global_sample % size_;
  if (!shuffle_) {
    return place;
  }
  const Permutation order(seed_, static_cast<uint64_t>(global_sample / size_),
                          static_cast<uint64_t>(size_));
  return static_cast<int64_t>(order(static_cast<uint64_t>(place)));
}

std::string Dataset::DescribeRow(int64_t row) const {
  return blend_ == nullptr ? absl::StrCat(row, " of the data")
                           : blend_->DescribeRow(row);
}

absl::Status Dataset::Fill(int64_t global_sample, size_t field,
                           absl::Span<std::byte> dst) const {
  const int64_t expected = signature_[field].sample_bytes();
  if (static_cast<int64_t>(dst.size()) != expected) {
    return absl::InternalError(absl::StrCat(signature_[field].Label(),
                                            ": expected room for ", expected,
                                            " bytes, got ", dst.size()));
  }
  return sources_[field]->Fill(RowOf(global_sample), dst);
}

std::string Dataset::Describe(int64_t run_samples) const {
  std::string text;
  if (synthetic_) {
    text =
        "SYNTHETIC DATA: no --data was given, the model trains on made-up "
        "samples.\n";
  }
  const absl::string_view samples = size_ == 1 ? " sample" : " samples";
  absl::StrAppend(
      &text, FormatCount(size_), samples,
      blend_ == nullptr ? std::string(" per epoch, ")
                        : absl::StrCat(" in ", blend_->Name(), ", each "),
      shuffle_ ? absl::StrCat("shuffled (seed ", seed_, ")")
               : std::string("in order"),
      "\n", blend_ == nullptr ? "" : blend_->DescribeRun(run_samples));
  for (size_t i = 0; i < signature_.size(); ++i) {
    absl::StrAppend(&text, "  ", signature_[i].Label(), " ",
                    FormatField(signature_[i]), ": ", notes_[i], "\n");
  }
  return text;
}

}  // namespace accel::runtime
