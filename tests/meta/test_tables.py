"""Every rule table covers the ops that its interpretation can meet."""

from __future__ import annotations

import pytest

from guardgen.interpret import RuleTable
from guardgen.ops import BAILOUTS, OPS, PURE, is_torch_op
from guardgen.rules.assertions import assertion_rules
from guardgen.rules.concrete import concrete_rules
from guardgen.rules.cpp import cpp_rules
from guardgen.rules.exact import exact_rules
from guardgen.rules.python import python_rules
from guardgen.rules.terms import term_rules
from guardgen.rules.text import text_rules
from guardgen.rules.torchscript import torchscript_rules

PLACEHOLDERS = {op for op in OPS if op.endswith("_placeholder")}  # the interpreter gives them their values
COMPUTED = set(PURE) - PLACEHOLDERS


def name_of(table: RuleTable) -> str:
    return table.interpretation


TABLES = [term_rules, text_rules, python_rules, torchscript_rules, exact_rules, cpp_rules]


@pytest.mark.parametrize("table", TABLES, ids=name_of)
def test_tables_of_terms_cover_every_op_on_numbers(table: RuleTable) -> None:
    assert table.missing(COMPUTED) == []


def test_the_concrete_table_covers_every_op_but_bailouts_which_replay_checks_itself() -> None:
    assert concrete_rules.missing(OPS.keys() - PLACEHOLDERS) == sorted(BAILOUTS)


def test_the_print_table_covers_int_only_graphs_and_their_bailouts() -> None:
    assert assertion_rules.missing(COMPUTED | BAILOUTS.keys()) == []


@pytest.mark.parametrize("table", [concrete_rules, term_rules, text_rules, python_rules, assertion_rules], ids=name_of)
def test_no_table_has_a_rule_for_an_op_that_does_not_exist(table: RuleTable) -> None:
    assert [op for op in table.rules if op not in OPS and not is_torch_op(op)] == []
