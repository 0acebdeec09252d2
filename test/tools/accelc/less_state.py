# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two estimates of one model, of which the second freezes all but one layer: less_state.py ALL.json SOME.json

The weights stay; gradients and moments of what is frozen go, and so do the sums that ranks send each other.
"""

import json
import sys

every, some = (json.load(open(path, encoding="utf-8"))["ranks"] for path in sys.argv[1:])
for all_ranks, some_ranks in zip(every, some, strict=True):
    before, after = all_ranks["classes"], some_ranks["classes"]
    assert after["parameters"] >= 1484 * 4, after
    # 180 of 1,484 elements train, in two segments of whole granules of 128.
    assert after["gradients"] <= 384 * 4 < before["gradients"], (before, after)
    assert after["optimizer"] == 2 * after["gradients"], after
    sent = some_ranks["sent_per_step"]["total"], all_ranks["sent_per_step"]["total"]
    # With many ranks the granules of so small a model are most of what is sent.
    assert some_ranks["ranks"] != 2 or sent[0] < 0.4 * sent[1], sent
