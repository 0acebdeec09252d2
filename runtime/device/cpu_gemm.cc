// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDNN's matmul primitive, for one product of the batch. Transposes and
// leading dimensions are strides of its memory descriptors; alpha is an output
// scale, which applies before the sum post-op that stands for beta = 1.
#include "runtime/device/cpu_gemm.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "oneapi/dnnl/dnnl.hpp"
#include "runtime/base/status_macros.h"
#include "runtime/plan/element_type.h"
#include "runtime/plan/gemm_shape.h"
#include "runtime/plan/size_expr.h"

// Of the OpenMP that oneDNN brings: how many threads the calling one may use.
extern "C" void omp_set_num_threads(int threads);

namespace accel::runtime {
namespace {

absl::StatusOr<dnnl::memory::data_type> ToDnnl(planpb::ElementType type) {
  switch (type) {
    case planpb::ELEMENT_F32:
      return dnnl::memory::data_type::f32;
    case planpb::ELEMENT_BF16:
      return dnnl::memory::data_type::bf16;
    default:
      return absl::UnimplementedError(absl::StrCat(
          "expected operands of f32 or bf16, got ", ElementTypeName(type)));
  }
}

void Transpose(planpb::Matrix& matrix) {
  const uint64_t rows = matrix.row_stride();
  matrix.set_row_stride(matrix.column_stride());
  matrix.set_column_stride(rows);
}

// The library is slow where C is not row-major: such a product is computed as
// C' = B' A'.
bool IsSwapped(const planpb::Gemm& gemm) {
  return gemm.c().column_stride() != 1 && gemm.n() != 1;
}

planpb::Gemm Swapped(const planpb::Gemm& gemm) {
  planpb::Gemm swapped = gemm;
  swapped.set_m(gemm.n());
  swapped.set_n(gemm.m());
  swapped.mutable_a()->Swap(swapped.mutable_b());
  Transpose(*swapped.mutable_a());
  Transpose(*swapped.mutable_b());
  Transpose(*swapped.mutable_c());
  return swapped;
}

// A dimension of size 1 has a stride that nobody uses but that decides, for the
// library, whether a matrix is dense: give it the one of a dense matrix.
dnnl::memory::dims MatrixStrides(const planpb::Matrix& matrix,
                                 const MatrixShape& shape) {
  uint64_t row = matrix.row_stride();
  uint64_t column = matrix.column_stride();
  if (shape.columns == 1) {
    column = 1;
    if (shape.rows == 1) {
      row = 1;
    }
  } else if (shape.rows == 1) {
    row = column == 1 ? shape.columns : 1;
  }
  return {static_cast<int64_t>(row), static_cast<int64_t>(column)};
}

absl::StatusOr<dnnl::memory::desc> Describe(const planpb::Gemm& gemm,
                                            GemmOperand operand) {
  const planpb::Matrix& matrix = OperandMatrix(gemm, operand);
  const MatrixShape shape = OperandShape(gemm, operand);
  ASSIGN_OR_RETURN(const auto type, ToDnnl(matrix.dtype()));
  const dnnl::memory::dims sizes = {static_cast<int64_t>(shape.rows),
                                    static_cast<int64_t>(shape.columns)};
  return dnnl::memory::desc(sizes, type, MatrixStrides(matrix, shape));
}

// Where the matrices of product `index` of the batch begin, in bytes.
struct ProductPlace {
  uint64_t a = 0, b = 0, c = 0;
};

ProductPlace PlaceOf(const planpb::Gemm& gemm, uint64_t index) {
  ProductPlace place;
  for (int i = gemm.batch_size() - 1; i >= 0; --i) {
    const uint64_t at = index % gemm.batch(i);
    index /= gemm.batch(i);
    place.a += at * gemm.a().batch_strides(i);
    place.b += at * gemm.b().batch_strides(i);
    place.c += at * gemm.c().batch_strides(i);
  }
  place.a *= ElementBits(gemm.a().dtype()) / 8;
  place.b *= ElementBits(gemm.b().dtype()) / 8;
  place.c *= ElementBits(gemm.c().dtype()) / 8;
  return place;
}

dnnl::primitive_attr Attributes(const planpb::Gemm& gemm) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (gemm.alpha() != 1.0f) {
    attributes.set_output_scales(0, {gemm.alpha()});
  }
  if (gemm.beta() != 0.0f) {
    dnnl::post_ops accumulate;
    accumulate.append_sum(1.0f);
    attributes.set_post_ops(accumulate);
  }
  return attributes;
}

// Threads each have their own workspace, in cache lines of their own.
constexpr uint64_t kAlignment = 64;

}  // namespace

struct CpuGemm::State {
  // What a thread executes with; the handles are set for each product.
  struct Lane {
    dnnl::stream stream;
    dnnl::memory a, b, c, workspace;
    absl::Status status;  // of the run under way
  };

  absl::Status Execute(Lane& lane, const Operands& operands,
                       const ProductPlace& place, void* workspace);

