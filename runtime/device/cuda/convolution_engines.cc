// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks cuDNN's heuristics, and takes the first answer that a plan allows.
#include "runtime/device/cuda/convolution_engines.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/convolution_graph.h"
#include "runtime/plan/schema/element_type.h"

namespace accel::runtime::cuda {
namespace {

using planpb::Convolution;

// An engine has a dozen knobs at most, and notes are ten.
constexpr int64_t kMostKnobs = 64;
constexpr size_t kMostNotes = 32;

// The configurations that the library names, the best first: in the end those
// that are slow and always there.
absl::StatusOr<std::vector<DnnObject>> AskHeuristic(const Cudnn& library,
                                                    const DnnObject& graph,
                                                    int mode) {
  ASSIGN_OR_RETURN(const DnnObject heuristic,
                   DnnObject::Create(library, kDnnEngineHeuristic));
  RETURN_IF_ERROR(heuristic.Set(kDnnEngineHeurOperationGraph, graph));
  RETURN_IF_ERROR(
      heuristic.SetEnum(kDnnEngineHeurMode, kDnnTypeHeuristicMode, mode));
  RETURN_IF_ERROR(heuristic.Finalize());
  int64_t count = 0;
  RETURN_IF_ERROR(library.Check(
      library->cudnnBackendGetAttribute(heuristic.get(), kDnnEngineHeurResults,
                                        kDnnTypeDescriptor, 0, &count, nullptr),
      "cudnnBackendGetAttribute"));
  return heuristic.GetObjects(kDnnEngineHeurResults, kDnnEngineConfig, count);
}

// Sums in any order have other bits each time, and transformed ones are further
// from what the plan says than sums of products. Tensor cores read f32 as TF32.
bool IsAllowed(const Convolution& convolution, absl::Span<const int> notes) {
  const auto has = [&](std::initializer_list<int> refused) {
    return std::find_first_of(notes.begin(), notes.end(), refused.begin(),
                              refused.end()) != notes.end();
  };
  const bool is_exact =
      convolution.image().dtype() == planpb::ELEMENT_F32 && !convolution.tf32();
  return !has({kDnnNondeterministic, kDnnReducedPrecisionReduction, kDnnFft,
               kDnnWinograd}) &&
         !(is_exact && has({kDnnTensorCore, kDnnDownConvertInputs}));
}

absl::StatusOr<DnnObject> EngineOf(const DnnObject& config) {
  ASSIGN_OR_RETURN(std::vector<DnnObject> engines,
                   config.GetObjects(kDnnEngineConfigEngine, kDnnEngine, 1));
  return engines.empty() ? absl::StatusOr<DnnObject>(absl::InternalError(
                               "cuDNN names a configuration of no engine"))
                         : std::move(engines.front());
}

absl::StatusOr<bool> IsAllowed(const Convolution& convolution,
                               const DnnObject& engine) {
  std::array<int, kMostNotes> notes = {};
  ASSIGN_OR_RETURN(const int64_t count,
                   engine.Get(kDnnEngineNumericalNote, kDnnTypeNumericalNote,
                              notes.size(), notes.data()));
  return IsAllowed(convolution, absl::MakeConstSpan(notes).first(
                                    static_cast<size_t>(count)));
}

// "24=5 40=2": numbers that mean the same in one version of the library.
absl::StatusOr<std::string> DescribeKnobs(const DnnObject& config) {
  ASSIGN_OR_RETURN(const std::vector<DnnObject> choices,
                   config.GetObjects(kDnnEngineConfigKnobChoices,
                                     kDnnKnobChoice, kMostKnobs));
  std::vector<std::string> knobs;
  for (const DnnObject& choice : choices) {
    int type = 0;
    RETURN_IF_ERROR(
        choice.Get(kDnnKnobChoiceKnobType, kDnnTypeKnobType, 1, &type)
            .status());
    ASSIGN_OR_RETURN(const int64_t value,
                     choice.GetInt64(kDnnKnobChoiceKnobValue));
    knobs.push_back(absl::StrCat(type, "=", value));
  }
  return absl::StrJoin(knobs, " ");
}

absl::StatusOr<DnnObject> MakePlan(const Cudnn& library,
                                   const DnnObject& config) {
  const DnnHandle handle = library.handle();
  ASSIGN_OR_RETURN(DnnObject plan,
                   DnnObject::Create(library, kDnnExecutionPlan));
  RETURN_IF_ERROR(
      plan.Set(kDnnExecutionPlanHandle, kDnnTypeHandle, 1, &handle));
  RETURN_IF_ERROR(plan.Set(kDnnExecutionPlanEngineConfig, config));
  RETURN_IF_ERROR(plan.Finalize());
  return plan;
}

}  // namespace

std::string DescribeConvolution(const Convolution& convolution) {
  const bool is_forward =
      convolution.direction() == Convolution::DIRECTION_FORWARD;
  return absl::StrCat(
      is_forward ? "forward" : "weight gradient", " of ", convolution.samples(),
      " at ", absl::StrJoin(convolution.places(), "x"), ", windows of ",
      absl::StrJoin(convolution.windows(), "x"), ", ", convolution.channels(),
      " channels to ", convolution.filters(), ", ",
      ElementTypeName(convolution.image().dtype()),
      convolution.tf32() ? " as tf32" : "");
}

// The search for a configuration, and why those so far are none.
class ConvolutionEngine::Search {
 public:
  Search(const Cudnn& library, const Convolution& convolution,
         uint64_t workspace_bytes)
      : library_(library),
        convolution_(convolution),
        workspace_bytes_(workspace_bytes) {}

