// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of what is trained and what is fed: buckets, parameters, scalars,
// signature.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

absl::Status ValidateAxisList(
    const google::protobuf::RepeatedField<int>& axes) {
  planpb::Shard probe;
  probe.set_granule(1);
  *probe.mutable_axes() = axes;
  return ValidateShard(probe);
}

absl::Status ValidateSlots(const planpb::Manifest& manifest, uint64_t granule,
                           const planpb::Segment& segment) {
  std::set<absl::string_view> names;
  for (const planpb::Slot& slot : segment.slots()) {
    RETURN_IF_ERROR(
        CheckIndex("buffer", slot.buffer(), manifest.buffers_size()));
    RETURN_IF_ERROR(ValidateAxisList(slot.sharded_over()));
    const planpb::Buffer& buffer =
        manifest.buffers(static_cast<int>(slot.buffer()));
    if (!names.insert(slot.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("slot '", slot.name(), "' comes twice"));
    }
    if (buffer.region() != planpb::REGION_PERSISTENT || buffer.copies() > 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "slot '", slot.name(), "' is not one persistent buffer"));
    }
    const uint64_t block = std::max<uint64_t>(1, slot.block());
    if (granule % block != 0 || segment.elements() % block != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "slot '", slot.name(),
          "': expected a block that divides the granule ", granule, " and the ",
          segment.elements(), " elements of the segment, got ", block));
    }
    const uint64_t elements = segment.elements() / block;
    const auto needed = ElementBytes(buffer.dtype(), elements);
    const auto bytes = ConstantSize(buffer.bytes());
    if (!needed || (slot.sharded_over().empty() && bytes && *bytes < *needed)) {
      return absl::InvalidArgumentError(
          absl::StrCat("slot '", slot.name(), "': ", elements,
                       " elements do not fit into its buffer"));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateSegment(const planpb::Manifest& manifest, uint64_t granule,
                             const planpb::Segment& segment) {
  RETURN_IF_ERROR(CheckElementType(segment.stored_dtype()));
  RETURN_IF_ERROR(CheckElementType(segment.gathered_dtype()));
  RETURN_IF_ERROR(ValidateAxisList(segment.sharded_over()));
  return ValidateSlots(manifest, granule, segment);
}

absl::Status ValidateBuckets(const planpb::Manifest& manifest) {
  std::set<absl::string_view> names;
  for (const planpb::Bucket& bucket : manifest.buckets()) {
    const std::string context = absl::StrCat("bucket '", bucket.name(), "'");
    if (!names.insert(bucket.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": the name is taken"));
    }
    if (bucket.granule() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": expected a granule, got 0"));
    }
    std::set<absl::string_view> segments;
    for (const planpb::Segment& segment : bucket.segments()) {
      const std::string inner =
          absl::StrCat(context, ", segment '", segment.name(), "'");
      if (!segments.insert(segment.name()).second) {
        return absl::InvalidArgumentError(
            absl::StrCat(inner, ": the name is taken"));
      }
      RETURN_IF_ERROR(Annotate(
          ValidateSegment(manifest, bucket.granule(), segment), inner));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateParameter(const planpb::Manifest& manifest,
                               const planpb::Parameter& parameter) {
  RETURN_IF_ERROR(CheckElementType(parameter.dtype()));
  RETURN_IF_ERROR(
      CheckIndex("bucket", parameter.bucket(), manifest.buckets_size()));
  const planpb::Bucket& bucket =
      manifest.buckets(static_cast<int>(parameter.bucket()));
  RETURN_IF_ERROR(
      CheckIndex("segment", parameter.segment(), bucket.segments_size()));
  const planpb::Segment& segment =
      bucket.segments(static_cast<int>(parameter.segment()));
  const auto elements = ElementCount(parameter.shape());
  const auto end =
      elements ? CheckedAdd(*elements, parameter.element_offset()) : elements;
  if (!end || *end > segment.elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it does not lie in its segment of ", segment.elements(),
                     " elements: offset ", parameter.element_offset()));
  }
  return absl::OkStatus();
}

absl::Status ValidateParameters(const planpb::Manifest& manifest) {
  std::set<absl::string_view> names;
  for (const planpb::Parameter& parameter : manifest.parameters()) {
    const std::string context =
        absl::StrCat("parameter '", parameter.name(), "'");
    RETURN_IF_ERROR(Annotate(ValidateParameter(manifest, parameter), context));
    if (!names.insert(parameter.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": the name is taken"));
    }
  }
  return absl::OkStatus();
}