  planpb::Gemm gemm;
  bool swapped = false;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::matmul primitive;
  std::vector<Lane> lanes;      // per thread
  uint64_t workspace_size = 0;  // of a thread
  std::string implementation;
};

// The library's handles are not const, its use of inputs is.
absl::Status CpuGemm::State::Execute(Lane& lane, const Operands& operands,
                                     const ProductPlace& place,
                                     void* workspace) {
  const auto at = [](const void* base, uint64_t offset) {
    return const_cast<std::byte*>(static_cast<const std::byte*>(base)) + offset;
  };
  lane.a.set_data_handle(at(swapped ? operands.b : operands.a, place.a));
  lane.b.set_data_handle(at(swapped ? operands.a : operands.b, place.b));
  lane.c.set_data_handle(at(operands.c, place.c));
  std::array<dnnl_exec_arg_t, 4> arguments = {{
      {DNNL_ARG_SRC, lane.a.get()},
      {DNNL_ARG_WEIGHTS, lane.b.get()},
      {DNNL_ARG_DST, lane.c.get()},
      {DNNL_ARG_SCRATCHPAD, lane.workspace.get()},
  }};
  int count = 3;
  if (workspace_size > 0) {
    lane.workspace.set_data_handle(workspace);
    count = 4;
  }
  dnnl_status_t status = dnnl_primitive_execute(
      primitive.get(), lane.stream.get(), count, arguments.data());
  // On a CPU the stream is done by now; asking costs nothing.
  if (status == dnnl_success) {
    status = dnnl_stream_wait(lane.stream.get());
  }
  return status == dnnl_success ? absl::OkStatus()
                                : absl::InternalError(absl::StrCat(
                                      "oneDNN failed with status ", status));
}

CpuGemm::CpuGemm(std::unique_ptr<State> state) : state_(std::move(state)) {}
CpuGemm::~CpuGemm() = default;

uint64_t CpuGemm::workspace_bytes() const {
  return state_->workspace_size * state_->lanes.size();
}
const std::string& CpuGemm::implementation() const {
  return state_->implementation;
}

absl::StatusOr<std::unique_ptr<CpuGemm>> CpuGemm::Create(
    const planpb::Gemm& gemm, int threads) {
  auto state = std::make_unique<State>();
  state->swapped = IsSwapped(gemm);
  state->gemm = state->swapped ? Swapped(gemm) : gemm;
  ASSIGN_OR_RETURN(const auto a, Describe(state->gemm, GemmOperand::kA));
  ASSIGN_OR_RETURN(const auto b, Describe(state->gemm, GemmOperand::kB));
  ASSIGN_OR_RETURN(const auto c, Describe(state->gemm, GemmOperand::kC));
  // oneDNN's C++ interface reports by exceptions; they end here.
  try {
    omp_set_num_threads(1);
    const dnnl::matmul::primitive_desc chosen(
        dnnl::matmul::desc(a, b, c), Attributes(state->gemm), state->engine);
    const dnnl::memory::desc workspace = chosen.scratchpad_desc();
    state->primitive = dnnl::matmul(chosen);
    state->implementation = chosen.impl_info_str();
    state->workspace_size =
        DivideUp(workspace.get_size(), kAlignment) * kAlignment;
    for (int thread = 0; thread < threads; ++thread) {
      state->lanes.push_back({dnnl::stream(state->engine),
                              {a, state->engine, nullptr},
                              {b, state->engine, nullptr},
                              {c, state->engine, nullptr},
                              {workspace, state->engine, nullptr},
                              absl::OkStatus()});
    }
  } catch (const dnnl::error& error) {
    return absl::UnimplementedError(
        absl::StrCat("oneDNN refuses it: ", error.what()));
  }
  return std::unique_ptr<CpuGemm>(new CpuGemm(std::move(state)));
}

absl::Status CpuGemm::Run(const Operands& operands, const ThreadTeam& team) {
  const auto run = [&](int thread, int64_t begin, int64_t end) {
    // The team's threads are all that there are: the library has none.
    omp_set_num_threads(1);
    State::Lane& lane = state_->lanes[thread];
    auto* const workspace = static_cast<std::byte*>(operands.workspace) +
                            state_->workspace_size * thread;
    try {
      for (int64_t i = begin; i < end && lane.status.ok(); ++i) {
        lane.status = state_->Execute(lane, operands, PlaceOf(state_->gemm, i),
                                      workspace);
      }
    } catch (const dnnl::error& error) {
      lane.status =
          absl::InternalError(absl::StrCat("oneDNN failed: ", error.what()));
    }
  };
  const auto products = static_cast<int64_t>(GemmProducts(state_->gemm));
  team.ParallelFor(0, products, 1, run);
  absl::Status first;
  for (State::Lane& lane : state_->lanes) {
    first.Update(std::exchange(lane.status, absl::OkStatus()));
  }
  return first;
}

}  // namespace accel::runtime
