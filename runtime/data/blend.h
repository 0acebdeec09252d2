// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several datasets as one: the rows of all of them, one dataset behind the
// other, and which of them a run takes when. Each dataset has an order of its
// own in each of its epochs.
#ifndef ACCEL_RUNTIME_DATA_BLEND_H_
#define ACCEL_RUNTIME_DATA_BLEND_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/data/blend_file.h"
#include "runtime/data/blend_order.h"
#include "runtime/data/data_flag.h"
#include "runtime/data/sample_source.h"
#include "runtime/data/signature.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// Threads: const member functions may be called from any thread.
class Blend {
 public:
  // Opens the datasets that the file names and gives their rows together, as
  // BindFiles gives those of one. All faults are in the one error. The identity
  // covers weights and contents, and not how many epochs are allowed. Messages
  // call the option that names data `option`.
  // Borrows: the vfs, as long as the sources live.
  struct Opened;
  static absl::StatusOr<Opened> Open(
      Vfs& vfs, const std::vector<SignatureField>& signature,
      const std::string& path, absl::string_view option = kDataOption);

  // The row of all datasets together that sample `global_sample` of a run
  // shows. Constant time; allocates nothing.
  // Requires: global_sample >= 0.
  int64_t RowOf(int64_t global_sample, uint64_t seed, bool shuffle) const;

  // The most samples that a run may take before a dataset has been taken
  // `epochs` times.
  int64_t MostSamples() const;
  // Whether a run of so many samples takes one at least of each dataset, and no
  // more of any than its epochs allow. InvalidArgument names each dataset that
  // does not, with its numbers; `global_batch` is for the steps in the remedy.
  absl::Status CheckRun(int64_t samples, int64_t global_batch) const;
  // A line for each dataset: its weight, and what such a run takes of it.
  std::string DescribeRun(int64_t samples) const;
  // "7 of 'web.bin'": the dataset of a row of all of them, and its row there.
  std::string DescribeRow(int64_t row) const;
  // "the blend 'mix.toml' of 3 datasets".
  std::string Name() const;

 private:
  struct Part {
    BlendEntry entry;
    double share = 0;     // of the run
    int64_t first = 0;    // row of all
    int64_t rows = 0;     // of its own, at least 1
    int64_t allowed = 0;  // samples in a run
  };

  Blend(std::string path, std::vector<Part> parts, BlendOrder order)
      : path_(std::move(path)),
        parts_(std::move(parts)),
        order_(std::move(order)) {}

  std::string path_;
  std::vector<Part> parts_;
  BlendOrder order_;
};

struct Blend::Opened {
  std::unique_ptr<Blend> blend;
  BoundSources bound;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_BLEND_H_
