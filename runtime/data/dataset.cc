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

absl::StatusOr<std::unique_ptr<Dataset>> Dataset::Open(
    Vfs& vfs, std::vector<SignatureField> signature,
    const DatasetOptions& options) {
  auto bound =
      options.data.empty()
          ? MakeSyntheticSources(signature, options.seed)
          : BindFiles(vfs, signature, options.data, options.global_batch);
  RETURN_IF_ERROR(bound.status());
  return std::unique_ptr<Dataset>(
      new Dataset(std::move(signature), *std::move(bound), options));
}

Dataset::Dataset(std::vector<SignatureField> signature, BoundSources bound,
                 const DatasetOptions& options)
    : signature_(std::move(signature)),
      sources_(std::move(bound.sources)),
      notes_(std::move(bound.notes)),
      size_(bound.rows),
      seed_(options.seed),
      shuffle_(options.shuffle),
      synthetic_(options.data.empty()),
      identity_(std::move(bound.identity)) {}

int64_t Dataset::RowOf(int64_t global_sample) const {
  const int64_t place = global_sample % size_;
  if (!shuffle_) {
    return place;
  }
  const Permutation order(seed_, static_cast<uint64_t>(global_sample / size_),
                          static_cast<uint64_t>(size_));
  return static_cast<int64_t>(order(static_cast<uint64_t>(place)));
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

std::string Dataset::Describe() const {
  std::string text;
  if (synthetic_) {
    text =
        "SYNTHETIC DATA: no --data was given, the model trains on made-up "
        "samples.\n";
  }
  absl::StrAppend(&text, FormatCount(size_),
                  size_ == 1 ? " sample" : " samples", " per epoch, ",
                  shuffle_ ? absl::StrCat("shuffled (seed ", seed_, ")")
                           : std::string("in order"),
                  "\n");
  for (size_t i = 0; i < signature_.size(); ++i) {
    absl::StrAppend(&text, "  ", signature_[i].Label(), " ",
                    FormatField(signature_[i]), ": ", notes_[i], "\n");
  }
  return text;
}

}  // namespace accel::runtime
