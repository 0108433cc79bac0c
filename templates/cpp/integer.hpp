// Whole numbers of any length. What fits 64 bits takes no memory of its own.

class Int {
 public:
  Int(std::int64_t value) : small_(value) {}

  // Of decimal digits, after a sign or none.
  static Int parse(std::string_view text) {
    const bool negative = text.front() == '-';
    Digits digits;
    for (const char each : text.substr(negative ? 1 : 0)) {
      digits = plus(times(digits, {10}), {static_cast<std::uint32_t>(each - '0')});
    }
    return Int(negative, std::move(digits));
  }

  // The whole number that a finite float is without its fraction.
  static Int truncated(double value) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    if (exponent <= 53) return Int(static_cast<std::int64_t>(value));
    return Int(static_cast<std::int64_t>(std::ldexp(fraction, 53))) * power_of_two(exponent - 53);
  }

  static Int power_of_two(std::int64_t exponent) {
    Digits digits(static_cast<std::size_t>(exponent / 32) + 1, 0);
    digits.back() = std::uint32_t{1} << (exponent % 32);
    return Int(false, std::move(digits));
  }

  bool is_small() const { return digits_.empty(); }
  std::int64_t small() const { return small_; }
  bool negative() const { return is_small() ? small_ < 0 : negative_; }

  // How many bits the absolute value has.
  std::int64_t bits() const {
    const Digits digits = magnitude();
    if (digits.empty()) return 0;
    std::int64_t count = 32 * (static_cast<std::int64_t>(digits.size()) - 1);
    for (std::uint32_t last = digits.back(); last != 0; last >>= 1) ++count;
    return count;
  }

  friend int compare(const Int& left, const Int& right) {
    if (left.is_small() && right.is_small()) return left.small_ < right.small_ ? -1 : left.small_ > right.small_;
    if (left.negative() != right.negative()) return left.negative() ? -1 : 1;
    const int sizes = order(left.magnitude(), right.magnitude());
    return left.negative() ? -sizes : sizes;
  }
  friend bool operator==(const Int& left, const Int& right) { return compare(left, right) == 0; }
  friend bool operator!=(const Int& left, const Int& right) { return compare(left, right) != 0; }
  friend bool operator<(const Int& left, const Int& right) { return compare(left, right) < 0; }
  friend bool operator<=(const Int& left, const Int& right) { return compare(left, right) <= 0; }
  friend bool operator>(const Int& left, const Int& right) { return compare(left, right) > 0; }
  friend bool operator>=(const Int& left, const Int& right) { return compare(left, right) >= 0; }

  friend Int operator-(const Int& value) {
    if (value.is_small() && value.small_ != least_small) return Int(-value.small_);
    return Int(!value.negative(), value.magnitude());
  }

  friend Int operator+(const Int& left, const Int& right) {
    if (left.is_small() && right.is_small()) {
      const std::int64_t a = left.small_, b = right.small_;
      if (b >= 0 ? a <= most_small - b : a >= least_small - b) return Int(a + b);
    }
    const Digits a = left.magnitude(), b = right.magnitude();
    if (left.negative() == right.negative()) return Int(left.negative(), plus(a, b));
    const bool larger = order(a, b) >= 0;
    return Int(larger ? left.negative() : right.negative(), larger ? minus(a, b) : minus(b, a));
  }

  friend Int operator-(const Int& left, const Int& right) { return left + -right; }
  friend Int operator~(const Int& value) { return -value - Int(1); }

  friend Int operator*(const Int& left, const Int& right) {
    if (left.is_short() && right.is_short()) return Int(left.small_ * right.small_);
    return Int(left.negative() != right.negative(), times(left.magnitude(), right.magnitude()));
  }

  // Rounded down; the divisor is not 0.
  friend Int floordiv(const Int& left, const Int& right) { return divided(left, right).first; }
  friend Int modulo(const Int& left, const Int& right) { return divided(left, right).second; }

  // Bits, as if each number had endlessly many; `select` is one of `and`, `or`, `xor` of 32 of them.
  template <class Select>
  friend Int bitwise(const Int& left, const Int& right, Select select) {
    const std::size_t count = 1 + std::max(left.magnitude().size(), right.magnitude().size());
    Digits a = left.complement(count), b = right.complement(count);
    for (std::size_t i = 0; i < count; ++i) a[i] = select(a[i], b[i]);
    if ((a.back() >> 31) == 0) return Int(false, std::move(a));
    return Int(true, negated(std::move(a)));
  }

  // The nearest float, the even one of two; infinite where it is too large for one.
  friend double to_float(const Int& value) {
    if (value.is_small()) return static_cast<double>(value.small_);
    return scaled(value, Int(0), 0);
  }

  // The nearest float of a quotient; the divisor is not 0.
  friend double true_divide(const Int& left, const Int& right) {
    if (left.is_exact_float() && right.is_exact_float()) {
      return static_cast<double>(left.small_) / static_cast<double>(right.small_);
    }
    // A quotient of 55 bits or more, but no finer than floats near 0 are; its remainder only says which way to round.
    const std::int64_t shift = std::max<std::int64_t>(left.bits() - right.bits(), -1021) - 55;
    const Int dividend = left.absolute() * power_of_two(std::max<std::int64_t>(-shift, 0));
    const Int divisor = right.absolute() * power_of_two(std::max<std::int64_t>(shift, 0));
    const auto [quotient, rest] = divided(dividend, divisor);
    const double result = scaled(quotient, rest, shift);
    return left.negative() != right.negative() ? -result : result;
  }

  Int absolute() const { return negative() ? -*this : *this; }

 private:
  using Digits = std::vector<std::uint32_t>;  // to base 2**32, the lowest first, none of them for 0

  static constexpr std::int64_t most_small = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t least_small = std::numeric_limits<std::int64_t>::min();

  std::int64_t small_ = 0;  // the number, where there are no digits
  bool negative_ = false;
  Digits digits_;

  Int(bool negative, Digits digits) : negative_(negative), digits_(trimmed(std::move(digits))) {
    if (digits_.size() > 2) return;
    std::uint64_t size = 0;
    for (std::size_t i = digits_.size(); i > 0; --i) size = size << 32 | digits_[i - 1];
    if (size > static_cast<std::uint64_t>(most_small)) return;
    small_ = negative ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
    negative_ = false;
    digits_.clear();
  }

  bool is_short() const { return is_small() && small_ >= -0x7fffffff && small_ <= 0x7fffffff; }
  bool is_exact_float() const {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    return is_small() && small_ >= -most && small_ <= most;
  }

  Digits magnitude() const {
    if (!is_small()) return digits_;
    const auto bits = static_cast<std::uint64_t>(small_);
    const std::uint64_t size = small_ < 0 ? ~bits + 1 : bits;
    return trimmed({static_cast<std::uint32_t>(size & 0xffffffffU), static_cast<std::uint32_t>(size >> 32)});
  }

  static Digits trimmed(Digits digits) {
    while (!digits.empty() && digits.back() == 0) digits.pop_back();
    return digits;
  }

  static int order(const Digits& left, const Digits& right) {
    if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
    for (std::size_t i = left.size(); i > 0; --i) {
      if (left[i - 1] != right[i - 1]) return left[i - 1] < right[i - 1] ? -1 : 1;
    }
    return 0;
  }

  static Digits plus(const Digits& left, const Digits& right) {
    Digits sum(std::max(left.size(), right.size()) + 1, 0);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      carry += i < left.size() ? left[i] : 0;
      carry += i < right.size() ? right[i] : 0;
      sum[i] = static_cast<std::uint32_t>(carry & 0xffffffffU);
      carry >>= 32;
    }
    return trimmed(std::move(sum));
  }

  // `left` is not less than `right`.
  static Digits minus(const Digits& left, const Digits& right) {
    Digits difference(left.size(), 0);
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::uint64_t taken = (i < right.size() ? right[i] : 0) + borrow;
      borrow = left[i] < taken ? 1 : 0;
      difference[i] = static_cast<std::uint32_t>((left[i] + (borrow << 32) - taken) & 0xffffffffU);
    }
    return trimmed(std::move(difference));
  }

  static Digits times(const Digits& left, const Digits& right) {
    Digits product(left.size() + right.size(), 0);
    for (std::size_t i = 0; i < left.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < right.size(); ++j) {
        carry += product[i + j] + static_cast<std::uint64_t>(left[i]) * right[j];
        product[i + j] = static_cast<std::uint32_t>(carry & 0xffffffffU);
        carry >>= 32;
      }
      product[i + right.size()] = static_cast<std::uint32_t>(carry);
    }
    return trimmed(std::move(product));
  }

  // Quotient and remainder, bit by bit.
  static std::pair<Digits, Digits> divided(const Digits& left, const Digits& right) {
    Digits quotient(left.size(), 0), rest;
    for (std::size_t i = left.size(); i > 0; --i) {
      for (int bit = 31; bit >= 0; --bit) {
        rest = plus(rest, rest);
        if (((left[i - 1] >> bit) & 1U) != 0) rest = plus(rest, {1});
        if (order(rest, right) < 0) continue;
        rest = minus(rest, right);
        quotient[i - 1] |= std::uint32_t{1} << bit;
      }
    }
    return {trimmed(std::move(quotient)), std::move(rest)};
  }

  // Quotient, rounded down, and remainder, with the sign of the divisor.
  static std::pair<Int, Int> divided(const Int& left, const Int& right) {
    if (left.is_small() && right.is_small() && right.small_ != -1) {
      std::int64_t quotient = left.small_ / right.small_, rest = left.small_ % right.small_;
      if (rest != 0 && (rest < 0) != (right.small_ < 0)) {
        --quotient;
        rest += right.small_;
      }
      return {Int(quotient), Int(rest)};
    }
    auto [quotient, rest] = divided(left.magnitude(), right.magnitude());
    const bool opposite = left.negative() != right.negative();
    const bool exact = rest.empty();
    const Int whole(opposite, std::move(quotient)), remainder(left.negative(), std::move(rest));
    if (!opposite || exact) return {whole, remainder};
    return {whole - Int(1), remainder + right};
  }

  // The lowest 32 * `count` bits, a negative number being the complement of its absolute value.
  Digits complement(std::size_t count) const {
    Digits digits = magnitude();
    digits.resize(count, 0);
    return negative() ? negated(std::move(digits)) : digits;
  }

  static Digits negated(Digits digits) {
    std::uint64_t carry = 1;
    for (std::uint32_t& each : digits) {
      carry += static_cast<std::uint32_t>(~each);
      each = static_cast<std::uint32_t>(carry & 0xffffffffU);
      carry >>= 32;
    }
    return digits;
  }

  // value * 2**shift as a float, rounded to the nearest, and to the even one of two unless there is a `rest` beyond.
  static double scaled(const Int& value, const Int& rest, std::int64_t shift) {
    const std::int64_t extra = std::max<std::int64_t>(std::max<std::int64_t>(value.bits(), -1021 - shift) - 53, 0);
    const auto [kept, cut] = divided(value.absolute(), power_of_two(extra));
    const Int half = extra == 0 ? Int(1) : power_of_two(extra - 1);
    const bool odd = modulo(kept, Int(2)) == Int(1);
    const bool beyond = cut > half || (cut == half && (odd || rest != Int(0)));
    const Int rounded = beyond ? kept + Int(1) : kept;
    const std::int64_t exponent = std::min<std::int64_t>(extra + shift, 5000);
    const double size = std::ldexp(static_cast<double>(rounded.small_), static_cast<int>(exponent));
    return value.negative() ? -size : size;
  }
};
