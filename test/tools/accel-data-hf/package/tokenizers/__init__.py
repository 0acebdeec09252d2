# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for the package tokenizers where it is not installed: the id of a character is its code, modulo a size.

The JSON of a tokenizer is {"size": N, "special": {TEXT: ID, ...}}.
"""

import collections
import json

__version__ = "0"

Added = collections.namedtuple("Added", "content special")
Encoding = collections.namedtuple("Encoding", "ids")


class Tokenizer:
    encode_special_tokens = False

    def __init__(self, size, special):
        self.size, self.special = size, special
        self.truncates = self.pads = True

    @staticmethod
    def from_str(text):
        fields = json.loads(text)
        return Tokenizer(fields["size"], fields["special"])

    def no_truncation(self):
        self.truncates = False

    def no_padding(self):
        self.pads = False

    def get_vocab(self, with_added_tokens):
        assert with_added_tokens
        return {str(number): number for number in range(self.size)}

    def token_to_id(self, token):
        return self.special.get(token)

    def get_added_tokens_decoder(self):
        return {number: Added(text, True) for text, number in self.special.items()}

    def encode_batch(self, texts, add_special_tokens):
        assert not add_special_tokens and not self.truncates and not self.pads and self.encode_special_tokens
        return [Encoding([ord(character) % self.size for character in text]) for text in texts]
