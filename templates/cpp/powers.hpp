// What is computed with whole numbers of any length beside their operators.

constexpr std::int64_t most_bits = 4096;  // of the powers and shifts that are computed, as in the Python form

inline Int least(const Int& left, const Int& right) { return right < left ? right : left; }
inline Int greatest(const Int& left, const Int& right) { return right > left ? right : left; }
inline Int absolute(const Int& value) { return value.absolute(); }

inline Int bit_and(const Int& left, const Int& right) {
  return bitwise(left, right, [](std::uint32_t a, std::uint32_t b) { return a & b; });
}
inline Int bit_or(const Int& left, const Int& right) {
  return bitwise(left, right, [](std::uint32_t a, std::uint32_t b) { return a | b; });
}
inline Int bit_xor(const Int& left, const Int& right) {
  return bitwise(left, right, [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
}

// Whether there is a whole number `base ** exponent` that is not too long to compute.
inline bool can_power(const Int& base, const Int& exponent) {
  if (exponent.negative()) return false;
  return base.bits() <= 1 || (exponent.is_small() && exponent <= Int(most_bits) &&
                              exponent.small() * base.bits() <= most_bits);
}

inline Int power(const Int& base, const Int& exponent) {
  if (base.bits() <= 1) return exponent == Int(0) ? Int(1) : modulo(exponent, Int(2)) == Int(0) ? base * base : base;
  Int result(1), factor = base;
  for (std::int64_t rest = exponent.small(); rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = result * factor;
    if (rest > 1) factor = factor * factor;
  }
  return result;
}

inline bool can_shift(const Int& value, const Int& count) {
  return !count.negative() && (value == Int(0) || (count.is_small() && count.small() <= most_bits));
}

inline Int shift_left(const Int& value, const Int& count) {
  return value == Int(0) ? value : value * Int::power_of_two(count.small());
}

inline Int shift_right(const Int& value, const Int& count) {
  if (!count.is_small() || count.small() > value.bits()) return Int(value.negative() ? -1 : 0);
  return floordiv(value, Int::power_of_two(count.small()));
}

inline double true_divide(std::int64_t left, std::int64_t right) { return true_divide(Int(left), Int(right)); }

// Whether Python computes this float, without an error.
inline bool can_convert(const Int& value) { return std::isfinite(to_float(value)); }
inline bool can_divide(const Int& left, const Int& right) {
  return right != Int(0) && std::isfinite(true_divide(left, right));
}