  // Whether `config` is one that the plan allows; then it is `chosen`.
  absl::StatusOr<bool> Try(const DnnObject& config, ConvolutionEngine& chosen) {
    ++seen_;
    ASSIGN_OR_RETURN(const DnnObject engine, EngineOf(config));
    ASSIGN_OR_RETURN(const bool is_allowed, IsAllowed(convolution_, engine));
    if (!is_allowed) {
      return false;
    }
    ++allowed_;
    absl::StatusOr<DnnObject> plan = MakePlan(library_, config);
    if (absl::IsUnimplemented(plan.status())) {
      refusal_ = std::string(plan.status().message());
      return false;
    }
    RETURN_IF_ERROR(plan.status());
    ASSIGN_OR_RETURN(const int64_t wanted,
                     plan->GetInt64(kDnnExecutionPlanWorkspaceSize));
    if (static_cast<uint64_t>(wanted) > workspace_bytes_) {
      refusal_ = absl::StrCat("one wants ",
                              FormatBytes(static_cast<uint64_t>(wanted)));
      return false;
    }
    ASSIGN_OR_RETURN(const int64_t index,
                     engine.GetInt64(kDnnEngineGlobalIndex));
    ASSIGN_OR_RETURN(const std::string knobs, DescribeKnobs(config));
    chosen.library_ = &library_;
    chosen.plan_ = *std::move(plan);
    chosen.description_ = absl::StrCat("engine ", index, ", workspace ", wanted,
                                       knobs.empty() ? "" : ", knobs ", knobs);
    return true;
  }

  absl::Status NothingFound() const {
    return absl::UnimplementedError(absl::StrCat(
        "cuDNN ", library_.Version(), " names ", seen_,
        " configurations for it, ", allowed_,
        " of which give the same bits each time in the plan's precision, and "
        "none of these runs within ",
        FormatBytes(workspace_bytes_), " of workspace",
        refusal_.empty() ? "" : " (", refusal_, refusal_.empty() ? "" : ")",
        "; install another version of cuDNN"));
  }

 private:
  const Cudnn& library_;
  const Convolution& convolution_;
  const uint64_t workspace_bytes_;
  int seen_ = 0;
  int allowed_ = 0;
  std::string refusal_;
};

absl::StatusOr<ConvolutionEngine> ConvolutionEngine::Choose(
    const Cudnn& library, const Convolution& convolution, bool adds,
    const ConvolutionAlignment& alignment, uint64_t workspace_bytes) {
  ASSIGN_OR_RETURN(const DnnObject graph,
                   MakeConvolutionGraph(library, convolution, adds, alignment));
  Search search(library, convolution, workspace_bytes);
  ConvolutionEngine chosen;
  for (const int mode : {kDnnHeuristicA, kDnnHeuristicFallback}) {
    ASSIGN_OR_RETURN(const std::vector<DnnObject> configs,
                     AskHeuristic(library, graph, mode));
    for (const DnnObject& config : configs) {
      ASSIGN_OR_RETURN(const bool is_found, search.Try(config, chosen));
      if (is_found) {
        return chosen;
      }
    }
  }
  return search.NothingFound();
}

absl::Status ConvolutionEngine::Enqueue(const ConvolutionPlaces& places,
                                        void* workspace,
                                        StreamHandle stream) const {
  const Cudnn& library = *library_;
  const std::array<int64_t, 3> ids = {kImageId, kWeightsId, kOutputId};
  const std::array<void*, 3> addresses = {places.image, places.weights,
                                          places.output};
  ASSIGN_OR_RETURN(const DnnObject pack,
                   DnnObject::Create(library, kDnnVariantPack));
  RETURN_IF_ERROR(pack.Set(kDnnVariantPackUniqueIds, ids));
  RETURN_IF_ERROR(pack.Set(kDnnVariantPackDataPointers, kDnnTypeVoidPointer,
                           addresses.size(), addresses.data()));
  RETURN_IF_ERROR(
      pack.Set(kDnnVariantPackWorkspace, kDnnTypeVoidPointer, 1, &workspace));
  RETURN_IF_ERROR(pack.Finalize());
  RETURN_IF_ERROR(library.Check(
      library->cudnnSetStream(library.handle(), stream), "cudnnSetStream"));
  return library.Check(
      library->cudnnBackendExecute(library.handle(), plan_.get(), pack.get()),
      "cudnnBackendExecute");
}

}  // namespace accel::runtime::cuda
