// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axes that ranks lie along, and the streams of a rank.
#include "compiler/PlanMesh.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Dist/IR/DistDialect.h"

using namespace mlir;
using namespace accel;

/// Whether ranks hold parts of anything.
static bool isSharded(ModuleOp module) {
  return llvm::any_of(module.getOps<StateOp>(), [](StateOp state) {
    return dist::getHolding(state) != dist::Holding::All;
  });
}

static planpb::StreamKind toKind(plan::StreamKind kind) {
  switch (kind) {
  case plan::StreamKind::Compute:
    return planpb::STREAM_COMPUTE;
  case plan::StreamKind::Communication:
    return planpb::STREAM_COMMUNICATION;
  case plan::StreamKind::Host:
    return planpb::STREAM_HOST;
  }
  llvm_unreachable("all kinds are listed");
}

void accel::addMesh(ModuleOp module, planpb::Manifest &manifest) {
  planpb::MeshAxis data =
      isSharded(module) ? planpb::AXIS_FSDP : planpb::AXIS_REPLICA;
  for (planpb::MeshAxis axis :
       {planpb::AXIS_REPLICA, planpb::AXIS_FSDP, planpb::AXIS_TENSOR,
        planpb::AXIS_PIPELINE, planpb::AXIS_CONTEXT, planpb::AXIS_EXPERT}) {
    planpb::AxisDegree *degree = manifest.mutable_mesh()->add_axes();
    degree->set_axis(axis);
    degree->set_degree(axis == data ? 0 : 1);
  }
  manifest.set_max_ranks(
      module->getAttrOfType<IntegerAttr>("plan.max_ranks").getInt());
}

void accel::addStreams(const plan::StreamList &streams,
                       planpb::Manifest &manifest) {
  for (plan::StreamOp stream : streams.get()) {
    planpb::Stream *message = manifest.add_streams();
    message->set_name(stream.getSymName().str());
    message->set_kind(toKind(stream.getKind()));
  }
}