// A buffer that holds one f64, in one place for all time.
absl::Status ValidateScalarBuffer(const planpb::Manifest& manifest,
                                  uint32_t index) {
  RETURN_IF_ERROR(CheckIndex("buffer", index, manifest.buffers_size()));
  const planpb::Buffer& buffer = manifest.buffers(static_cast<int>(index));
  const auto bytes = ConstantSize(buffer.bytes());
  if (buffer.dtype() != planpb::ELEMENT_F64 || !bytes || *bytes < 8 ||
      buffer.region() != planpb::REGION_PERSISTENT || buffer.copies() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected buffer '", buffer.name(), "' to be one persistent f64"));
  }
  return absl::OkStatus();
}

absl::Status ValidateScalars(const planpb::Manifest& manifest) {
  for (const planpb::State& state : manifest.states()) {
    RETURN_IF_ERROR(
        Annotate(CheckIndex("buffer", state.buffer(), manifest.buffers_size()),
                 absl::StrCat("state '", state.name(), "'")));
  }
  std::set<absl::string_view> names;
  for (const planpb::Hyperparameter& scalar : manifest.hyperparameters()) {
    const std::string context =
        absl::StrCat("hyperparameter '", scalar.name(), "'");
    RETURN_IF_ERROR(
        Annotate(ValidateScalarBuffer(manifest, scalar.buffer()), context));
    if (!names.insert(scalar.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": the name is taken"));
    }
    const double last = scalar.choices_size() - 1;
    const double value = scalar.default_value();
    if (!scalar.choices().empty() &&
        !(value >= 0 && value <= last && value == std::floor(value))) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": expected the number of one of its ",
                       scalar.choices_size(), " choices, got ", value));
    }
  }
  return absl::OkStatus();
}

// The outputs of a step belong to the signature: what every run reports must be
// among them, so that nothing is reported that was never computed.
absl::Status ValidateMetrics(const planpb::Manifest& manifest) {
  std::set<absl::string_view> names;
  for (const planpb::Metric& metric : manifest.metrics()) {
    const std::string context = absl::StrCat("metric '", metric.name(), "'");
    RETURN_IF_ERROR(
        Annotate(ValidateScalarBuffer(manifest, metric.buffer()), context));
    if (!names.insert(metric.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": the name is taken"));
    }
  }
  for (const absl::string_view name : kStepMetrics) {
    if (!names.contains(name) && !Infers(manifest)) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a metric '", name, "', got none"));
    }
  }
  return absl::OkStatus();
}

// What a built-in field must look like.
absl::Status ValidateBuiltin(const planpb::Manifest& manifest,
                             const planpb::SignatureField& field) {
  struct Builtin {
    absl::string_view name;
    planpb::ElementType dtype;
    std::vector<uint64_t> shape;
  };
  const Builtin builtins[] = {
      {"sample_indices", planpb::ELEMENT_I64, {manifest.microbatch()}},
      {"sample_weights", planpb::ELEMENT_F32, {manifest.microbatch()}},
      {"microbatches_behind", planpb::ELEMENT_F32, {}},
      {"iterations_behind", planpb::ELEMENT_F32, {}},
      {"seed", planpb::ELEMENT_I64, {}},
  };
  for (const Builtin& builtin : builtins) {
    if (builtin.name != field.name()) {
      continue;
    }
    if (field.dtype() != builtin.dtype ||
        !std::equal(builtin.shape.begin(), builtin.shape.end(),
                    field.shape().begin(), field.shape().end())) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected dtype ", ElementTypeName(builtin.dtype),
                       " and rank ", builtin.shape.size()));
    }
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      "the runtime has no built-in field of that name");
}

// The ranges of the places of one axis of a field or tensor.
template <typename Message>
absl::Status ValidateRanges(const Message& message) {
  if (message.ranges().empty()) {
    return absl::OkStatus();
  }
  const auto axis = static_cast<int64_t>(message.ranges_axis());
  const bool is_integer = message.dtype() == planpb::ELEMENT_I64 ||
                          message.dtype() == planpb::ELEMENT_I32;
  if (!is_integer || axis >= message.shape_size() ||
      message.shape(static_cast<int>(axis)) !=
          static_cast<uint64_t>(message.ranges_size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a range of integers for each index of axis ",
                     axis, ", got ", message.ranges_size(), " ranges"));
  }
  return absl::OkStatus();
}

