// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages of the sample plan.
#include "test/runtime/plan/sample_plan.h"

#include <cmath>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/container/container_writer.h"
#include "runtime/plan/container/instruction_stream.h"
#include "runtime/plan/sizes/size_expr.h"
#include "test/runtime/plan/sample_kernels.h"

namespace accel::testing {
namespace {

using planpb::Access;
using planpb::Instruction;

constexpr uint64_t kSegment = 16;  // elements; w and padding
constexpr uint64_t kTable = 8;

std::string FloatBytes(const std::vector<float>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(float));
}

std::string DoubleBytes(double value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

// Adds messages to a sample plan.
class Maker {
 public:
  SamplePlan Make();

 private:
  void AddSections();
  void AddBuffers();
  void AddState();
  void AddSignature();
  void AddProgram();
  void AddInit();
  void AddStep();
  void AddMicrobatch();
  void AddEnd();
  void AddExport();

  planpb::Manifest& manifest() { return plan_.manifest; }
  planpb::Buffer* AddBuffer(const std::string& name, planpb::Region region,
                            planpb::ElementType dtype,
                            const std::vector<uint64_t>& shape,
                            planpb::MemoryClass memory_class);
  void AddScalar(const std::string& name);
  void AddTransient(const std::string& name, uint64_t offset);
  void AddFed(const std::string& name, planpb::SignatureField::Role role,
              planpb::ElementType dtype, const std::vector<uint64_t>& shape);
  void AddKernel(const std::string& name, uint32_t arity, SampleKernel kernel);

  Instruction& Add(int function, const std::string& name, uint32_t stream,
                   planpb::Phase phase);
  Access& AddAccess(Instruction& instruction, const std::string& buffer,
                    Access::Mode mode, uint32_t rotate = 0);
  Instruction& AddLaunch(const std::string& name, uint32_t kernel,
                         uint64_t tiles, planpb::Phase phase);
  Instruction& AddFill(int function, const std::string& buffer,
                       const std::string& pattern);
  Instruction& AddFetch(const std::string& name, uint32_t ahead);
  void Launch(Instruction& instruction, const std::string& buffer,
              Access::Mode mode);
  static void Wait(Instruction& instruction, uint32_t event,
                   uint32_t distance = 0);

  SamplePlan plan_;
  std::string code_;
};

planpb::Buffer* Maker::AddBuffer(const std::string& name, planpb::Region region,
                                 planpb::ElementType dtype,
                                 const std::vector<uint64_t>& shape,
                                 planpb::MemoryClass memory_class) {
  planpb::Buffer* buffer = manifest().add_buffers();
  buffer->set_name(name);
  buffer->set_space(planpb::SPACE_DEVICE);
  buffer->set_region(region);
  buffer->set_dtype(dtype);
  uint64_t bytes = dtype == planpb::ELEMENT_F32 ? 4 : 8;
  for (const uint64_t size : shape) {
    buffer->add_shape(size);
    bytes *= size;
  }
  *buffer->mutable_bytes() = runtime::ConstantSizeExpr(bytes);
  buffer->set_alignment(64);
  buffer->set_memory_class(memory_class);
  return buffer;
}

void Maker::AddScalar(const std::string& name) {
  AddBuffer(name, planpb::REGION_PERSISTENT, planpb::ELEMENT_F64, {},
            planpb::CLASS_SCALARS);
}

void Maker::AddTransient(const std::string& name, uint64_t offset) {
  AddBuffer(name, planpb::REGION_TRANSIENT, planpb::ELEMENT_F32, {kMicrobatch},
            planpb::CLASS_ACTIVATIONS)
      ->set_offset(offset);
}

void Maker::AddBuffers() {
  planpb::Arena* arena = manifest().add_arenas();
  arena->set_space(planpb::SPACE_DEVICE);
  arena->set_bytes(256);
  arena->set_alignment(64);
  AddBuffer("w", planpb::REGION_PERSISTENT, planpb::ELEMENT_F32, {kSegment},
            planpb::CLASS_PARAMETERS);
  AddBuffer("gradient", planpb::REGION_PERSISTENT, planpb::ELEMENT_F32,
            {kSegment}, planpb::CLASS_GRADIENTS);
  AddBuffer("table", planpb::REGION_PERSISTENT, planpb::ELEMENT_F32, {kTable},
            planpb::CLASS_PARAMETERS);
  for (const char* name : {"loss_sum", "count", "lr", "loss", "tokens", "scale",
                           "lr_metric", "grad_norm"}) {
    AddScalar(name);
  }
  AddTransient("prediction", 0);
  AddTransient("residual", 64);
  AddTransient("scaled", 0);  // prediction is dead by then
  planpb::Buffer* constant =
      AddBuffer("constant", planpb::REGION_CONSTANT, planpb::ELEMENT_F32, {4},
                planpb::CLASS_CONSTANTS);
  constant->mutable_content()->set_section(kConstants);
  constant->mutable_content()->set_size(16);
}

void Maker::AddState() {
  planpb::Bucket* bucket = manifest().add_buckets();
  bucket->set_name("block0");
  bucket->set_granule(16);
  planpb::Segment* trained = bucket->add_segments();
  trained->set_name("decayed");
  trained->set_group("decayed");
  trained->set_elements(kSegment);
  planpb::Segment* frozen = bucket->add_segments();
  frozen->set_name("frozen");
  frozen->set_group("frozen");
  frozen->set_elements(kTable);
  for (planpb::Segment* segment : {trained, frozen}) {
    segment->set_stored_dtype(planpb::ELEMENT_F32);
    segment->set_gathered_dtype(planpb::ELEMENT_F32);
    planpb::Slot* master = segment->add_slots();
    master->set_name("master");
    master->set_buffer(plan_.BufferIndex(segment == trained ? "w" : "table"));
  }
  planpb::Slot* gradient = trained->add_slots();
  gradient->set_name("gradient");
  gradient->set_buffer(plan_.BufferIndex("gradient"));
  planpb::Parameter* w = manifest().add_parameters();
  w->set_name("linear.weight");
  w->add_shape(kFeatures);
  w->set_dtype(planpb::ELEMENT_F32);
  w->set_trainable(true);
  planpb::Parameter* table = manifest().add_parameters();
  table->set_name("table");
  table->add_shape(2);
  table->add_shape(4);
  table->set_dtype(planpb::ELEMENT_F32);
  table->set_segment(1);
  table->set_transposed_in_file(true);
  planpb::Hyperparameter* lr = manifest().add_hyperparameters();
  lr->set_name("lr");
  lr->set_buffer(plan_.BufferIndex("lr"));
  lr->set_default_value(0.125);
  lr->set_maximum(HUGE_VAL);
  for (const char* name :
       {"loss", "tokens", "gradient_scale", "lr", "grad_norm"}) {
    planpb::Metric* metric = manifest().add_metrics();
    metric->set_name(name);
    const std::string text = name;
    metric->set_buffer(plan_.BufferIndex(text == "gradient_scale" ? "scale"
                                         : text == "lr"           ? "lr_metric"
                                                                  : text));
  }
}

void Maker::AddFed(const std::string& name, planpb::SignatureField::Role role,
                   planpb::ElementType dtype,
                   const std::vector<uint64_t>& shape) {
  planpb::SignatureField* field = manifest().add_signature();
  field->set_name(name);
  field->set_role(role);
  field->set_dtype(dtype);
  for (const uint64_t size : shape) {
    field->add_shape(size);
  }
  field->set_max_value(-1);
  AddBuffer(name, planpb::REGION_IO, dtype, shape, planpb::CLASS_IO)
      ->set_copies(2);
}

void Maker::AddSignature() {
  AddFed("x", planpb::SignatureField::ROLE_INPUT, planpb::ELEMENT_F32,
         {kMicrobatch, kFeatures});
  AddFed("t", planpb::SignatureField::ROLE_TARGET, planpb::ELEMENT_F32,
         {kMicrobatch});
  AddFed("sample_weights", planpb::SignatureField::ROLE_BUILTIN,
         planpb::ELEMENT_F32, {kMicrobatch});
  AddFed("sample_indices", planpb::SignatureField::ROLE_BUILTIN,
         planpb::ELEMENT_I64, {kMicrobatch});
}

void Maker::AddKernel(const std::string& name, uint32_t arity,
                      SampleKernel code) {
  planpb::Kernel* kernel = manifest().add_kernels();
  kernel->set_key(absl::StrCat("key-", name));
  kernel->set_name(name);
  kernel->set_arity(arity);
  planpb::KernelEntry* entry = kernel->add_entries();
  entry->set_offset(code_.size());
  entry->set_size(kTrampolineSize);
  code_.append(Trampoline(code));
}

void Maker::AddProgram() {
  planpb::CodeVariant* variant = manifest().add_variants();
  variant->set_name("x86-64");
  variant->set_device(planpb::DEVICE_CPU);
  variant->add_features("sse2");
  variant->set_section(kCode);
  variant->set_vector_lanes(64);
  AddKernel("residual", 6, ResidualKernel);
  AddKernel("scale", 2, ScaleKernel);
  AddKernel("gradient", 3, GradientKernel);
  AddKernel("finish", 9, FinishKernel);
  AddKernel("update", 4, UpdateKernel);
  AddKernel("predict", 3, PredictKernel);
}

Instruction& Maker::Add(int function, const std::string& name, uint32_t stream,
                        planpb::Phase phase) {
  auto& list = plan_.functions[function];
  Instruction& instruction = list.emplace_back();
  instruction.set_id(static_cast<uint32_t>(list.size() - 1));
  instruction.set_name(name);
  instruction.set_stream(stream);
  instruction.set_phase(phase);
  return instruction;
}

Access& Maker::AddAccess(Instruction& instruction, const std::string& buffer,
                         Access::Mode mode, uint32_t rotate) {
  Access* access = instruction.add_accesses();
  access->set_buffer(plan_.BufferIndex(buffer));
  access->set_mode(mode);
  access->set_rotate(rotate);
  return *access;
}

void Maker::Launch(Instruction& instruction, const std::string& buffer,
                   Access::Mode mode) {
  AddAccess(instruction, buffer, mode);
  instruction.mutable_launch()->add_arguments(instruction.accesses_size() - 1);
  planpb::Kernel* kernel = manifest().mutable_kernels(
      static_cast<int>(instruction.launch().kernel()));
  kernel->mutable_entries(0)->add_tile_bytes(0);
  planpb::KernelOperand* operand = kernel->add_operands();
  operand->set_mode(mode);
  operand->set_bytes(*runtime::ConstantSize(plan_.Buffer(buffer).bytes()));
}

Instruction& Maker::AddLaunch(const std::string& name, uint32_t kernel,
                              uint64_t tiles, planpb::Phase phase) {
  Instruction& instruction = Add(1, name, kCompute, phase);
  instruction.mutable_launch()->set_kernel(kernel);
  // Each kernel is launched once.
  manifest()
      .mutable_kernels(static_cast<int>(kernel))
      ->mutable_entries(0)
      ->set_tiles(tiles);
  return instruction;
}

Instruction& Maker::AddFill(int function, const std::string& buffer,
                            const std::string& pattern) {
  Instruction& instruction =
      Add(function, absl::StrCat("fill ", buffer), kCompute,
          function == 0 ? planpb::PHASE_INIT : planpb::PHASE_LOAD);
  AddAccess(instruction, buffer, Access::MODE_WRITE);
  instruction.mutable_fill()->set_pattern(pattern);
  return instruction;
}

Instruction& Maker::AddFetch(const std::string& name, uint32_t ahead) {
  Instruction& instruction = Add(1, name, kCommunication, planpb::PHASE_LOAD);
  instruction.mutable_fetch()->set_ahead(ahead);
  for (int i = 0; i < manifest().signature_size(); ++i) {
    AddAccess(instruction, manifest().signature(i).name(), Access::MODE_WRITE,
              ahead);
    planpb::FetchField* field = instruction.mutable_fetch()->add_fields();
    field->set_field(i);
    field->set_access(i);
  }
  return instruction;
}

void Maker::Wait(Instruction& instruction, uint32_t event, uint32_t distance) {
  planpb::Wait* wait = instruction.add_waits();
  wait->set_event(event);
  wait->set_distance(distance);
}

void Maker::AddInit() {
  Instruction& w = Add(0, "load w", kCompute, planpb::PHASE_INIT);
  AddAccess(w, "w", Access::MODE_WRITE);
  w.mutable_load()->set_dtype(planpb::ELEMENT_F32);
  planpb::LoadPiece* piece = w.mutable_load()->add_pieces();
  piece->set_section_plus_one(kWeights + 1);
  piece->set_elements(kFeatures);
  Instruction& table = Add(0, "load table", kCompute, planpb::PHASE_INIT);
  AddAccess(table, "table", Access::MODE_WRITE);
  table.mutable_load()->set_dtype(planpb::ELEMENT_F32);
  piece = table.mutable_load()->add_pieces();
  piece->set_section_plus_one(kWeights + 1);
  piece->set_source_offset(kFeatures * sizeof(float));
  piece->set_elements(kTable);
  piece->set_rows(2);
  piece->set_columns(4);
  AddFill(0, "gradient", "");
  AddFill(0, "lr", DoubleBytes(0.125));
}

void Maker::AddMicrobatch() {
  Instruction& repeat = Add(1, "microbatches", kCompute, planpb::PHASE_LOAD);
  repeat.mutable_repeat()->set_last(repeat.id() + 5);
  Instruction& next = AddFetch("fetch next", 1);
  Wait(next, 1, 1);  // whoever read this copy is done
  next.add_signals(2);
  Instruction& predict =
      AddLaunch("predict", 5, kMicrobatch, planpb::PHASE_FORWARD);
  Launch(predict, "x", Access::MODE_READ);
  Launch(predict, "w", Access::MODE_READ);
  Launch(predict, "prediction", Access::MODE_WRITE);
  Wait(predict, 0);
  Wait(predict, 2, 1);
  Instruction& residual =
      AddLaunch("residual", 0, kMicrobatch, planpb::PHASE_FORWARD);
  manifest().mutable_kernels(0)->mutable_entries(0)->set_grain(kMicrobatch);
  for (const char* name : {"prediction", "t", "sample_weights"}) {
    Launch(residual, name, Access::MODE_READ);
  }
  Launch(residual, "loss_sum", Access::MODE_READ_WRITE);
  Launch(residual, "count", Access::MODE_READ_WRITE);
  Launch(residual, "residual", Access::MODE_WRITE);
  Instruction& scale =
      AddLaunch("scale", 1, kMicrobatch, planpb::PHASE_BACKWARD);
  Launch(scale, "residual", Access::MODE_READ);
  Launch(scale, "scaled", Access::MODE_WRITE);
  Instruction& gradient =
      AddLaunch("gradient", 2, kFeatures, planpb::PHASE_BACKWARD);
  Launch(gradient, "x", Access::MODE_READ);
  Launch(gradient, "scaled", Access::MODE_READ);
  Launch(gradient, "gradient", Access::MODE_READ_WRITE);
  gradient.add_signals(1);
}

void Maker::AddEnd() {
  Instruction& finish = AddLaunch("finish", 3, 1, planpb::PHASE_UPDATE);
  for (const char* name : {"loss_sum", "count", "gradient", "lr"}) {
    Launch(finish, name, Access::MODE_READ);
  }
  for (const char* name :
       {"loss", "tokens", "scale", "lr_metric", "grad_norm"}) {
    Launch(finish, name, Access::MODE_WRITE);
  }
  finish.add_signals(3);
  Instruction& update = AddLaunch("update", 4, kFeatures, planpb::PHASE_UPDATE);
  for (const char* name : {"gradient", "scale", "lr"}) {
    Launch(update, name, Access::MODE_READ);
  }
  Launch(update, "w", Access::MODE_READ_WRITE);
  plan_.step_function().set_gradients_complete_plus_one(update.id() + 1);
  for (int i = 0; i < manifest().metrics_size(); ++i) {
    Instruction& metric =
        Add(1, absl::StrCat("metric ", manifest().metrics(i).name()),
            kCommunication, planpb::PHASE_REPORT);
    Access* access = metric.add_accesses();
    access->set_buffer(manifest().metrics(i).buffer());
    access->set_mode(Access::MODE_READ);
    metric.mutable_metric()->set_metric(i);
    if (i == 0) {
      Wait(metric, 3);  // the stream's order does the rest
    }
  }
}

void Maker::AddStep() {
  AddFill(1, "gradient", "");
  AddFill(1, "loss_sum", "");
  AddFill(1, "count", "");
  AddFetch("fetch first", 0).add_signals(0);
  AddMicrobatch();
  AddEnd();
}

void Maker::AddExport() {
  planpb::Export* exported = manifest().mutable_export_();
  exported->set_model_section_plus_one(kExportModel + 1);
  exported->set_graph_section_plus_one(kExportGraph + 1);
  planpb::ExportTensor* w = exported->add_tensors();
  w->set_header("HEADER-W");
  planpb::ExportTensor* table = exported->add_tensors();
  table->set_header("HEADER-TABLE");
  table->set_parameter(1);
  table->set_rows(2);
  table->set_columns(4);
}

void Maker::AddSections() {
  std::string weights = FloatBytes(kInitialWeights);
  std::vector<float> transposed(kTable);
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 4; ++column) {
      transposed[column * 2 + row] = kFrozenTable[row * 4 + column];
    }
  }
  weights += FloatBytes(transposed);
  plan_.sections = {
      {"instructions.init", planpb::SECTION_INSTRUCTIONS, ""},
      {"instructions.step", planpb::SECTION_INSTRUCTIONS, ""},
      {"code.x86-64", planpb::SECTION_CODE, code_},
      {"weights", planpb::SECTION_WEIGHTS, weights},
      {"constants", planpb::SECTION_CONSTANTS, FloatBytes({1, 2, 3, 4})},
      {"text", planpb::SECTION_TEXT, "plan.function @step {}\n"},
      {"export.model", planpb::SECTION_EXPORT, "MODEL-PART"},
      {"export.graph", planpb::SECTION_EXPORT, "GRAPH-PART"},
  };
}

