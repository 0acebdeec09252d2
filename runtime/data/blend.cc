// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening of a blend, and what is said of it.
#include "runtime/data/blend.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/amount.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/file_binder.h"
#include "runtime/random/permutation.h"

namespace accel::runtime {
namespace {

// One field of all datasets: their rows, one dataset behind the other.
class BlendedSource final : public SampleSource {
 public:
  void Add(int64_t first_row, std::unique_ptr<SampleSource> source) {
    first_rows_.push_back(first_row);
    sources_.push_back(std::move(source));
  }

  absl::Status Fill(int64_t row, absl::Span<std::byte> dst) const override {
    const auto index = static_cast<size_t>(
        std::upper_bound(first_rows_.begin(), first_rows_.end(), row) -
        first_rows_.begin() - 1);
    return sources_[index]->Fill(row - first_rows_[index], dst);
  }

 private:
  std::vector<int64_t> first_rows_;
  std::vector<std::unique_ptr<SampleSource>> sources_;
};

// The first few notes of a field; all of them would fill the screen.
std::string JoinNotes(const std::vector<BoundSources>& parts, size_t field) {
  constexpr size_t kShown = 2;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, parts.size()); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : "; ", parts[i].notes[field]);
  }
  if (parts.size() > kShown) {
    absl::StrAppend(&text, "; and so in ", parts.size() - kShown, " more");
  }
  return text;
}

// All rows together, in which every part begins at its first row.
BoundSources Concatenate(std::vector<BoundSources> parts,
                         const std::vector<int64_t>& quotas) {
  BoundSources all;
  Sha256 hash;
  hash.Update("blend, version 1");
  hash.UpdateInteger(parts.size());
  std::vector<std::unique_ptr<BlendedSource>> sources;
  const size_t fields = parts[0].sources.size();
  for (size_t field = 0; field < fields; ++field) {
    sources.push_back(std::make_unique<BlendedSource>());
    all.notes.push_back(JoinNotes(parts, field));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    hash.UpdateInteger(static_cast<uint64_t>(quotas[i]));
    hash.Update(parts[i].identity);
    for (size_t field = 0; field < fields; ++field) {
      sources[field]->Add(all.rows, std::move(parts[i].sources[field]));
    }
    all.rows += parts[i].rows;
  }
  all.identity = ToHex(hash.Finish());
  for (auto& source : sources) {
    all.sources.push_back(std::move(source));
  }
  return all;
}

std::string WeightText(double share) {
  return absl::StrFormat("%.5g%% of the run", share * 100);
}

// "'mix.toml', line 3 ('web.bin')".
std::string PlaceText(const std::string& path, const BlendEntry& entry) {
  return absl::StrCat("line ", entry.line, " of '", path, "' (", entry.name,
                      ")");
}

absl::StatusOr<std::vector<BoundSources>> BindParts(
    Vfs& vfs, const std::vector<SignatureField>& signature,
    const std::string& path, absl::string_view option,
    const std::vector<BlendEntry>& entries) {
  std::vector<BoundSources> parts;
  ErrorList errors;
  int64_t rows = 0;
  for (const BlendEntry& entry : entries) {
    auto bound =
        BindFiles(vfs, signature, entry.data, /*global_batch=*/1, option);
    if (bound.ok() && __builtin_add_overflow(rows, bound->rows, &rows)) {
      bound = absl::InvalidArgumentError(
          absl::StrCat("expected at most ", INT64_MAX,
                       " rows in all datasets, got more; leave some out"));
    }
    if (!bound.ok()) {
      errors.Add(Annotate(bound.status(), PlaceText(path, entry)));
      continue;
    }
    parts.push_back(*std::move(bound));
  }
  RETURN_IF_ERROR(errors.ToStatus("a blend cannot be opened"));
  return parts;
}

absl::StatusOr<std::vector<int64_t>> QuotasOf(
    const std::string& path, const std::vector<BlendEntry>& entries) {
  std::vector<double> weights;
  for (const BlendEntry& entry : entries) {
    weights.push_back(entry.weight);
  }
  std::vector<int64_t> quotas = RoundWeights(weights);
  ErrorList errors;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (quotas[i] == 0) {
      errors.Add(absl::StrCat(
          PlaceText(path, entries[i]),
          ": expected a weight of 2^-20 of all "
          "weights or more, got ",
          FormatRoundTrip(entries[i].weight),
          ", which is none of 1,048,576 samples; leave the dataset out, or "
          "give it more"));
    }
  }
  RETURN_IF_ERROR(errors.ToStatus("a blend has a weight that is too small"));
  return quotas;
}

}  // namespace

