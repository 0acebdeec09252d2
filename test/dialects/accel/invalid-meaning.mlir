// RUN: accel-opt %s --split-input-file --verify-diagnostics
// What a hyperparameter means is said in four words, on hyperparameters.

// expected-error@below {{expected accel.meaning on a hyperparameter, got it here}}
accel.state @steps counter : tensor<f64> {accel.meaning = {integer}}

// -----

// expected-error@below {{expected accel.meaning to be a dictionary with an entry, got {}}}
accel.state @lr hyperparameter : tensor<f64> {accel.meaning = {}}

// -----

// expected-error@below {{expected accel.meaning to have choices, read_by, integer or defaults_to_steps, got 'whole'}}
accel.state @lr hyperparameter : tensor<f64> {accel.meaning = {whole}}

// -----

// expected-error@below {{expected 'choices' to be a list of names, got []}}
accel.state @schedule hyperparameter : tensor<f64> {accel.meaning = {choices = []}}

// -----

// expected-error@below {{expected 'integer' to be a flag, got true}}
accel.state @schedule hyperparameter : tensor<f64> {accel.meaning = {integer = true}}
