"""A patch leads from any document to any other, and is small where little changed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from station.ledger.patch import difference, patched
from station.ledger.rows import canonical

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda part: (
        st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=2), part, max_size=3)
    ),
    max_leaves=12,
)


@given(DOCUMENTS, DOCUMENTS)
def test_it_leads_from_one_document_to_the_other(before: Any, after: Any) -> None:
    kept = canonical(before)
    assert canonical(patched(before, difference(before, after))) == canonical(after)
    assert canonical(before) == kept


@given(DOCUMENTS)
def test_equal_documents_need_none(document: Any) -> None:
    assert difference(document, document) == []


def test_it_names_the_place_that_changed() -> None:
    before = {"glory": 1, "turn": 1, "characters": [{"name": "Arya", "wounds": 0}]}
    after = {"glory": 1, "characters": [{"name": "Arya", "wounds": 2}]}
    assert difference(before, after) == [[["characters", 0, "wounds"], 2], [["turn"]]]


@pytest.mark.parametrize("patch", [[[["a", "b"], 1]], [[["z"]]], [[[0], 1]], [[["a", 3], 1]]])
def test_a_patch_of_another_document_is_refused(patch: Any) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        patched([], patch)
