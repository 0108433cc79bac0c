// Floats as in Python.

// Numbers are rounded after every operation: no compiler may join the two operations of a * b + c.
inline double rounded(double value) {
  volatile double stored = value;
  return stored;
}

inline double float_modulo(double left, double right) {
  const double rest = std::fmod(left, right);
  if (rest != 0) return (right < 0) != (rest < 0) ? rest + right : rest;
  return std::copysign(0.0, right);
}

inline double float_floordiv(double left, double right) {
  double rest = std::fmod(left, right);
  double quotient = (left - rest) / right;
  if (rest != 0 && (right < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, left / right);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

// Whether Python computes `base ** exponent` as a float, without an error.
inline bool can_float_power(double base, double exponent) {
  if (base == 0) return !(exponent < 0);
  if (base < 0 && std::isfinite(base) && std::isfinite(exponent) && exponent != std::floor(exponent)) return false;
  return std::isfinite(std::pow(base, exponent)) || !std::isfinite(base) || !std::isfinite(exponent);
}

// Whole numbers of finite floats.
inline Int rounded_down(double value) { return Int::truncated(std::floor(value)); }
inline Int rounded_up(double value) { return Int::truncated(std::ceil(value)); }

// The nearest whole number, the even one of two, whatever way the process rounds.
inline Int nearest(double value) {
  const double below = std::floor(value), beyond = value - below;
  const bool odd = std::fmod(below, 2) != 0;
  return Int::truncated(beyond > 0.5 || (beyond == 0.5 && odd) ? below + 1 : below);
}
