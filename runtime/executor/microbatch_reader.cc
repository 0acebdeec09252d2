// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples from the data set, and the fields that are made here.
#include "runtime/executor/microbatch_reader.h"

#include <cstring>
#include <utility>

#include "runtime/base/status_macros.h"
#include "runtime/executor/plan_field.h"

namespace accel::runtime {
namespace {

bool ComesFromData(const planpb::SignatureField& field) {
  return field.role() != planpb::SignatureField::ROLE_BUILTIN;
}

SignatureField::Fill ToFill(planpb::SignatureField::Fill fill) {
  switch (fill) {
    case planpb::SignatureField::FILL_TOKENS:
      return SignatureField::Fill::kTokens;
    case planpb::SignatureField::FILL_ONES:
      return SignatureField::Fill::kOnes;
    case planpb::SignatureField::FILL_POSITIONS:
      return SignatureField::Fill::kPositions;
    default:
      return SignatureField::Fill::kNone;
  }
}

template <typename T>
void Store(absl::Span<std::byte> dst, int64_t index, T value) {
  std::memcpy(&dst[index * sizeof(T)], &value, sizeof(T));
}

}  // namespace

std::vector<SignatureField> DataSignature(const planpb::Manifest& manifest) {
  std::vector<SignatureField> fields;
  for (const planpb::SignatureField& field : manifest.signature()) {
    if (!ComesFromData(field)) {
      continue;
    }
    SignatureField converted = ToField(field);
    converted.role = field.role() == planpb::SignatureField::ROLE_TARGET
                         ? SignatureField::Role::kTarget
                         : SignatureField::Role::kInput;
    converted.fill = ToFill(field.fill());
    fields.push_back(std::move(converted));
  }
  return fields;
}

MicrobatchReader::MicrobatchReader(const PlanView& plan, const Dataset& dataset,
                                   const BatchPlan& batch, int64_t seed)
    : plan_(plan), dataset_(dataset), batch_(batch), seed_(seed) {
  size_t next = 0;
  for (const planpb::SignatureField& field : plan.manifest().signature()) {
    dataset_fields_.push_back(
        ComesFromData(field) ? std::optional<size_t>(next++) : std::nullopt);
  }
}

absl::Status MicrobatchReader::Read(uint32_t field, int64_t step,
                                    int64_t iteration,
                                    absl::Span<std::byte> dst) const {
  if (!dataset_fields_[field]) {
    FillBuiltin(plan_.manifest().signature(static_cast<int>(field)), step,
                iteration, dst);
    return absl::OkStatus();
  }
  const int64_t rows = batch_.microbatch();
  const size_t bytes = dst.size() / rows;
  for (int64_t row = 0; row < rows; ++row) {
    const auto sample = batch_.SampleOf(step, iteration, row);
    RETURN_IF_ERROR(dataset_.Fill(sample.index, *dataset_fields_[field],
                                  dst.subspan(row * bytes, bytes)));
  }
  return absl::OkStatus();
}

void MicrobatchReader::FillBuiltin(const planpb::SignatureField& field,
                                   int64_t step, int64_t iteration,
                                   absl::Span<std::byte> dst) const {
  if (field.name() == "seed") {
    Store<int64_t>(dst, 0, seed_);
    return;
  }
  if (field.name() == "microbatches_behind") {
    Store<float>(dst, 0,
                 static_cast<float>(batch_.MicrobatchesBehind(iteration)));
    return;
  }
  if (field.name() == "iterations_behind") {
    Store<float>(dst, 0,
                 static_cast<float>(batch_.IterationsBehind(iteration)));
    return;
  }
  for (int64_t row = 0; row < batch_.microbatch(); ++row) {
    const auto sample = batch_.SampleOf(step, iteration, row);
    if (field.name() == "sample_indices") {
      Store<int64_t>(dst, row, sample.index);
    } else {
      Store<float>(dst, row, sample.weight);
    }
  }
}

}  // namespace accel::runtime