SamplePlan Maker::Make() {
  planpb::Manifest& manifest = plan_.manifest;
  manifest.set_producer("accelc test");
  manifest.mutable_model()->set_name("regression");
  manifest.mutable_model()->set_parameter_count(kFeatures + kTable);
  manifest.mutable_model()->set_trainable_parameter_count(kFeatures);
  manifest.set_max_ranks(1024);
  manifest.set_microbatch(kMicrobatch);
  manifest.set_default_global_batch(kGlobalBatch);
  manifest.set_gradient_exponent(1);
  for (int axis = 1; axis <= runtime::kMeshAxes; ++axis) {
    planpb::AxisDegree* degree = manifest.mutable_mesh()->add_axes();
    degree->set_axis(static_cast<planpb::MeshAxis>(axis));
    degree->set_degree(axis == planpb::AXIS_FSDP ? 0 : 1);
  }
  manifest.add_streams()->set_name("compute");
  manifest.mutable_streams(0)->set_kind(planpb::STREAM_COMPUTE);
  manifest.add_streams()->set_name("communication");
  manifest.mutable_streams(1)->set_kind(planpb::STREAM_COMMUNICATION);
  planpb::Function* init = manifest.add_functions();
  init->set_name("init");
  init->set_role(planpb::FUNCTION_INITIALIZE);
  planpb::Function* step = manifest.add_functions();
  step->set_name("step");
  step->set_role(planpb::FUNCTION_STEP);
  plan_.functions.resize(2);
  AddBuffers();
  AddState();
  AddSignature();
  AddProgram();
  AddInit();
  AddStep();
  AddExport();
  AddSections();
  manifest.mutable_functions(0)->set_section(kInitInstructions);
  manifest.mutable_functions(1)->set_section(kStepInstructions);
  manifest.mutable_functions(1)->set_events(4);
  return std::move(plan_);
}

