// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solver and verifier of the layout of parameters.
#include "passes/Shard/BucketLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace accel {
namespace {

/// Digits that say which double it is, as few as there are.
std::string toDigits(double number) {
  std::string text;
  for (const char *format : {"%g", "%.15g", "%.17g"}) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format(format, number);
    double read = 0;
    if (!StringRef(text).getAsDouble(read) && read == number) {
      break;
    }
  }
  return text;
}

/// Segments of f32 are named by their group and by what is different in their
/// update (`decayed_lr0.1_wd0.05`), others also by element type, or by what
/// microbatches read them as.
std::string makeSegmentName(const BucketProblem::Parameter &parameter) {
  std::string name = stringifyOptimizerGroup(parameter.group).str();
  llvm::raw_string_ostream text(name);
  if (parameter.rates.factor != 1.0) {
    text << "_lr" << toDigits(parameter.rates.factor);
  }
  if (parameter.rates.decay) {
    text << "_wd" << toDigits(*parameter.rates.decay);
  }
  if (!parameter.type.getElementType().isF32()) {
    text << '_' << parameter.type.getElementType();
  }
  if (parameter.compute) {
    text << "_as_" << parameter.compute;
  }
  return name;
}

} // namespace

std::string BucketProblem::check() const {
  if (granule <= 0 || granule % kSegmentGranule != 0) {
    return llvm::formatv("expected a granule of a multiple of {0}, got {1}",
                         kSegmentGranule, granule);
  }
  llvm::StringSet<> names;
  for (const Parameter &parameter : parameters) {
    if (!names.insert(parameter.name).second) {
      return llvm::formatv("parameter '{0}' occurs twice", parameter.name);
    }
    if (parameter.bucket >= buckets.size()) {
      return llvm::formatv(
          "parameter '{0}': expected one of {1} buckets, got {2}",
          parameter.name, buckets.size(), parameter.bucket);
    }
    if (parameter.group != OptimizerGroup::Frozen &&
        !parameter.type.getElementType().isF32()) {
      std::string text;
      llvm::raw_string_ostream(text) << parameter.type;
      return llvm::formatv(
          "trainable parameter '{0}': expected element type f32, got {1}",
          parameter.name, text);
    }
  }
  return "";
}

BucketLayout solve(const BucketProblem &problem) {
  BucketLayout layout;
  layout.places.resize(problem.parameters.size());
  constexpr OptimizerGroup kGroups[] = {
      OptimizerGroup::Decayed, OptimizerGroup::Undecayed,
      OptimizerGroup::Statistic, OptimizerGroup::Frozen};
  for (unsigned bucket = 0; bucket < problem.buckets.size(); ++bucket) {
    for (OptimizerGroup group : kGroups) {
      size_t first = layout.segments.size();
      for (auto [index, parameter] : llvm::enumerate(problem.parameters)) {
        if (parameter.bucket != bucket || parameter.group != group) {
          continue;
        }
        std::string name = makeSegmentName(parameter);
        auto segment =
            std::find_if(layout.segments.begin() + first, layout.segments.end(),
                         [&](const BucketLayout::Segment &other) {
                           return other.name == name;
                         });
        if (segment == layout.segments.end()) {
          layout.segments.push_back({bucket,
                                     name,
                                     group,
                                     parameter.type.getElementType(),
                                     parameter.compute,
                                     parameter.rates,
                                     0,
                                     {}});
          segment = std::prev(layout.segments.end());
        }
        int64_t offset = llvm::alignTo(
            segment->elements, getParameterAlignment(parameter.compute));
        layout.places[index] = {unsigned(segment - layout.segments.begin()),
                                offset};
        segment->elements = offset + parameter.type.getNumElements();
        segment->parameters.push_back(index);
      }
    }
  }
  for (BucketLayout::Segment &segment : layout.segments) {
    segment.elements = llvm::alignTo(segment.elements, problem.granule);
  }
  return layout;
}

std::string verify(const BucketProblem &problem, const BucketLayout &layout) {
  if (layout.places.size() != problem.parameters.size()) {
    return llvm::formatv("expected {0} places, got {1}",
                         problem.parameters.size(), layout.places.size());
  }
  SmallVector<SmallVector<std::pair<int64_t, unsigned>>> contents(
      layout.segments.size());
  for (auto [index, parameter] : llvm::enumerate(problem.parameters)) {
    BucketLayout::Place place = layout.places[index];
    if (place.segment >= layout.segments.size()) {
      return llvm::formatv("'{0}' lies in no segment", parameter.name);
    }
    const BucketLayout::Segment &segment = layout.segments[place.segment];
    if (segment.bucket != parameter.bucket ||
        segment.group != parameter.group ||
        segment.elementType != parameter.type.getElementType() ||
        segment.compute != parameter.compute ||
        segment.rates != parameter.rates) {
      return llvm::formatv(
          "'{0}' does not belong into segment {1} of bucket {2}",
          parameter.name, segment.name, problem.buckets[segment.bucket].name);
    }
    int64_t alignment = getParameterAlignment(parameter.compute);
    if (place.offset % alignment != 0 || place.offset < 0 ||
        place.offset + parameter.type.getNumElements() > segment.elements) {
      return llvm::formatv("'{0}' at offset {1} is not aligned to {2} or not "
                           "inside the {3} elements of its segment",
                           parameter.name, place.offset, alignment,
                           segment.elements);
    }
    contents[place.segment].push_back({place.offset, unsigned(index)});
  }
  for (auto [segment, content] : llvm::zip_equal(layout.segments, contents)) {
    if (segment.elements % problem.granule != 0) {
      return llvm::formatv(
          "segment {0} has {1} elements, not a multiple of {2}", segment.name,
          segment.elements, problem.granule);
    }
    llvm::sort(content);
    for (size_t i = 1; i < content.size(); ++i) {
      const BucketProblem::Parameter &before =
          problem.parameters[content[i - 1].second];
      if (content[i - 1].first + before.type.getNumElements() >
          content[i].first) {
        return llvm::formatv("'{0}' and '{1}' overlap", before.name,
                             problem.parameters[content[i].second].name);
      }
    }
  }
  return "";
}

} // namespace accel
