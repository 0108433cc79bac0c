"""Two of the architectures; `make exact` asks about all of them."""

from __future__ import annotations

import pytest

from benchmarks.exactness.architectures import measure
from benchmarks.exactness.forms import Guardgen

pytest.importorskip("transformers")


@pytest.mark.parametrize("name", ["DistilBert", "Qwen2"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # transformers', of its own dependencies
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_every_answer_about_the_architecture_is_right(name: str) -> None:
    count = measure([Guardgen], [name])["guardgen"]
    assert count.faults == []
    assert count.accepted > 5
