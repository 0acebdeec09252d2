// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sites are numbered in the order of nodes, attention's included, so that a
// number means the same whatever is recognised.
#include "frontends/onnx/Builders/DropoutSites.h"

#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Model/Metadata.h"

using namespace mlir;

namespace accel::onnx {
namespace {

Value makeInput(NodeConversion &c, StringRef name, RankedTensorType type) {
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.setInsertionPointToStart(&c.state.function.getBody().front());
  return InputOp::create(c.builder, c.state.function.getLoc(), type,
                         c.builder.getStringAttr(name));
}

} // namespace

double findAttentionDropout(const pb::NodeProto &node) {
  std::optional<FxCall> call = getFxCall(node);
  if (!call || !call->isAten("scaled_dot_product_attention")) {
    return 0.0;
  }
  // scaled_dot_product_attention(query, key, value, attn_mask, dropout_p,
  // is_causal, ...)
  llvm::StringRef text =
      call->arguments.size() > 4 ? call->arguments[4] : llvm::StringRef();
  for (auto [key, value] : call->keywords) {
    if (key == "dropout_p") {
      text = value;
    }
  }
  double probability = 0.0;
  return text.getAsDouble(probability) ||
                 !(probability > 0.0 && probability < 1.0)
             ? 0.0
             : probability;
}

std::pair<double, int64_t> addDropoutSite(NodeConversion &c, double model,
                                          bool attention) {
  double probability = c.state.dropout.apply(model);
  if (probability == 0.0) {
    return {0.0, 0};
  }
  int64_t number = static_cast<int64_t>(c.state.dropoutSites.size()) + 1;
  c.state.dropoutSites.push_back({number, getNodeName(c.node),
                                  getModuleScope(c.node), probability,
                                  attention});
  return {probability, number};
}

void markAttentionDropout(NodeConversion &c, SoftmaxOp softmax, double model) {
  if (model > 0.0) {
    auto [probability, number] = addDropoutSite(c, model, /*attention=*/true);
    if (probability > 0.0) {
      softmax->setAttr("accel.attention_dropout",
                       c.builder.getF64FloatAttr(probability));
    }
  }
}

Value getSampleIndices(NodeConversion &c) {
  if (!c.state.sampleIndices) {
    c.state.sampleIndices = makeInput(
        c, "sample_indices",
        RankedTensorType::get({c.state.batch}, c.builder.getI64Type()));
  }
  return c.state.sampleIndices;
}

Value getSeed(NodeConversion &c) {
  if (!c.state.seed) {
    c.state.seed =
        makeInput(c, "seed", RankedTensorType::get({}, c.builder.getI64Type()));
  }
  return c.state.seed;
}

} // namespace accel::onnx
