// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry points that make, change, ask and destroy descriptors.
#include <algorithm>
#include <cstring>

#include "test/cuda/double/dnn/entry_points.h"
#include "test/cuda/double/dnn/finalize.h"
#include "test/cuda/double/dnn/refusals.h"

namespace accel::cuda_double::dnn {
namespace {

// The elements that a caller hands over.
struct Elements {
  int type;
  int64_t count;
  const void* at;
};

bool IsKnown(int type, int number) {
  switch (type) {
    case kTypeDataType:
      return number >= 0 && number < kDataTypes;
    case kTypeConvolutionMode:
    case kTypeNanPropagation:
    case kTypeGraphRetention:
      return number == 0 || number == 1;
    case kTypeHeurMode:
    case kTypeReorderingMode:
      return number >= 0 && number < 4;
    case kTypeKnobType:
      return number >= 0 && number < kKnobTypes;
    case kTypePointwiseMode:
      return number >= 0 && number <= 601;
    default:
      return true;
  }
}

Status CheckNumbers(const Attribute& attribute, const Elements& elements) {
  if (TypeBytes(attribute.type) != sizeof(int)) {
    return kSuccess;
  }
  for (int64_t i = 0; i < elements.count; ++i) {
    int number = 0;
    std::memcpy(&number, static_cast<const int*>(elements.at) + i,
                sizeof number);
    if (!IsKnown(attribute.type, number)) {
      return Bad(std::string(attribute.text) + " has no value " +
                 std::to_string(number));
    }
  }
  return kSuccess;
}

// The descriptors behind handles, each of the kind that the attribute has.
Status FindAll(const Attribute& attribute, const Elements& elements,
               std::vector<SharedDescriptor>* found) {
  const auto* handles = static_cast<const BackendDescriptor*>(elements.at);
  for (int64_t i = 0; i < elements.count; ++i) {
    SharedDescriptor descriptor = FindDescriptor(handles[i]);
    if (descriptor == nullptr) {
      return Bad(std::string(attribute.text) + ": there is no such descriptor");
    }
    const bool fits = attribute.kind == -1 ? IsOperation(descriptor->kind)
                                           : descriptor->kind == attribute.kind;
    if (!fits) {
      return Refuse(
          kBadParamDescriptorType,
          std::string(attribute.text) + " is no " + KindText(descriptor->kind));
    }
    found->push_back(std::move(descriptor));
  }
  return kSuccess;
}

Status CheckCall(const Descriptor& descriptor, int name, int type,
                 const Attribute** attribute) {
  *attribute = FindAttribute(descriptor.kind, name);
  if (*attribute == nullptr) {
    return Bad(std::string("the double has no attribute ") +
               std::to_string(name) + " of a " + KindText(descriptor.kind));
  }
  if (type != (*attribute)->type && type != (*attribute)->other_type) {
    return Refuse(kBadParamAttributeType, std::string((*attribute)->text) +
                                              " is not of type " +
                                              std::to_string(type));
  }
  return kSuccess;
}

Status Set(Descriptor& descriptor, int name, const Elements& elements) {
  if (descriptor.is_finalized) {
    return Refuse(kNotInitialized, "the descriptor is finalized already");
  }
  const Attribute* attribute = nullptr;
  if (Status status = CheckCall(descriptor, name, elements.type, &attribute);
      status != kSuccess) {
    return status;
  }
  if (attribute->use == Use::kReadOnly) {
    return Bad(std::string(attribute->text) + " is read only");
  }
  if (elements.count < attribute->min_count ||
      elements.count > attribute->max_count) {
    return Bad(std::string(attribute->text) + " does not have " +
               std::to_string(elements.count) + " elements");
  }
  if (elements.at == nullptr && elements.count > 0) {
    return Refuse(kBadParamNullPointer, "there are no elements");
  }
  if (Status status = CheckNumbers(*attribute, elements); status != kSuccess) {
    return status;
  }
  Value value{elements.type, elements.count, {}, {}};
  if (elements.type == kTypeBackendDescriptor) {
    if (Status status = FindAll(*attribute, elements, &value.descriptors);
        status != kSuccess) {
      return status;
    }
  } else {
    const auto* begin = static_cast<const std::byte*>(elements.at);
    value.bytes.assign(begin,
                       begin + elements.count * TypeBytes(elements.type));
  }
  descriptor.values[name] = std::move(value);
  return kSuccess;
}

// As cuDNN does it: the caller has created descriptors, and they become those
// that are asked for.
Status FillDescriptors(const Attribute& attribute, const Value& value,
                       const Elements& elements) {
  std::vector<SharedDescriptor> targets;
  if (Status status = FindAll(attribute, elements, &targets);
      status != kSuccess) {
    return status;
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i]->is_finalized || !targets[i]->values.empty()) {
      return Bad(std::string(attribute.text) +
                 " is written to descriptors that were created and not used");
    }
    targets[i]->values = value.descriptors[i]->values;
    targets[i]->meaning = value.descriptors[i]->meaning;
    targets[i]->is_finalized = true;
  }
  return kSuccess;
}

