// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares names, shapes and types, and reads tensors in pieces of 4 MiB.
#include "runtime/checkpoint/model_weights.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/widen_floats.h"
#include "runtime/executor/parameters.h"

namespace accel::runtime {
namespace {

using Row = WeightsComparison::Row;

constexpr uint64_t kPieceBytes = uint64_t{4} << 20;
constexpr size_t kMostRows = 40;
constexpr size_t kWidestName = 80;  // that others are aligned with
constexpr char kNone[] = "none";

bool Becomes(DType found, DType planned) {
  return found == planned || (planned == DType::kF32 && IsWithinF32(found));
}

std::vector<int64_t> ShapeOf(const planpb::Parameter& parameter) {
  return {parameter.shape().begin(), parameter.shape().end()};
}

std::string TypeText(DType dtype, absl::Span<const int64_t> shape) {
  return absl::StrCat(DTypeName(dtype), " ", FormatShape(shape));
}

std::string TypeText(const SafetensorsEntry& entry) {
  return TypeText(entry.dtype, entry.shape);
}

bool Fits(const planpb::Parameter& parameter, DType planned,
          const SafetensorsEntry& entry) {
  return entry.shape == ShapeOf(parameter) && Becomes(entry.dtype, planned);
}

std::vector<Row> Faults(const WeightsComparison& comparison,
                        const WeightsAllowance& allowance) {
  std::vector<Row> rows = comparison.mismatched;
  const auto add = [&rows](const std::vector<Row>& more) {
    rows.insert(rows.end(), more.begin(), more.end());
  };
  if (!allowance.missing) {
    add(comparison.missing);
  }
  if (!allowance.unexpected) {
    add(comparison.unexpected);
  }
  return rows;
}

std::string Table(std::vector<Row> rows) {
  const size_t hidden = rows.size() - std::min(rows.size(), kMostRows);
  rows.resize(rows.size() - hidden);
  rows.insert(rows.begin(), {"tensor", "plan", "file"});
  size_t name_width = 0;
  size_t planned_width = 0;
  for (const Row& row : rows) {
    name_width = std::max(name_width, std::min(kWidestName, row.name.size()));
    planned_width = std::max(planned_width, row.planned.size());
  }
  std::string table;
  for (const Row& row : rows) {
    absl::StrAppendFormat(&table, "%-*s  %-*s  %s\n", name_width, row.name,
                          planned_width, row.planned, row.found);
  }
  if (hidden > 0) {
    absl::StrAppend(&table, "and ", hidden, " more\n");
  }
  return table;
}

std::string Counts(const WeightsComparison& comparison) {
  std::vector<std::string> counts;
  const auto add = [&counts](const std::vector<Row>& rows,
                             absl::string_view what) {
    if (!rows.empty()) {
      counts.push_back(absl::StrCat(rows.size(), " ", what));
    }
  };
  add(comparison.mismatched, "of another shape or type");
  add(comparison.missing, "missing");
  add(comparison.unexpected, "unexpected");
  return absl::StrJoin(counts, ", ");
}

std::string Remedy(const WeightsComparison& comparison,
                   const WeightsAllowance& allowance) {
  std::string remedy = "give the weights of the plan's model, under its names";
  if (comparison.fitting == 0 || !comparison.mismatched.empty()) {
    return remedy;
  }
  if (!allowance.missing && !comparison.missing.empty()) {
    absl::StrAppend(&remedy,
                    "; --weights-allow=missing lets what is missing begin as "
                    "initialised");
  }
  if (!allowance.unexpected && !comparison.unexpected.empty()) {
    absl::StrAppend(&remedy,
                    "; --weights-allow=unexpected leaves out what is "
                    "unexpected");
  }
  return remedy;
}

// A parameter that is read, and where it goes.
struct Target {
  ParameterPlace place;
  SafetensorsSet::Tensor tensor;
};

absl::Status LoadTensor(const Target& target, const SafetensorsSet& weights,
                        Executor& rank) {
  const ParameterPlace& place = target.place;
  const DType from = target.tensor.entry->dtype;
  const auto width = static_cast<uint64_t>(ByteWidth(from));
  ASSIGN_OR_RETURN(const OwnedRange held, rank.HeldElements(place.slot));
  const uint64_t end = std::min(held.end, place.first + place.elements);
  const uint64_t step = kPieceBytes / place.slot.width;
  std::vector<std::byte> read;
  std::vector<std::byte> wide;
  for (uint64_t at = std::max(held.begin, place.first); at < end; at += step) {
    const uint64_t elements = std::min(step, end - at);
    read.resize(elements * width);
    RETURN_IF_ERROR(weights.Read(target.tensor, (at - place.first) * width,
                                 absl::MakeSpan(read)));
    if (from == place.dtype) {
      RETURN_IF_ERROR(rank.WriteHeld(place.slot, at, read));
      continue;
    }
    wide.resize(elements * place.slot.width);
    WidenToF32(from, read, absl::MakeSpan(wide));
    RETURN_IF_ERROR(rank.WriteHeld(place.slot, at, wide));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WeightsComparison> CompareWeights(
    const PlanView& plan, const SafetensorsSet& weights) {
  WeightsComparison comparison;
  std::set<std::string> names;
  for (const planpb::Parameter& parameter : plan.manifest().parameters()) {
    ASSIGN_OR_RETURN(const auto place,
                     FindParameter(plan, parameter, "master"));
    if (!place) {
      continue;
    }
    names.insert(parameter.name());
    const std::string planned = TypeText(place->dtype, ShapeOf(parameter));
    const auto found = weights.tensors().find(parameter.name());
    if (found == weights.tensors().end()) {
      comparison.missing.push_back({parameter.name(), planned, kNone});
    } else if (!Fits(parameter, place->dtype, *found->second.entry)) {
      comparison.mismatched.push_back(
          {parameter.name(), planned, TypeText(*found->second.entry)});
    } else {
      ++comparison.fitting;
    }
  }
  for (const auto& [name, tensor] : weights.tensors()) {
    if (names.count(name) == 0) {
      comparison.unexpected.push_back({name, kNone, TypeText(*tensor.entry)});
    }
  }
  return comparison;
}

absl::Status CheckWeights(const WeightsComparison& comparison,
                          const WeightsAllowance& allowance,
                          const std::string& path) {
  std::vector<Row> faults = Faults(comparison, allowance);
  if (faults.empty() && comparison.fitting == 0) {
    faults = Faults(comparison, {});
  }
  if (faults.empty()) {
    return absl::OkStatus();
  }
  const size_t planned = comparison.fitting + comparison.mismatched.size() +
                         comparison.missing.size();
  return absl::FailedPreconditionError(absl::StrCat(
      "'", path, "': expected the ",
      Amount(static_cast<int64_t>(planned), "parameter"), " of the plan, got ",
      comparison.fitting, " of them, and ", Counts(comparison), "\n",
      Table(std::move(faults)), Remedy(comparison, allowance)));
}

absl::Status LoadWeights(const PlanView& plan, const SafetensorsSet& weights,
                         Executor& rank) {
  for (const planpb::Parameter& parameter : plan.manifest().parameters()) {
    ASSIGN_OR_RETURN(const auto place,
                     FindParameter(plan, parameter, "master"));
    const auto found = weights.tensors().find(parameter.name());
    if (place && found != weights.tensors().end() &&
        Fits(parameter, place->dtype, *found->second.entry)) {
      RETURN_IF_ERROR(LoadTensor({*place, found->second}, weights, rank));
    }
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
