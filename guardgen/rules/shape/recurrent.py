"""Recurrent networks and their cells.

Source: aten/src/ATen/native/RNN.cpp (check_rnn_cell_forward_input, apply_layer_stack).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.context import Sizes, require, shape_rule
from guardgen.rules.shape.normalisation import require_sizes
from guardgen.terms import IntLike, eq, gt, ne

Shape = tuple[IntLike, ...]
GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def weights(features: IntLike, hidden: IntLike, out: IntLike, gates: int, params: Sequence[Sizes]) -> None:
    """The weights of one layer in one direction: from the input, from the hidden state, and their biases."""
    require_sizes(params[0], (gates * hidden, features), "input weights that fit the input and the hidden state")
    require_sizes(params[1], (gates * hidden, out), "hidden weights that fit the hidden state")
    for bias in params[2:]:
        require_sizes(bias, (gates * hidden,), "biases that fit the hidden state")


def layers(
    x: Sequence[IntLike], states: Sequence[Sizes], params: Sequence[Sizes], gates: int, num_layers: int, directions: int
) -> IntLike:
    """Check every layer's weights and states; the number of features that come out of each direction."""
    out = states[0][2]
    hidden = states[-1][2]
    each = len(params) // (num_layers * directions)
    projected = each in (3, 5)
    if projected:
        require(ne(out, hidden), "a projection to another size")
    else:
        require(eq(out, hidden), "hidden states of one size")
    features = x[-1]
    for layer in range(num_layers):
        for direction in range(directions):
            at = (layer * directions + direction) * each
            weights(features, hidden, out, gates, params[at : at + each - projected])
            if projected:
                require_sizes(params[at + each - 1], (out, hidden), "a projection that fits the hidden state")
        features = out * directions
    return out


def network(name: str, packed: bool) -> Any:
    """The rule of `<name>.input`, or of `<name>.data` on a packed sequence."""

    def rule(x: Sizes, *args: Any) -> list[Shape]:
        hx, params, _, num_layers, _, _, bidirectional, *rest = args[1:] if packed else args
        states = list(hx) if name == "lstm" else [hx]
        directions = 2 if bidirectional else 1
        require(len(x) == (2 if packed else 3), "an input of time, batch and features")
        if packed:
            batch = states[0][1]
            place: Shape = (x[0],)
        else:
            time, batch = (x[1], x[0]) if rest[0] else (x[0], x[1])
            require(gt(time, 0), "a sequence of at least 1 step")
            place = (x[0], x[1])
        out = layers(x, states, params, GATES[name], num_layers, directions)
        kept = [(num_layers * directions, batch, state[2]) for state in states]
        for state, sizes in zip(states, kept, strict=True):
            require_sizes(state, sizes, "a hidden state for every layer, direction and example")
        return [(*place, out * directions), *kept]

    return rule


def cell(name: str) -> Any:
    def rule(x: Sizes, hx: Any, w_ih: Sizes, w_hh: Sizes, b_ih: Sizes | None = None, b_hh: Sizes | None = None) -> Any:
        states = list(hx) if name == "lstm" else [hx]
        hidden = states[0][-1]
        require(len(x) in (1, 2), "an input of 1 or 2 dimensions")
        weights(x[-1], hidden, hidden, GATES[name], [w_ih, w_hh, *(each for each in (b_ih, b_hh) if each is not None)])
        for state in states:
            require_sizes(state, (*x[:-1], hidden), "a hidden state for every example")
        return [(*x[:-1], hidden)] * 2 if name == "lstm" else (*x[:-1], hidden)

    return rule


for _name in GATES:
    shape_rule(f"aten.{_name}.input")(network(_name, False))
    shape_rule(f"aten.{_name}.data")(network(_name, True))
    shape_rule(f"aten.{_name}_cell.default")(cell(_name))
