// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axes that ranks lie along, and the streams of a rank.
#include "compiler/PlanMesh.h"

#include "compiler/PlanCollectives.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Dist/IR/DistDialect.h"

using namespace mlir;
using namespace accel;

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
  auto mesh = module->getAttrOfType<DictionaryAttr>(dist::kMeshAttr);
  for (StringRef axis : dist::getMeshAxes()) {
    planpb::AxisDegree *degree = manifest.mutable_mesh()->add_axes();
    degree->set_axis(toMeshAxis(axis));
    degree->set_degree(mesh.getAs<IntegerAttr>(axis).getInt());
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
