// RUN: split-file %s %t
// RUN: accel-opt %t/nothing.mlir --accel-freeze-parameters=rules=train=x,freeze=weight,freeze=y --verify-diagnostics
// RUN: accel-opt %t/many.mlir --accel-freeze-parameters=rules=train=x --verify-diagnostics
// RUN: accel-opt %t/none.mlir --accel-freeze-parameters=rules=freeze=weight --verify-diagnostics
// RUN: accel-opt %t/kind.mlir --accel-freeze-parameters=rules=thaw=weight --verify-diagnostics
// RUN: accel-opt %t/regex.mlir --accel-freeze-parameters=rules=freeze=[weight --verify-diagnostics
// RUN: accel-opt %t/adapters.mlir --accel-freeze-parameters --verify-diagnostics
// RUN: accel-opt %t/saved.mlir --accel-freeze-parameters --verify-diagnostics

//--- nothing.mlir
// Every pattern matches something.
// expected-error@below {{--train='x': expected a pattern that matches the name of a parameter, got one that matches none; names are 'weight', 'bias'}}
// expected-error@below {{--freeze='y': expected a pattern that matches the name of a parameter, got one that matches none; names are 'weight', 'bias'}}
module {
  accel.parameter @weight : tensor<4x4xf32> trainable
  accel.parameter @bias : tensor<4xf32> trainable
}

//--- many.mlir
// expected-error@below {{--train='x': expected a pattern that matches the name of a parameter, got one that matches none; names are 'a', 'b', 'c', 'd' and 1 more (--compile-to=frontend prints all)}}
module {
  accel.parameter @a : tensor<4xf32> trainable
  accel.parameter @b : tensor<4xf32> trainable
  accel.parameter @c : tensor<4xf32> trainable
  accel.parameter @d : tensor<4xf32> trainable
  accel.parameter @e : tensor<4xf32> trainable
}

//--- none.mlir
// Something trains.
// expected-error@below {{expected --freeze and --train to leave a parameter to train, got none of 2}}
module {
  accel.parameter @a.weight : tensor<4x4xf32> trainable
  accel.parameter @b.weight : tensor<4xf32> trainable
}

//--- kind.mlir
// expected-error@below {{rule 'thaw=weight': expected train=REGEX or freeze=REGEX, got one that cannot be read: it begins with neither train= nor freeze=}}
module {
}

//--- regex.mlir
// expected-error@below {{rule 'freeze=[weight': expected train=REGEX or freeze=REGEX, got one that cannot be read: brackets ([ ]) not balanced}}
module {
}

//--- adapters.mlir
// The file does not say that the base was frozen.
// expected-error@below {{expected --train or --freeze for a model with adapters, got neither: the file does not say what PyTorch froze, and the base would be trained, too; write --train='lora_' to train the adapters alone, --train='.' to train everything; adapters are 'q.lora_A.default.weight', 'q.lora_B.default.weight'}}
module {
  accel.parameter @q.weight : tensor<4x4xf32> trainable
  accel.parameter @q.lora_A.default.weight : tensor<2x4xf32> trainable
  accel.parameter @q.lora_B.default.weight : tensor<4x2xf32> trainable
}

//--- saved.mlir
// What PEFT's `modules_to_save` keeps a copy of trains beside the adapters.
// expected-error@below {{write --train='lora_|modules_to_save' to train the adapters alone}}
module {
  accel.parameter @q.lora_A.default.weight : tensor<2x4xf32> trainable
  accel.parameter @head.modules_to_save.default.weight : tensor<4x2xf32> trainable
}
