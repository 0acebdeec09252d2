// RUN: not accel-opt %s --accel-shard-states=mode=zero3 2>&1 | FileCheck %s

// CHECK: Cannot find option named 'zero3'
module {
}
