// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDNN's matmul primitive. Transposes and leading dimensions are strides of
// its memory descriptors; alpha is an output scale, which applies before the
// sum post-op that stands for beta = 1.
#include "runtime/device/cpu_gemm.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "oneapi/dnnl/dnnl.hpp"
#include "runtime/base/status_macros.h"
#include "runtime/plan/element_type.h"
#include "runtime/plan/gemm_shape.h"

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

// The product as the library gets it. It is slow where C is not row-major, so
// such a product is computed as C' = B' A'.
struct Product {
  planpb::Gemm gemm;
  bool swapped = false;
};

void Transpose(planpb::Matrix& matrix) {
  const uint64_t rows = matrix.row_stride();
  matrix.set_row_stride(matrix.column_stride());
  matrix.set_column_stride(rows);
}

Product MakeRowMajor(const planpb::Gemm& gemm) {
  Product product{gemm, false};
  if (gemm.c().column_stride() == 1 || gemm.n() == 1) {
    return product;
  }
  product.swapped = true;
  planpb::Gemm& swapped = product.gemm;
  swapped.set_m(gemm.n());
  swapped.set_n(gemm.m());
  swapped.mutable_a()->Swap(swapped.mutable_b());
  Transpose(*swapped.mutable_a());
  Transpose(*swapped.mutable_b());
  Transpose(*swapped.mutable_c());
  return product;
}

// A dimension of size 1 has a stride that nobody uses but that decides, for the
// library, whether a matrix is dense: give it the one of a dense matrix.
void PushMatrixStrides(const planpb::Matrix& matrix, const MatrixShape& shape,
                       dnnl::memory::dims& strides) {
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
  strides.push_back(static_cast<int64_t>(row));
  strides.push_back(static_cast<int64_t>(column));
}

// One past the last element that a stride leads to. As the stride of a
// dimension of size 1 it overlaps nothing, which the library checks.
int64_t Extent(const dnnl::memory::dims& sizes,
               const dnnl::memory::dims& strides) {
  int64_t extent = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    extent = std::max(extent, sizes[i] * strides[i]);
  }
  return extent;
}

// A repeated matrix is a broadcast for the library: a dimension of size 1. One
// operand must have the dimension's whole size, so if both are repeated A has
// it, with its stride of 0. The library is slow at that; nobody needs it fast.
bool IsBroadcast(const planpb::Gemm& gemm, GemmOperand operand, int dimension) {
  const bool both = gemm.batch(dimension) > 1 &&
                    gemm.a().batch_strides(dimension) == 0 &&
                    gemm.b().batch_strides(dimension) == 0;
  return OperandMatrix(gemm, operand).batch_strides(dimension) == 0 &&
         !(both && operand == GemmOperand::kA);
}

absl::StatusOr<dnnl::memory::desc> Describe(const planpb::Gemm& gemm,
                                            GemmOperand operand) {
  const planpb::Matrix& matrix = OperandMatrix(gemm, operand);
  const MatrixShape shape = OperandShape(gemm, operand);
  ASSIGN_OR_RETURN(const auto type, ToDnnl(matrix.dtype()));
  dnnl::memory::dims sizes;
  dnnl::memory::dims strides;
  for (int i = 0; i < gemm.batch_size(); ++i) {
    const bool repeated = IsBroadcast(gemm, operand, i);
    sizes.push_back(repeated ? 1 : static_cast<int64_t>(gemm.batch(i)));
    strides.push_back(static_cast<int64_t>(matrix.batch_strides(i)));
  }
  sizes.push_back(static_cast<int64_t>(shape.rows));
  sizes.push_back(static_cast<int64_t>(shape.columns));
  PushMatrixStrides(matrix, shape, strides);
  const int64_t extent = Extent(sizes, strides);
  for (int i = 0; i < gemm.batch_size(); ++i) {
    strides[i] = IsBroadcast(gemm, operand, i) ? extent : strides[i];
  }
  return dnnl::memory::desc(sizes, type, strides);
}

}  // namespace

struct CpuGemm::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::matmul primitive;
  // Their handles are set for each run.
  dnnl::memory a, b, c, workspace;
  uint64_t workspace_bytes = 0;
  bool swapped = false;
  std::string implementation;
};

CpuGemm::CpuGemm(std::unique_ptr<State> state) : state_(std::move(state)) {}
CpuGemm::~CpuGemm() = default;

uint64_t CpuGemm::workspace_bytes() const { return state_->workspace_bytes; }
const std::string& CpuGemm::implementation() const {
  return state_->implementation;
}

absl::StatusOr<std::unique_ptr<CpuGemm>> CpuGemm::Create(
    const planpb::Gemm& gemm) {
  const Product product = MakeRowMajor(gemm);
  ASSIGN_OR_RETURN(const auto a, Describe(product.gemm, GemmOperand::kA));
  ASSIGN_OR_RETURN(const auto b, Describe(product.gemm, GemmOperand::kB));
  ASSIGN_OR_RETURN(const auto c, Describe(product.gemm, GemmOperand::kC));
  // oneDNN's C++ interface reports by exceptions; they end here.
  try {
    auto state = std::make_unique<State>();
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
    const dnnl::matmul::primitive_desc chosen(dnnl::matmul::desc(a, b, c),
                                              attributes, state->engine);
    const dnnl::memory::desc workspace = chosen.scratchpad_desc();
    state->primitive = dnnl::matmul(chosen);
    state->implementation = chosen.impl_info_str();
    state->workspace_bytes = workspace.get_size();
    state->swapped = product.swapped;
    state->a = dnnl::memory(a, state->engine, nullptr);
    state->b = dnnl::memory(b, state->engine, nullptr);
    state->c = dnnl::memory(c, state->engine, nullptr);
    state->workspace = dnnl::memory(workspace, state->engine, nullptr);
    return std::unique_ptr<CpuGemm>(new CpuGemm(std::move(state)));
  } catch (const dnnl::error& error) {
    return absl::UnimplementedError(
        absl::StrCat("oneDNN refuses it: ", error.what()));
  }
}

absl::Status CpuGemm::Run(const Operands& operands) {
  // The library's handles are not const, its use of inputs is.
  void* const left = const_cast<void*>(operands.a);
  void* const right = const_cast<void*>(operands.b);
  try {
    state_->a.set_data_handle(state_->swapped ? right : left);
    state_->b.set_data_handle(state_->swapped ? left : right);
    state_->c.set_data_handle(operands.c);
    std::array<dnnl_exec_arg_t, 4> arguments = {{
        {DNNL_ARG_SRC, state_->a.get()},
        {DNNL_ARG_WEIGHTS, state_->b.get()},
        {DNNL_ARG_DST, state_->c.get()},
        {DNNL_ARG_SCRATCHPAD, state_->workspace.get()},
    }};
    int count = 3;
    if (state_->workspace_bytes > 0) {
      state_->workspace.set_data_handle(operands.workspace);
      count = 4;
    }
    dnnl_status_t status = dnnl_primitive_execute(
        state_->primitive.get(), state_->stream.get(), count, arguments.data());
    // On a CPU the stream is done by now; asking costs nothing.
    if (status == dnnl_success) {
      status = dnnl_stream_wait(state_->stream.get());
    }
    if (status != dnnl_success) {
      return absl::InternalError(
          absl::StrCat("oneDNN failed with status ", status));
    }
  } catch (const dnnl::error& error) {
    return absl::InternalError(absl::StrCat("oneDNN failed: ", error.what()));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
