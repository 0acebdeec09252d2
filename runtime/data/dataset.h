// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds the fields of a plan's signature to files (or to synthetic data) and
// serves single samples. A sample is a pure function of (data, seed, global
// index): ranks, microbatches and history change nothing.
#ifndef ACCEL_RUNTIME_DATA_DATASET_H_
#define ACCEL_RUNTIME_DATA_DATASET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/data/blend.h"
#include "runtime/data/data_flag.h"
#include "runtime/data/sample_source.h"
#include "runtime/data/signature.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

struct DatasetOptions {
  std::vector<std::string> data = {};  // values of the option; none: synthetic
  uint64_t seed = 0;
  bool shuffle = true;
  int64_t global_batch = 1;
  // What messages call the option of `data`.
  std::string option = std::string(kDataOption);
};

// Threads: Fill() and the other const functions may be called from any thread.
class Dataset {
 public:
  // Checks names, shapes, dtypes, counts and (for files up to kWholeCheckLimit)
  // values; every fault is in the one error. Rules for what is bound to what
  // are in docs of --data and, field by field, in Describe(). Borrows: the vfs,
  // as long as the data set lives.
  static absl::StatusOr<std::unique_ptr<Dataset>> Open(
      Vfs& vfs, std::vector<SignatureField> signature,
      const DatasetOptions& options);

  // The fields in the signature's order; Fill() names them by index.
  const std::vector<SignatureField>& signature() const { return signature_; }
  // Samples in one epoch; of a blend, in all its datasets.
  int64_t size() const { return size_; }
  // Of a run that is not told how long: one epoch, or as much of a blend as its
  // datasets allow.
  int64_t DefaultSamples() const {
    return blend_ == nullptr ? size_ : blend_->MostSamples();
  }
  // Whether a run may take its first `samples` samples of these data. A blend
  // has bounds (Blend::CheckRun), all else may be repeated.
  absl::Status CheckRun(int64_t samples) const;
  bool synthetic() const { return synthetic_; }
  bool blended() const { return blend_ != nullptr; }
  // SHA-256 of what the data are, in hexadecimal: contents and bindings, not
  // paths, times, seed or order.
  const std::string& identity() const { return identity_; }
  // Lines for people: which field comes from where, samples per epoch, and what
  // a run of `run_samples` takes of the datasets of a blend. Says loudly when
  // the data are synthetic.
  std::string Describe(int64_t run_samples) const;

  // The row that sample `global_sample` of a run shows: of epoch g / size(),
  // row g % size() of that epoch's order. Of a blend, a row of all its datasets
  // (Blend::RowOf). Requires: global_sample >= 0.
  int64_t RowOf(int64_t global_sample) const;
  // "7 of the data"; of a blend "7 of 'web.bin'".
  std::string DescribeRow(int64_t row) const;

  // Writes field `field` of one sample, converted to the field's dtype.
  // Allocates nothing.
  // Requires: field < signature().size(); global_sample >= 0;
  // dst.size() == signature()[field].sample_bytes().
  absl::Status Fill(int64_t global_sample, size_t field,
                    absl::Span<std::byte> dst) const;

 private:
  Dataset(std::vector<SignatureField> signature, Blend::Opened opened,
          const DatasetOptions& options);

  std::vector<SignatureField> signature_;
  std::vector<std::unique_ptr<SampleSource>> sources_;  // one per field
  std::vector<std::string> notes_;
  std::unique_ptr<Blend> blend_;  // null: no blend
  int64_t size_ = 0;
  int64_t global_batch_ = 1;
  uint64_t seed_ = 0;
  bool shuffle_ = true;
  bool synthetic_ = false;
  std::string identity_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_DATASET_H_