// Counts that tests would forget when they add or remove instructions.
planpb::Manifest Finished(const SamplePlan& plan) {
  planpb::Manifest manifest = plan.manifest;
  // A damaged manifest may have another number of functions.
  for (int i = 0; i < manifest.functions_size(); ++i) {
    const auto at = static_cast<size_t>(i);
    manifest.mutable_functions(i)->set_instructions(
        at < plan.functions.size()
            ? static_cast<uint32_t>(plan.functions[at].size())
            : 0);
  }
  return manifest;
}

}  // namespace

planpb::Instruction& SamplePlan::Step(const std::string& name) {
  for (planpb::Instruction& instruction : step()) {
    if (instruction.name() == name) {
      return instruction;
    }
  }
  std::abort();
}

uint32_t SamplePlan::BufferIndex(const std::string& name) const {
  for (int i = 0; i < manifest.buffers_size(); ++i) {
    if (manifest.buffers(i).name() == name) {
      return static_cast<uint32_t>(i);
    }
  }
  std::abort();
}

planpb::Buffer& SamplePlan::Buffer(const std::string& name) {
  return *manifest.mutable_buffers(static_cast<int>(BufferIndex(name)));
}

SamplePlan MakeSamplePlan() { return Maker().Make(); }

absl::StatusOr<runtime::PlanView> ViewOf(const SamplePlan& plan) {
  planpb::Manifest manifest = Finished(plan);
  for (const SampleSectionBytes& section : plan.sections) {
    planpb::Section* entry = manifest.add_sections();
    entry->set_name(section.name);
    entry->set_kind(section.kind);
    entry->set_size(section.bytes.size());
  }
  return runtime::PlanView::Create(std::move(manifest), plan.functions);
}