absl::StatusOr<Blend::Opened> Blend::Open(
    Vfs& vfs, const std::vector<SignatureField>& signature,
    const std::string& path, absl::string_view option) {
  ASSIGN_OR_RETURN(std::vector<BlendEntry> entries, ReadBlendFile(vfs, path));
  ASSIGN_OR_RETURN(const std::vector<int64_t> quotas, QuotasOf(path, entries));
  ASSIGN_OR_RETURN(std::vector<BoundSources> bound,
                   BindParts(vfs, signature, path, option, entries));
  std::vector<Part> parts;
  int64_t first = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    Part part;
    part.rows = bound[i].rows;
    part.first = first;
    part.share =
        static_cast<double>(quotas[i]) / static_cast<double>(kBlendUnit);
    if (__builtin_mul_overflow(part.rows, entries[i].epochs, &part.allowed)) {
      part.allowed = INT64_MAX;
    }
    part.entry = std::move(entries[i]);
    first += part.rows;
    parts.push_back(std::move(part));
  }
  Opened opened;
  opened.blend =
      absl::WrapUnique(new Blend(path, std::move(parts), BlendOrder(quotas)));
  opened.bound = Concatenate(std::move(bound), quotas);
  return opened;
}

int64_t Blend::RowOf(int64_t global_sample, uint64_t seed, bool shuffle) const {
  const BlendOrder::Place place = order_.At(global_sample);
  const Part& part = parts_[place.dataset];
  const int64_t row = place.index % part.rows;
  if (!shuffle) {
    return part.first + row;
  }
  // Datasets of one size must not be in step: each has epochs of its own.
  constexpr int kEpochBits = 48;
  const uint64_t epoch = static_cast<uint64_t>(place.index / part.rows) |
                         static_cast<uint64_t>(place.dataset) << kEpochBits;
  const Permutation order(seed, epoch, static_cast<uint64_t>(part.rows));
  return part.first + static_cast<int64_t>(order(static_cast<uint64_t>(row)));
}

int64_t Blend::MostSamples() const {
  std::vector<int64_t> allowed;
  for (const Part& part : parts_) {
    allowed.push_back(part.allowed);
  }
  const std::vector<int64_t> ends = order_.Find(allowed);
  return *std::min_element(ends.begin(), ends.end());
}

absl::Status Blend::CheckRun(int64_t samples, int64_t global_batch) const {
  const std::vector<int64_t> counts = order_.CountFirst(samples);
  const std::vector<int64_t> begins =
      order_.Find(std::vector<int64_t>(parts_.size(), 0));
  ErrorList errors;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const std::string place = absl::StrCat(PlaceText(path_, part.entry), ", ",
                                           WeightText(part.share));
    if (counts[i] == 0) {
      errors.Add(absl::StrCat(
          place, ": expected one of the ", FormatCount(samples),
          " samples of the run or more, got none; it takes ",
          Amount(begins[i] / global_batch + 1, "step"),
          " to come to it: take more, give it more weight, or leave it "
          "out"));
    } else if (counts[i] > part.allowed) {
      errors.Add(absl::StrCat(
          place, ": expected at most ", FormatCount(part.allowed), " samples, ",
          part.entry.epochs == 1
              ? std::string("as many as there are")
              : absl::StrCat(part.entry.epochs, " times the ",
                             FormatCount(part.rows), " there are"),
          ", got ", FormatCount(counts[i]), " of the ", FormatCount(samples),
          " samples of the run; say epochs = ",
          (counts[i] + part.rows - 1) / part.rows,
          " if it shall be repeated so often, give it less weight, or take ",
          Amount(MostSamples() / global_batch, "step")));
    }
  }
  return errors.ToStatus("the run does not fit its blend");
}

std::string Blend::DescribeRun(int64_t samples) const {
  const std::vector<int64_t> counts = order_.CountFirst(samples);
  std::string text;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    absl::StrAppend(&text, "  ", WeightText(part.share), ": ",
                    FormatCount(counts[i]), " samples of ", part.entry.name,
                    ", which has ", FormatCount(part.rows),
                    absl::StrFormat(": %.3g epochs of %d\n",
                                    static_cast<double>(counts[i]) /
                                        static_cast<double>(part.rows),
                                    part.entry.epochs));
  }
  return text;
}

std::string Blend::DescribeRow(int64_t row) const {
  const auto part = std::upper_bound(
      parts_.begin(), parts_.end(), row,
      [](int64_t value, const Part& each) { return value < each.first; });
  return absl::StrCat(row - std::prev(part)->first, " of ",
                      std::prev(part)->entry.name);
}

std::string Blend::Name() const {
  return absl::StrCat("the blend '", path_, "' of ", parts_.size(),
                      parts_.size() == 1 ? " dataset" : " datasets");
}

}  // namespace accel::runtime
