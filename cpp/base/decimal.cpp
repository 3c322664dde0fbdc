// Floats as exact decimals, correctly rounded: the binary value is expanded in full as one big
// integer, so no bit of it is lost and every machine prints the same digits.
#include "base/text.h"

namespace alpha {

namespace {

// |value| = mantissa * 2^exponent.
struct Binary {
  bool negative;
  bool finite;
  u64 mantissa;
  i32 exponent;
};

// A natural number in 32-bit limbs, least first.  The smallest double needs 53 + 1074 log2(5) bits:
// 80 limbs.
class Natural {
 public:
  explicit Natural(u64 value) : limb_{static_cast<u32>(value), static_cast<u32>(value >> 32)} {}

  void multiply(u32 factor) {
    u64 carry = 0;
    for (u32 i = 0; i < count_; ++i) {
      const u64 product = u64{limb_[i]} * factor + carry;
      limb_[i] = static_cast<u32>(product);
      carry = product >> 32;
    }
    if (carry != 0) limb_[count_++] = static_cast<u32>(carry);
  }

  u32 divide(u32 divisor) {  // returns the rest
    u64 rest = 0;
    for (u32 i = count_; i-- > 0;) {
      const u64 part = (rest << 32) | limb_[i];
      limb_[i] = static_cast<u32>(part / divisor);
      rest = part % divisor;
    }
    while (count_ > 0 && limb_[count_ - 1] == 0) --count_;
    return static_cast<u32>(rest);
  }

  bool zero() const { return count_ == 0; }

 private:
  u32 limb_[84];
  u32 count_ = 2;
};

// Decimal digits of a value: 0.d0 d1 d2... * 10^point.
struct Decimal {
  char digit[800];
  i32 count = 0;
  i32 point = 0;
};

void expand(const Binary& value, Decimal& decimal) {
  Natural natural(value.mantissa);
  for (i32 i = 0; i < value.exponent; ++i) natural.multiply(2);
  for (i32 i = 0; i > value.exponent; --i) natural.multiply(5);  // over 10^-exponent
  char reversed[810];
  i32 count = 0;
  while (!natural.zero()) {
    u32 nine = natural.divide(1000000000u);
    for (i32 i = 0; i < 9; ++i) {
      reversed[count++] = static_cast<char>('0' + nine % 10);
      nine /= 10;
    }
  }
  while (count > 0 && reversed[count - 1] == '0') --count;
  decimal.count = count;
  decimal.point = count + (value.exponent < 0 ? value.exponent : 0);
  for (i32 i = 0; i < count; ++i) decimal.digit[i] = reversed[count - 1 - i];
}

// Half to even at `digits`, then zeros at the end away.
void round(Decimal& decimal, i32 digits) {
  if (decimal.count > digits) {
    const char next = decimal.digit[digits];
    bool above_half = false;
    for (i32 i = digits + 1; i < decimal.count; ++i) above_half |= decimal.digit[i] != '0';
    const bool odd = (decimal.digit[digits - 1] - '0') % 2 != 0;
    decimal.count = digits;
    if (next > '5' || (next == '5' && (above_half || odd))) {
      i32 i = digits;
      while (i > 0 && decimal.digit[i - 1] == '9') --i;
      if (i == 0) {
        decimal.digit[0] = '1';
        decimal.point += 1;
        i = 1;
      } else {
        decimal.digit[i - 1] = static_cast<char>(decimal.digit[i - 1] + 1);
      }
      decimal.count = i;
    }
  }
  while (decimal.count > 0 && decimal.digit[decimal.count - 1] == '0') --decimal.count;
}

void lay_out(const TextSink& sink, const Decimal& decimal, i32 digits) {
  const auto digit = [&](i32 i) { return i < decimal.count ? decimal.digit[i] : '0'; };
  const i32 exponent = decimal.point - 1;
  if (exponent < -4 || exponent >= digits) {
    append(sink, digit(0));
    if (decimal.count > 1) append(sink, '.');
    for (i32 i = 1; i < decimal.count; ++i) append(sink, digit(i));
    append(sink, exponent < 0 ? "e-" : "e+");
    const i32 size = exponent < 0 ? -exponent : exponent;
    if (size < 10) append(sink, '0');
    append(sink, size);
    return;
  }
  if (decimal.point <= 0) append(sink, '0');
  for (i32 i = 0; i < decimal.point; ++i) append(sink, digit(i));
  if (decimal.count > decimal.point) append(sink, '.');
  for (i32 i = decimal.point; i < 0; ++i) append(sink, '0');
  for (i32 i = decimal.point < 0 ? 0 : decimal.point; i < decimal.count; ++i)
    append(sink, digit(i));
}

void append_float(const TextSink& sink, const Binary& value, i32 digits) {
  if (!value.finite && value.mantissa != 0) return append(sink, "nan");
  if (value.negative) append(sink, '-');
  if (!value.finite) return append(sink, "inf");
  if (value.mantissa == 0) return append(sink, '0');
  Decimal decimal;
  expand(value, decimal);
  round(decimal, digits);
  lay_out(sink, decimal, digits);
}

}  // namespace

void append(const TextSink& sink, f32 value) {
  const u32 bits = __builtin_bit_cast(u32, value);
  const u32 fraction = bits & 0x7fffff;
  const i32 biased = static_cast<i32>((bits >> 23) & 0xff);
  const Binary binary = {(bits >> 31) != 0, biased != 0xff,
                         biased == 0 || biased == 0xff ? fraction : fraction | 0x800000,
                         (biased == 0 ? 1 : biased) - 150};
  append_float(sink, binary, 9);
}

void append(const TextSink& sink, f64 value) {
  const u64 bits = __builtin_bit_cast(u64, value);
  const u64 fraction = bits & 0xfffffffffffff;
  const i32 biased = static_cast<i32>((bits >> 52) & 0x7ff);
  const Binary binary = {(bits >> 63) != 0, biased != 0x7ff,
                         biased == 0 || biased == 0x7ff ? fraction : fraction | 0x10000000000000,
                         (biased == 0 ? 1 : biased) - 1075};
  append_float(sink, binary, 17);
}

}  // namespace alpha
