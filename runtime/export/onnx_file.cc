// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills the plan's export template: planpb::Export describes the layout. The
// file is written front to back, one tensor in memory at a time.
#include "runtime/export/onnx_file.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/parameters.h"
#include "runtime/executor/weight_loader.h"
#include "runtime/export/adapters.h"
#include "runtime/io/atomic_file.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

// Tags of length-delimited fields: number << 3 | 2.
constexpr char kModelGraph = 7 << 3 | 2;
constexpr char kGraphInitializer = 5 << 3 | 2;
constexpr char kTensorRawData = 9 << 3 | 2;

// Protobuf reads no message of 2 GiB or more.
constexpr uint64_t kLargestMessage = (uint64_t{2} << 30) - 1;

uint64_t VarintSize(uint64_t value) {
  uint64_t size = 1;
  for (; value >= 0x80; value >>= 7) {
    ++size;
  }
  return size;
}

// The tag and length of a field.
std::string FieldHead(char tag, uint64_t length) {
  std::string head(1, tag);
  for (; length >= 0x80; length >>= 7) {
    head.push_back(static_cast<char>(length | 0x80));
  }
  head.push_back(static_cast<char>(length));
  return head;
}

uint64_t FieldSize(uint64_t length) { return 1 + VarintSize(length) + length; }

const planpb::Parameter& ParameterOf(const Plan& plan,
                                     const planpb::ExportTensor& tensor) {
  return plan.manifest().parameters(static_cast<int>(tensor.parameter()));
}

uint64_t ElementsOf(const Plan& plan, const planpb::ExportTensor& tensor) {
  return *ElementCount(ParameterOf(plan, tensor).shape());
}

uint64_t DataBytes(const Plan& plan, const planpb::ExportTensor& tensor) {
  return ElementsOf(plan, tensor) *
         (ElementBits(ParameterOf(plan, tensor).dtype()) / 8);
}

uint64_t TensorSize(const Plan& plan, const planpb::ExportTensor& tensor) {
  return tensor.header().size() + FieldSize(DataBytes(plan, tensor));
}

uint64_t SectionSize(const Plan& plan, uint32_t plus_one) {
  return plan.manifest().sections(static_cast<int>(plus_one - 1)).size();
}

uint64_t GraphSize(const Plan& plan) {
  const planpb::Export& exported = plan.manifest().export_();
  uint64_t size = SectionSize(plan, exported.graph_section_plus_one());
  for (const planpb::ExportTensor& tensor : exported.tensors()) {
    size += FieldSize(TensorSize(plan, tensor));
  }
  return size;
}

uint64_t ModelSize(const Plan& plan) {
  return SectionSize(plan, plan.manifest().export_().model_section_plus_one()) +
         FieldSize(GraphSize(plan));
}

// The place of a parameter whose stored values are those that the file wants.
absl::StatusOr<ParameterPlace> PlaceOf(const Plan& plan,
                                       const planpb::Parameter& parameter) {
  ASSIGN_OR_RETURN(const auto place,
                   FindParameter(plan.view(), parameter, "master"));
  if (!place || FromDType(place->dtype) != parameter.dtype()) {
    return absl::UnimplementedError(
        absl::StrCat("parameter '", parameter.name(), "' is not stored as ",
                     ElementTypeName(parameter.dtype())));
  }
  return *place;
}

class OnnxWriter {
 public:
  // `file` is null on a rank that only gives its parts.
  OnnxWriter(const Plan& plan, const ParameterReader& reader, File* file)
      : plan_(plan), reader_(reader), file_(file) {}

  absl::Status Write() {
    const planpb::Export& exported = plan_.manifest().export_();
    RETURN_IF_ERROR(WriteSection(exported.model_section_plus_one() - 1));
    RETURN_IF_ERROR(WriteText(FieldHead(kModelGraph, GraphSize(plan_))));
    RETURN_IF_ERROR(WriteSection(exported.graph_section_plus_one() - 1));
    for (const planpb::ExportTensor& tensor : exported.tensors()) {
      RETURN_IF_ERROR(WriteTensor(tensor));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status WriteText(absl::string_view text) {
    if (file_ == nullptr) {
      return absl::OkStatus();
    }
    return file_->AppendAll(absl::MakeConstSpan(
        reinterpret_cast<const std::byte*>(text.data()), text.size()));
  }

  absl::Status WriteSection(uint32_t section) {
    if (file_ == nullptr) {
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const std::string bytes,
                     plan_.content().ReadSection(section, kLargestMessage));
    return WriteText(bytes);
  }

  absl::Status WriteTensor(const planpb::ExportTensor& tensor) {
    RETURN_IF_ERROR(
        WriteText(FieldHead(kGraphInitializer, TensorSize(plan_, tensor))));
    RETURN_IF_ERROR(WriteText(tensor.header()));
    RETURN_IF_ERROR(
        WriteText(FieldHead(kTensorRawData, DataBytes(plan_, tensor))));
    const planpb::Parameter& parameter = ParameterOf(plan_, tensor);
    ASSIGN_OR_RETURN(const ParameterPlace place, PlaceOf(plan_, parameter));
    std::vector<std::byte> values(file_ == nullptr ? 0
                                                   : DataBytes(plan_, tensor));
    RETURN_IF_ERROR(reader_(parameter, place, 0, ElementsOf(plan_, tensor),
                            absl::MakeSpan(values)));
    // The graph has no pairs: its weights become what the model computes with.
    RETURN_IF_ERROR(AddAdapter(plan_.view(), reader_, tensor.parameter(),
                               absl::MakeSpan(values)));
    if (file_ == nullptr) {
      return absl::OkStatus();
    }
    if (tensor.rows() != 0) {
      std::vector<std::byte> transposed(values.size());
      const TransposedShape shape{
          tensor.columns(), tensor.rows(),
          static_cast<uint64_t>(ByteWidth(place.dtype))};
      CopyTransposed({values, 0}, shape, 0, shape.rows, 0,
                     absl::MakeSpan(transposed));
      values.swap(transposed);
    }
    return file_->AppendAll(values);
  }

  const Plan& plan_;
  const ParameterReader& reader_;
  File* const file_;
};

}  // namespace

uint64_t OnnxBytes(const Plan& plan) { return ModelSize(plan); }

absl::Status CheckOnnxExport(const Plan& plan) {
  const planpb::Export& exported = plan.manifest().export_();
  if (exported.model_section_plus_one() == 0) {
    return absl::FailedPreconditionError(
        "the plan does not hold the model's graph; export to "
        "FILE.safetensors instead");
  }
  if (ModelSize(plan) > kLargestMessage) {
    return absl::FailedPreconditionError(absl::StrCat(
        "an ONNX file holds less than 2 GiB, this model takes ",
        FormatBytes(ModelSize(plan)), "; export to FILE.safetensors instead"));
  }
  for (const planpb::ExportTensor& tensor : exported.tensors()) {
    RETURN_IF_ERROR(PlaceOf(plan, ParameterOf(plan, tensor)).status());
  }
  return absl::OkStatus();
}

absl::Status ExportOnnx(Vfs& vfs, const Plan& plan,
                        const ParameterReader& reader, const std::string& path,
                        ExportRole role) {
  if (role == ExportRole::kGiver) {
    return OnnxWriter(plan, reader, nullptr).Write();
  }
  ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(vfs, path));
  RETURN_IF_ERROR(OnnxWriter(plan, reader, &file->file()).Write());
  return file->Commit();
}

}  // namespace accel::runtime