absl::Status ValidateField(const planpb::Manifest& manifest,
                           const planpb::SignatureField& field) {
  RETURN_IF_ERROR(CheckElementType(field.dtype()));
  const auto elements = ElementCount(field.shape());
  if (!ToDType(field.dtype()) || !elements ||
      !ElementBytes(field.dtype(), *elements) || *elements == 0 ||
      *elements > uint64_t{1} << 48) {
    return absl::InvalidArgumentError(
        "its shape and dtype are not those of a field");
  }
  RETURN_IF_ERROR(ValidateRanges(field));
  if (!field.ranges().empty() && field.ranges_axis() == 0) {
    return absl::InvalidArgumentError(
        "expected ranges along an axis of a sample, got axis 0");
  }
  switch (field.role()) {
    case planpb::SignatureField::ROLE_BUILTIN:
      return ValidateBuiltin(manifest, field);
    case planpb::SignatureField::ROLE_INPUT:
    case planpb::SignatureField::ROLE_TARGET:
      if (field.shape().empty() || field.shape(0) != manifest.microbatch()) {
        return absl::InvalidArgumentError(
            absl::StrCat("expected the microbatch of ", manifest.microbatch(),
                         " as its first dimension"));
      }
      return absl::OkStatus();
    default:
      return absl::UnimplementedError(
          absl::StrCat("it has unknown role ", field.role()));
  }
}

absl::Status ValidateTensor(const planpb::Manifest& manifest,
                            const planpb::Tensor& tensor) {
  RETURN_IF_ERROR(CheckElementType(tensor.dtype()));
  const auto elements = ElementCount(tensor.shape());
  const auto bytes =
      elements ? ElementBytes(tensor.dtype(), *elements) : elements;
  if (!bytes || !ToDType(tensor.dtype()) || *elements > uint64_t{1} << 48) {
    return absl::InvalidArgumentError(
        "its shape and dtype are not those of a tensor");
  }
  RETURN_IF_ERROR(ValidateRanges(tensor));
  if (tensor.buffer_plus_one() == 0) {
    return *elements == 0
               ? absl::OkStatus()
               : absl::InvalidArgumentError("it has elements, and no buffer");
  }
  const uint32_t index = tensor.buffer_plus_one() - 1;
  RETURN_IF_ERROR(CheckIndex("buffer", index, manifest.buffers_size()));
  const planpb::Buffer& buffer = manifest.buffers(static_cast<int>(index));
  if (buffer.region() != planpb::REGION_PERSISTENT || buffer.copies() > 1 ||
      buffer.dtype() != tensor.dtype() ||
      ConstantSize(buffer.bytes()) != bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected buffer '", buffer.name(),
        "' to be one persistent buffer of its ", *bytes, " bytes"));
  }
  return absl::OkStatus();
}

absl::Status ValidateTensors(
    const planpb::Manifest& manifest, absl::string_view what,
    const google::protobuf::RepeatedPtrField<planpb::Tensor>& tensors) {
  std::set<absl::string_view> names;
  for (const planpb::Tensor& tensor : tensors) {
    const std::string context = absl::StrCat(what, " '", tensor.name(), "'");
    RETURN_IF_ERROR(Annotate(ValidateTensor(manifest, tensor), context));
    if (!names.insert(tensor.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": the name is taken"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateState(const planpb::Manifest& manifest) {
  RETURN_IF_ERROR(ValidateBuckets(manifest));
  RETURN_IF_ERROR(ValidateParameters(manifest));
  RETURN_IF_ERROR(ValidateScalars(manifest));
  RETURN_IF_ERROR(ValidateMetrics(manifest));
  RETURN_IF_ERROR(ValidateTensors(manifest, "input", manifest.inputs()));
  RETURN_IF_ERROR(ValidateTensors(manifest, "output", manifest.outputs()));
  if (manifest.microbatch() == 0 || manifest.default_global_batch() == 0 ||
      manifest.microbatch() > uint64_t{1} << 32 ||
      manifest.default_global_batch() > uint64_t{1} << 48) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected batches of at least one sample, got a microbatch of ",
        manifest.microbatch(), " and a global batch of ",
        manifest.default_global_batch()));
  }
  if (manifest.objective().least_samples() > uint64_t{1} << 32) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected statistics of at most 2^32 samples, got at least ",
        manifest.objective().least_samples()));
  }
  if (manifest.on_nonfinite() < planpb::NONFINITE_UNSPECIFIED ||
      manifest.on_nonfinite() > planpb::NONFINITE_SKIP) {
    return absl::UnimplementedError(
        absl::StrCat("unknown on_nonfinite ", manifest.on_nonfinite()));
  }
  std::set<absl::string_view> names;
  for (const planpb::SignatureField& field : manifest.signature()) {
    const std::string context = absl::StrCat("field '", field.name(), "'");
    RETURN_IF_ERROR(Annotate(ValidateField(manifest, field), context));
    if (!names.insert(field.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": the name is taken"));
    }
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