Status Get(const Descriptor& descriptor, int name, int type, int64_t requested,
           int64_t* count, void* at) {
  if (!descriptor.is_finalized) {
    return Refuse(kNotInitialized, "the descriptor is not finalized");
  }
  const Attribute* attribute = nullptr;
  if (Status status = CheckCall(descriptor, name, type, &attribute);
      status != kSuccess) {
    return status;
  }
  if (requested < 0 || (requested > 0 && at == nullptr)) {
    return Refuse(kBadParamNullPointer, "there is no place for the elements");
  }
  const auto found = descriptor.values.find(name);
  const Value value =
      found == descriptor.values.end() ? Value() : found->second;
  if (value.count > 0 && value.type != type) {
    return Refuse(kBadParamAttributeType,
                  std::string(attribute->text) + " was set with another type");
  }
  const int64_t written = std::min(requested, value.count);
  if (type == kTypeBackendDescriptor) {
    if (SharedDescriptor gone = FindDestroyed(descriptor)) {
      return Bad(std::string("it refers to a ") + KindText(gone->kind) +
                 " that was destroyed");
    }
    if (Status status = FillDescriptors(*attribute, value, {type, written, at});
        status != kSuccess) {
      return status;
    }
  } else if (written > 0) {
    std::memcpy(at, value.bytes.data(), written * TypeBytes(type));
  }
  if (count != nullptr) {
    *count = value.count;
  }
  return kSuccess;
}

// The descriptor of a handle, once the call may begin. Null: `status` is why.
SharedDescriptor Begin(const char* entry, BackendDescriptor handle,
                       Status* status) {
  *status = Enter(entry);
  if (*status != kSuccess) {
    return nullptr;
  }
  SharedDescriptor descriptor = FindDescriptor(handle);
  if (descriptor == nullptr) {
    *status = handle == nullptr
                  ? Refuse(kBadParamNullPointer, "the descriptor is null")
                  : Bad("there is no such descriptor");
  }
  return descriptor;
}

}  // namespace

extern "C" {

Status cudnnBackendCreateDescriptor(int kind, BackendDescriptor* descriptor) {
  if (Status status = Enter("cudnnBackendCreateDescriptor");
      status != kSuccess) {
    return status;
  }
  if (descriptor == nullptr) {
    return Refuse(kBadParamNullPointer, "there is no place for the descriptor");
  }
  if (AttributesOf(kind).empty()) {
    return Refuse(kNotSupported, "the double has no descriptor of kind " +
                                     std::to_string(kind));
  }
  *descriptor = AddDescriptor(kind);
  return kSuccess;
}

Status cudnnBackendDestroyDescriptor(BackendDescriptor handle) {
  if (Status status = Enter("cudnnBackendDestroyDescriptor");
      status != kSuccess) {
    return status;
  }
  const auto lock = DescriptorLock();
  return DestroyDescriptor(handle)
             ? kSuccess
             : Bad("there is no such descriptor to destroy");
}

// Deprecated since 9.2: the descriptor is as if it had just been created.
Status cudnnBackendInitialize(BackendDescriptor handle) {
  const auto lock = DescriptorLock();
  Status status = kSuccess;
  const SharedDescriptor descriptor =
      Begin("cudnnBackendInitialize", handle, &status);
  if (descriptor != nullptr) {
    descriptor->values.clear();
    descriptor->meaning = std::monostate();
    descriptor->is_finalized = false;
  }
  return status;
}

Status cudnnBackendFinalize(BackendDescriptor handle) {
  const auto lock = DescriptorLock();
  Status status = kSuccess;
  const SharedDescriptor descriptor =
      Begin("cudnnBackendFinalize", handle, &status);
  return descriptor == nullptr ? status : Finalize(*descriptor);
}

Status cudnnBackendSetAttribute(BackendDescriptor handle, int name, int type,
                                int64_t count, const void* at) {
  const auto lock = DescriptorLock();
  Status status = kSuccess;
  const SharedDescriptor descriptor =
      Begin("cudnnBackendSetAttribute", handle, &status);
  return descriptor == nullptr ? status
                               : Set(*descriptor, name, {type, count, at});
}

Status cudnnBackendGetAttribute(BackendDescriptor handle, int name, int type,
                                int64_t requested, int64_t* count, void* at) {
  const auto lock = DescriptorLock();
  Status status = kSuccess;
  const SharedDescriptor descriptor =
      Begin("cudnnBackendGetAttribute", handle, &status);
  return descriptor == nullptr
             ? status
             : Get(*descriptor, name, type, requested, count, at);
}

}  // extern "C"

}  // namespace accel::cuda_double::dnn
