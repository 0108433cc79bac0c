"""What TorchScript's own numbers need to answer as Python's do, in the part of Python that TorchScript compiles.

TorchScript modules that use one of these functions include what is below the imports.
"""

from __future__ import annotations


def modulo(value: int, divisor: int) -> int:
    """`value % divisor`, whose own implementation wraps for divisors beyond 2**62; the divisor is not 0."""
    return value - value // divisor * divisor


def can_power(base: float, exponent: float) -> bool:
    """Whether Python computes `base ** exponent` as a float, without an error."""
    if base == 0.0:
        return exponent >= 0.0
    if base < 0.0 and exponent != float(round(exponent)):
        return False
    power: float = base**exponent
    return abs(power) < float("inf")
