// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout of the text form of plans.
#include "tools/accel-inspect/plan_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"
#include "runtime/base/text_wrap.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/schema/instruction_names.h"
#include "tools/accel-inspect/instruction_text.h"
#include "tools/accel-inspect/precision_report.h"

namespace accel::tools {
namespace {

using runtime::ElementTypeName;
using runtime::FormatBytes;
using runtime::FormatCount;
using runtime::PlanView;

std::string ShapeText(const google::protobuf::RepeatedField<uint64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

std::string Count(uint64_t value) {
  return FormatCount(static_cast<int64_t>(value));
}

constexpr int kPage = 100;  // columns

// Rows of a label and a text.
class Rows {
 public:
  void Add(absl::string_view label, absl::string_view text) {
    if (text.empty()) {
      return;
    }
    absl::StrAppendFormat(&text_, "  %-11s %s\n", label, text);
  }
  // A sentence: it breaks between words.
  void AddWrapped(absl::string_view label, absl::string_view text) {
    absl::StrAppend(
        &text_,
        runtime::WrapWords(absl::StrFormat("  %-11s %s", label, text), kPage),
        "\n");
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

absl::string_view FillText(planpb::SignatureField::Fill fill) {
  switch (fill) {
    case planpb::SignatureField::FILL_TOKENS:
      return " (the tokens, unless given)";
    case planpb::SignatureField::FILL_ONES:
      return " (ones, unless given)";
    case planpb::SignatureField::FILL_POSITIONS:
      return " (positions, unless given)";
    default:
      return "";
  }
}

// " in [0, 4], [0, 8], any along axis 1"; the ranges of a few places only.
std::string RangesText(const planpb::SignatureField& field) {
  constexpr int kMostRanges = 8;
  std::string text = " in ";
  for (int i = 0; i < std::min(field.ranges_size(), kMostRanges); ++i) {
    const planpb::ValueRange& range = field.ranges(i);
    absl::StrAppend(&text, i == 0 ? "" : ", ",
                    range.min_value() > range.max_value()
                        ? "any"
                        : absl::StrCat("[", range.min_value(), ", ",
                                       range.max_value(), "]"));
  }
  return absl::StrCat(text, field.ranges_size() > kMostRanges ? ", ..." : "",
                      " along axis ", field.ranges_axis());
}

std::string FieldText(const planpb::SignatureField& field) {
  std::string text =
      absl::StrCat(field.name(), " ", ElementTypeName(field.dtype()),
                   ShapeText(field.shape()));
  if (!field.ranges().empty()) {
    absl::StrAppend(&text, RangesText(field));
  } else if (field.min_value() <= field.max_value() &&
             field.role() != planpb::SignatureField::ROLE_BUILTIN) {
    absl::StrAppend(&text, " in [", field.min_value(), ", ", field.max_value(),
                    "]");
  }
  if (!field.rule().empty()) {
    absl::StrAppend(&text, " (", field.rule(), ")");
  }
  absl::StrAppend(&text, FillText(field.fill()));
  return text;
}

// Of a plan that answers.
void AddTensors(absl::string_view label,
                const google::protobuf::RepeatedPtrField<planpb::Tensor>& all,
                Rows& rows) {
  for (const planpb::Tensor& tensor : all) {
    rows.Add(label,
             absl::StrCat(tensor.name(), " ", ElementTypeName(tensor.dtype()),
                          ShapeText(tensor.shape())));
  }
}

void AddSignature(const planpb::Manifest& manifest, Rows& rows) {
  for (const planpb::SignatureField& field : manifest.signature()) {
    switch (field.role()) {
      case planpb::SignatureField::ROLE_INPUT:
        rows.Add("input", FieldText(field));
        break;
      case planpb::SignatureField::ROLE_TARGET:
        rows.Add("target", FieldText(field));
        break;
      default:
        rows.Add("built-in", FieldText(field));
    }
  }
}

void AddCode(const planpb::Manifest& manifest, Rows& rows) {
  for (const planpb::CodeVariant& variant : manifest.variants()) {
    const planpb::Section& section =
        manifest.sections(static_cast<int>(variant.section()));
    rows.Add("code",
             absl::StrCat(variant.name(), ", ", FormatBytes(section.size()),
                          ", ", variant.vector_lanes(), " vector lanes; needs ",
                          absl::StrJoin(variant.features(), " "),
                          variant.assembler().empty() ? "" : "; made by ",
                          variant.assembler()));
  }
  rows.Add("kernels", absl::StrCat(manifest.kernels_size()));
}

void AddMemory(const PlanView& plan, const runtime::MemoryLayout& layout,
               Rows& rows) {
  std::vector<std::string> parts;
  for (const runtime::MemoryPart& part : layout.PrivateParts()) {
    parts.push_back(absl::StrCat(part.name, " ", FormatBytes(part.bytes)));
  }
  if (layout.SharedBytes() != 0) {
    parts.push_back(
        absl::StrCat("gathered ", FormatBytes(layout.SharedBytes())));
  }
  rows.Add("memory", absl::StrCat(FormatBytes(layout.TotalBytes()),
                                  " a rank: ", absl::StrJoin(parts, ", ")));
  const planpb::MemorySummary& summary = plan.manifest().memory();
  parts.clear();
  for (const planpb::MemoryUse& use : summary.transient_at_peak()) {
    const auto bytes = runtime::EvaluateSize(use.bytes(), layout.binding());
    if (bytes.ok()) {
      parts.push_back(absl::StrCat(runtime::MemoryClassName(use.memory_class()),
                                   " ", FormatBytes(*bytes)));
    }
  }
  if (!parts.empty()) {
    rows.Add("at peak", absl::StrCat("instruction ", summary.peak_instruction(),
                                     " of '", summary.peak_function(),
                                     "': ", absl::StrJoin(parts, ", ")));
  }
}

std::string DefaultText(const planpb::Hyperparameter& scalar) {
  if (scalar.defaults_to_steps()) {
    return "STEPS";
  }
  // As the plan was verified, the number of a choice is one of them.
  return scalar.choices().empty()
             ? runtime::FormatRoundTrip(scalar.default_value())
             : scalar.choices(static_cast<int>(scalar.default_value()));
}

void AddScalars(const planpb::Manifest& manifest, Rows& rows) {
  std::vector<std::string> scalars;
  for (const planpb::Hyperparameter& scalar : manifest.hyperparameters()) {
    scalars.push_back(absl::StrCat(scalar.name(), "=", DefaultText(scalar)));
  }
  rows.Add("set", absl::StrJoin(scalars, " "));
}

void AddDropout(const planpb::Manifest& manifest, Rows& rows) {
  for (const planpb::DropoutSite& site : manifest.dropout_sites()) {
    rows.Add("dropout",
             absl::StrCat("site ", site.site(), ": p = ",
                          runtime::FormatRoundTrip(site.probability()), ", ",
                          site.scope().empty() ? site.name() : site.scope(),
                          site.attention() ? ", in attention" : ""));
  }
}

}  // namespace

std::string SummaryText(const runtime::Plan& plan,
                        const runtime::MemoryLayout& layout) {
  const planpb::Manifest& manifest = plan.manifest();
  Rows rows;
  rows.Add("file", absl::StrCat("format ", plan.content().header().Version(),
                                ", ", manifest.producer(), ", sha256 ",
                                runtime::ToHex(plan.root())));
  rows.Add("requires", absl::StrJoin(manifest.required_features(), ", "));
  std::string parameters = absl::StrCat(
      Count(manifest.model().parameter_count()), " in ",
      manifest.parameters_size(), " tensors, ",
      Count(manifest.model().trainable_parameter_count()), " trainable");
  if (manifest.model().layers() != 0) {
    absl::StrAppend(&parameters, ", ", manifest.model().layers(), " layers");
  }
  rows.Add("parameters", parameters);
  rows.Add("objective", manifest.objective().kind());
  rows.Add("optimizer", manifest.optimizer().kind());
  rows.Add("schedule", manifest.schedule().kind());
  if (plan.view().FindFunction(planpb::FUNCTION_STEP) != nullptr) {
    rows.Add("nonfinite", manifest.on_nonfinite() == planpb::NONFINITE_SKIP
                              ? "skip"
                              : "halt");
  }
  if (manifest.precision() != planpb::ELEMENT_UNSPECIFIED &&
      manifest.precision() != planpb::ELEMENT_F32) {
    rows.Add("precision",
             absl::StrCat(AskedPrecision(manifest),
                          "; --precision lists what computes in what"));
  }
  AddScalars(manifest, rows);
  if (plan.view().FindFunction(planpb::FUNCTION_INFER) != nullptr) {
    AddTensors("input", manifest.inputs(), rows);
    AddTensors("output", manifest.outputs(), rows);
  } else {
    rows.Add("batch",
             absl::StrCat(runtime::Amount(static_cast<int64_t>(
                                              manifest.default_global_batch()),
                                          "sample"),
                          " in microbatches of ", manifest.microbatch()));
  }
  AddSignature(manifest, rows);
  AddDropout(manifest, rows);
  AddMemory(plan.view(), layout, rows);
  AddCode(manifest, rows);
  for (const std::string& note : manifest.notes()) {
    rows.AddWrapped("note", note);
  }
  return absl::StrCat("plan '", manifest.model().name(), "'\n", rows.Take());
}

// Its name, and its element type and block where they are not the segment's:
// first_moment:u8 first_scale:f32/256
std::string SlotText(const PlanView& plan, const planpb::Segment& segment,
                     const planpb::Slot& slot) {
  const planpb::ElementType dtype = plan.buffer(slot.buffer()).dtype();
  std::string text = slot.name();
  if (dtype != segment.stored_dtype() || slot.block() > 1) {
    absl::StrAppend(&text, ":", ElementTypeName(dtype));
  }
  if (slot.block() > 1) {
    absl::StrAppend(&text, "/", slot.block());
  }
  return text;
}

std::string BucketsText(const PlanView& plan) {
  std::string text = "buckets\n";
  for (const planpb::Bucket& bucket : plan.manifest().buckets()) {
    for (const planpb::Segment& segment : bucket.segments()) {
      std::vector<std::string> slots;
      for (const planpb::Slot& slot : segment.slots()) {
        slots.push_back(SlotText(plan, segment, slot));
      }
      absl::StrAppendFormat(
          &text, "  %-12s %-12s %14s %-5s %s\n", bucket.name(), segment.name(),
          Count(segment.elements()), ElementTypeName(segment.stored_dtype()),
          absl::StrJoin(slots, " "));
    }
  }
  return text;
}

std::string ParametersText(const PlanView& plan) {
  std::string text = "parameters\n";
  for (const planpb::Parameter& parameter : plan.manifest().parameters()) {
    const planpb::Bucket& bucket =
        plan.manifest().buckets(static_cast<int>(parameter.bucket()));
    const planpb::Segment& segment =
        bucket.segments(static_cast<int>(parameter.segment()));
    absl::StrAppendFormat(
        &text, "  %-48s %-16s %s.%s+%d%s%s\n", parameter.name(),
        absl::StrCat(ElementTypeName(parameter.dtype()),
                     ShapeText(parameter.shape())),
        bucket.name(), segment.name(), parameter.element_offset(),
        parameter.trainable() ? "" : absl::StrCat(", ", segment.group()),
        parameter.provenance().empty()
            ? ""
            : absl::StrCat(", ", parameter.provenance()));
  }
  return text;
}

std::string FunctionText(const PlanView& plan,
                         const runtime::FunctionView& function, int width) {
  const int streams = plan.manifest().streams_size();
  // The compute stream says more than the others.
  constexpr int kIdColumn = 6;
  constexpr int kSideStream = 44;
  std::vector<int> columns(streams, kSideStream);
  for (int i = 0; i < streams; ++i) {
    if (plan.manifest().streams(i).kind() == planpb::STREAM_COMPUTE) {
      columns[i] =
          std::max(40, width - kIdColumn - (streams - 1) * kSideStream);
    }
  }
  std::string text = absl::StrCat(
      "function '", function.name(), "', ",
      runtime::Amount(static_cast<int64_t>(function.instructions().size()),
                      "instruction"),
      ", ",
      runtime::Amount(static_cast<int64_t>(function.event_count()), "event"),
      "\n      ");
  for (int i = 0; i < streams; ++i) {
    absl::StrAppendFormat(&text, "%-*s", columns[i],
                          plan.manifest().streams(i).name());
  }
  text.append("\n");
  planpb::Phase phase = planpb::PHASE_UNSPECIFIED;
  for (const planpb::Instruction& instruction : function.instructions()) {
    if (instruction.phase() != phase && !instruction.has_repeat()) {
      phase = instruction.phase();
      absl::StrAppend(&text, " ", runtime::PhaseName(phase), "\n");
    }
    int indent = function.RepeatOf(instruction.id()) ? 2 : 0;
    for (uint32_t i = 0; i < instruction.stream(); ++i) {
      indent += columns[i];
    }
    absl::StrAppendFormat(&text, "%5d %*s%s\n", instruction.id(), indent, "",
                          InstructionText(plan, instruction));
  }
  return text;
}

}  // namespace accel::tools
