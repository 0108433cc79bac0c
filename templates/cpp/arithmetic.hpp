// What Python's operators answer for ints of 64 bits, where the result is one too; no divisor is 0.

inline std::int64_t floordiv(std::int64_t left, std::int64_t right) {
  const std::int64_t quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

inline std::int64_t modulo(std::int64_t left, std::int64_t right) {
  if (right == -1) return 0;  // the least int there is would trap
  const std::int64_t rest = left % right;
  return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

inline std::int64_t least(std::int64_t left, std::int64_t right) { return right < left ? right : left; }
inline std::int64_t greatest(std::int64_t left, std::int64_t right) { return right > left ? right : left; }
inline std::int64_t absolute(std::int64_t value) { return value < 0 ? -value : value; }
inline double to_float(std::int64_t value) { return static_cast<double>(value); }
inline std::int64_t bit_and(std::int64_t left, std::int64_t right) { return left & right; }
inline std::int64_t bit_or(std::int64_t left, std::int64_t right) { return left | right; }
inline std::int64_t bit_xor(std::int64_t left, std::int64_t right) { return left ^ right; }