absl::Status WriteSamplePlan(runtime::Vfs& vfs, const SamplePlan& plan,
                             const std::string& path) {
  ASSIGN_OR_RETURN(const auto writer,
                   runtime::ContainerWriter::Create(vfs, path));
  for (size_t i = 0; i < plan.sections.size(); ++i) {
    std::string bytes = plan.sections[i].bytes;
    if (i < plan.functions.size()) {
      for (const Instruction& instruction : plan.functions[i]) {
        runtime::AppendInstruction(instruction, bytes);
      }
    }
    RETURN_IF_ERROR(
        writer->AddSection(plan.sections[i].name, plan.sections[i].kind, bytes)
            .status());
  }
  return writer->Finish(Finished(plan)).status();
}

SampleStep ReferenceStep(const std::vector<std::vector<float>>& rows,
                         const std::vector<float>& targets, double lr,
                         std::vector<float>& w) {
  SampleStep step;
  std::vector<double> gradient(kFeatures, 0);
  for (size_t i = 0; i < rows.size(); ++i) {
    double prediction = 0;
    for (int f = 0; f < kFeatures; ++f) {
      prediction += double{w[f]} * rows[i][f];
    }
    const double residual = prediction - targets[i];
    step.loss += residual * residual / static_cast<double>(rows.size());
    for (int f = 0; f < kFeatures; ++f) {
      gradient[f] +=
          2 * residual * rows[i][f] / static_cast<double>(rows.size());
    }
  }
  step.tokens = static_cast<double>(rows.size());
  for (int f = 0; f < kFeatures; ++f) {
    step.grad_norm += gradient[f] * gradient[f];
    step.gradient.push_back(static_cast<float>(gradient[f]));
    w[f] = static_cast<float>(w[f] - lr * gradient[f]);
  }
  step.grad_norm = std::sqrt(step.grad_norm);
  return step;
}

}  // namespace accel::testing
