// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Token chains and hidden numbers, all from the one counter-based generator.
#include "runtime/data/synthetic_source.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/filled_source.h"
#include "runtime/data/integer_element.h"
#include "runtime/data/token_fields.h"
#include "runtime/random/philox.h"

namespace accel::runtime {
namespace {

constexpr uint32_t kChainSite = kSyntheticSite;
constexpr uint32_t kHiddenSite = kSyntheticSite + 1;
constexpr uint32_t kNoiseSite = kSyntheticSite + 2;
// Few enough that a small model sees each of them often.
constexpr int64_t kDistinctTokens = 64;
constexpr int64_t kHiddenNumbers = 8;

// How many values of a range are used.
uint32_t UsedSpan(IntegerRange range) {
  // The difference of two int64 fits uint64; the most values need one more.
  const uint64_t last =
      static_cast<uint64_t>(range.max) - static_cast<uint64_t>(range.min);
  return static_cast<uint32_t>(std::min<uint64_t>(last, kDistinctTokens - 1) +
                               1);
}

// Token chains: start anywhere, then 5 t + 17 modulo the span, but one token in
// eight is drawn afresh.
class ChainSource final : public SampleSource {
 public:
  ChainSource(SignatureField field, const SignatureField& tokens, uint64_t seed)
      : field_(std::move(field)),
        min_(tokens.min_value),
        span_(UsedSpan({tokens.min_value, tokens.max_value})),
        seed_(seed) {}

  absl::Status Fill(int64_t row, absl::Span<std::byte> dst) const override {
    const int64_t length = field_.sample_elements();
    const int64_t width = ByteWidth(field_.dtype);
    const int64_t shift = field_.is_successor() ? 1 : 0;
    uint32_t token = 0;
    for (int64_t t = 0; t < length + shift; ++t) {
      const uint32_t word = RandomWord(seed_, kChainSite, row, t);
      const bool fresh = t == 0 || (word & 7) == 0;
      token = fresh ? ScaleBelow(word, span_) : (token * 5 + 17) % span_;
      if (t >= shift) {
        StoreInteger(field_.dtype, min_ + token,
                     dst.data() + (t - shift) * width);
      }
    }
    return absl::OkStatus();
  }

 private:
  SignatureField field_;
  int64_t min_;
  uint32_t span_;
  uint64_t seed_;
};

// In [-1, 1).
float Centred(uint32_t word) { return 2 * UnitFloat(word) - 1; }

// Element e shows hidden number e mod 8 of its row.
class HiddenSource final : public SampleSource {
 public:
  HiddenSource(SignatureField field, uint64_t seed)
      : field_(std::move(field)), seed_(seed) {}

  absl::Status Fill(int64_t row, absl::Span<std::byte> dst) const override {
    std::array<float, kHiddenNumbers> hidden;
    for (int64_t k = 0; k < kHiddenNumbers; ++k) {
      hidden[k] = Centred(RandomWord(seed_, kHiddenSite, row, k));
    }
    const int64_t width = ByteWidth(field_.dtype);
    const PhiloxKey key = MakePhiloxKey(seed_, kNoiseSite);
    PhiloxBlock noise = {};
    for (int64_t e = 0; e < field_.sample_elements(); ++e) {
      if (e % 4 == 0) {
        noise = Philox4x32(key, MakePhiloxCounter(row, e));
      }
      Store(e, hidden[e % kHiddenNumbers], noise[e % 4],
            dst.data() + e * width);
    }
    return absl::OkStatus();
  }

 private:
  void Store(int64_t element, float hidden, uint32_t noise,
             std::byte* dst) const {
    if (IsInteger(field_.dtype)) {
      IntegerRange range = field_.RangeAt(element);
      if (range.min == INT64_MIN) {  // a number among categories
        range = {0, kDistinctTokens - 1};
      }
      const float position = (hidden + 1) / 2 * UsedSpan(range);
      return StoreInteger(field_.dtype,
                          range.min + static_cast<int64_t>(position), dst);
    }
    const float value =
        field_.is_target() ? hidden : hidden + 0.25f * Centred(noise);
    if (field_.dtype == DType::kF64) {
      const double wide = value;
      std::memcpy(dst, &wide, sizeof(wide));
    } else {
      std::memcpy(dst, &value, sizeof(value));
    }
  }

  SignatureField field_;
  uint64_t seed_;
};

struct Choice {
  std::unique_ptr<SampleSource> source;
  std::string note;
};

absl::StatusOr<Choice> Choose(const SignatureField& field,
                              const SignatureField* tokens, uint64_t seed) {
  Choice choice;
  if (tokens != nullptr &&
      (&field == tokens || IsSuccessorTarget(field, *tokens))) {
    choice.source = std::make_unique<ChainSource>(field, *tokens, seed);
    choice.note = field.is_successor()
                      ? "successors in the synthetic token chains"
                      : "synthetic token chains";
  } else if (field.dtype == DType::kF32 || field.dtype == DType::kF64 ||
             !field.ranges.empty() ||
             (IsInt64Compatible(field.dtype) && field.has_range() &&
              (field.is_target() || tokens == nullptr))) {
    choice.source = std::make_unique<HiddenSource>(field, seed);
    choice.note = "synthetic values";
  } else if (IsInt64Compatible(field.dtype) && !field.is_target()) {
    // Neither tokens nor classes: positions where there is a range, and
    // otherwise a mask.
    using Fill = SignatureField::Fill;
    const Fill fill = field.has_range() ? Fill::kPositions : Fill::kOnes;
    choice.source = std::make_unique<FilledSource>(field, fill);
    choice.note = FilledSource::Describe(fill);
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        field.Label(), ": no synthetic data for ", FormatField(field),
        "; give --data ", field.name, "=FILE.npy"));
  }
  return choice;
}

}  // namespace

absl::StatusOr<BoundSources> MakeSyntheticSources(
    const std::vector<SignatureField>& signature, uint64_t seed) {
  const std::vector<size_t> inputs = TokenInputs(signature);
  const SignatureField* tokens = nullptr;
  if (!inputs.empty() && SuccessorTarget(signature, inputs[0]).has_value()) {
    tokens = &signature[inputs[0]];
  }
  BoundSources bound;
  bound.rows = kSyntheticRows;
  ErrorList errors;
  Sha256 hash;
  hash.Update("synthetic data, version 1");
  for (const SignatureField& field : signature) {
    auto choice = Choose(field, tokens, seed);
    if (!choice.ok()) {
      errors.Add(choice.status());
      continue;
    }
    hash.UpdateInteger(field.name.size());
    hash.Update(field.name);
    bound.notes.push_back(std::move(choice->note));
    bound.sources.push_back(std::move(choice->source));
  }
  bound.identity = ToHex(hash.Finish());
  RETURN_IF_ERROR(errors.ToStatus("no data for the plan"));
  return bound;
}

}  // namespace accel::runtime
