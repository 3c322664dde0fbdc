// Elementary functions against an outside reference: glibc's doubles, and quadruple precision where
// a double does not settle the rounding.
//
//   elementary NAME BEGIN END STEP   a function of one f32, for the inputs with these bits; where
//                                    there is the same over arrays, it must give the same bits
//   elementary wide NAME COUNT       a function of f64, for COUNT random inputs
//
// prints what was tried, wrong and undecided, and the first wrong input; for f64 the worst error.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "learner/elementary_angle.h"
#include "learner/elementary_arc.h"
#include "learner/elementary_arrays.h"
#include "learner/elementary_error.h"
#include "learner/elementary_hyperbolic.h"
#include "learner/elementary_power.h"

#ifdef __x86_64__
#include <quadmath.h>
using Quad = __float128;
#define QUAD(name) name##q
#else  // there long double has the same 113 bits
using Quad = long double;
#define QUAD(name) name##l
#endif

namespace alpha {
namespace {

// ---- functions of one f32 -----------------------------------------------------------------------

struct Narrow {
  const char* name;
  f32 (*ours)(f32);
  f64 (*wide)(f64);
  Quad (*exact)(Quad);
  f32 low = -kInfinity<f32>;  // where it may be asked
  f32 high = kInfinity<f32>;
  void (*over)(const f32*, f32*, u64) = nullptr;  // the same over an array
  bool exact_of_whole = false;  // `exact` is, of whole numbers: a tie among them is decided
};

// Every result by the long way, which `settles` otherwise hides.
f32 exponential_long(f32 x) { return rounded(exponential_pair({x, 0})); }
f32 exponential_minus_one_long(f32 x) { return rounded(exponential_minus_one_pair({x, 0})); }
f32 logarithm_long(f32 x) { return rounded(logarithm_pair({x, 0})); }
f32 hyperbolic_tangent_long(f32 x) {
  const Pair part = exponential_minus_one_pair({2 * static_cast<f64>(x), 0});
  return rounded(part / (part + 2.0));
}
f32 logistic_long(f32 x) {
  return rounded(Pair{1, 0} / (exponential_pair({-static_cast<f64>(x), 0}) + 1.0));
}

f64 logistic_wide(f64 x) { return 1 / (1 + std::exp(-x)); }
Quad logistic_exact(Quad x) { return 1 / (1 + QUAD(exp)(-x)); }
f64 rsqrt_wide(f64 x) { return 1 / std::sqrt(x); }
Quad rsqrt_exact(Quad x) { return 1 / QUAD(sqrt)(x); }
Quad exp2_exact(Quad x) {  // exact where x is whole
  const Quad whole = QUAD(floor)(x);
  return QUAD(ldexp)(QUAD(exp)((x - whole) * QUAD(log)(2)), static_cast<int>(whole));
}

constexpr f32 kEnd = kInfinity<f32>;
#define ALPHA_ROW(ours, name) \
  Narrow { #ours, ours, std::name, QUAD(name) }
#define ALPHA_BOTH(ours, name) \
  Narrow { #ours, ours, std::name, QUAD(name), -kEnd, kEnd, ours##_of }
const Narrow kNarrow[] = {
    ALPHA_BOTH(exponential, exp),
    ALPHA_BOTH(exponential_minus_one, expm1),
    {"exponential_base_two", exponential_base_two, std::exp2, exp2_exact, -kEnd, kEnd, nullptr,
     true},
    ALPHA_BOTH(logarithm, log),
    ALPHA_ROW(logarithm_of_one_plus, log1p),
    ALPHA_BOTH(hyperbolic_tangent, tanh),
    {"logistic", logistic, logistic_wide, logistic_exact, -kEnd, kEnd, logistic_of},
    ALPHA_ROW(square_root, sqrt),
    {"reciprocal_square_root", reciprocal_square_root, rsqrt_wide, rsqrt_exact},
    ALPHA_ROW(cube_root, cbrt),
    ALPHA_ROW(sine, sin),
    ALPHA_ROW(cosine, cos),
    ALPHA_ROW(tangent, tan),
    ALPHA_ROW(arc_sine, asin),
    ALPHA_ROW(arc_cosine, acos),
    ALPHA_ROW(arc_tangent, atan),
    ALPHA_ROW(hyperbolic_sine, sinh),
    ALPHA_ROW(hyperbolic_cosine, cosh),
    ALPHA_ROW(inverse_hyperbolic_sine, asinh),
    ALPHA_ROW(inverse_hyperbolic_cosine, acosh),
    ALPHA_ROW(inverse_hyperbolic_tangent, atanh),
    ALPHA_ROW(error_function, erf),
    ALPHA_ROW(error_function_complement, erfc),
    {"exponential_long", exponential_long, std::exp, QUAD(exp), -80, 80},
    {"exponential_minus_one_long", exponential_minus_one_long, std::expm1, QUAD(expm1), -29, 80},
    {"logarithm_long", logarithm_long, std::log, QUAD(log), 1e-38f, 1e38f},
    {"hyperbolic_tangent_long", hyperbolic_tangent_long, std::tanh, QUAD(tanh), -12, 12},
    {"logistic_long", logistic_long, logistic_wide, logistic_exact, -80, 20},
};

struct Count {
  u64 tried = 0, wrong = 0, undecided = 0;
  u32 first_wrong = 0;
};

void compare(u32 bits, f32 ours, f32 right, Count* count) {
  if (bit_cast<u32>(canonical(right)) == bit_cast<u32>(canonical(ours))) return;
  if (count->wrong++ == 0) count->first_wrong = bits;
}

// Whether `value`, wrong by less than `slack` of itself, rounds to one f32.
template <class T>
bool settled(T value, T slack, f32* result) {
  *result = static_cast<f32>(value);
  if (value == 0 || value - value != 0) return true;  // infinity and NaN too
  return static_cast<f32>(value - value * slack) == static_cast<f32>(value + value * slack);
}

void try_one(const Narrow& function, u32 bits, Count* count) {
  const f32 x = bit_cast<f32>(bits);
  if (x < function.low || x > function.high) return;
  if (x != x && is_finite(function.low)) return;
  ++count->tried;
  f32 right;
  const bool exact = function.exact_of_whole && std::floor(x) == x;
  // glibc's functions are known to a few units of 2^-53.
  if (!settled<f64>(function.wide(x), 0x1p-44, &right) &&
      !settled<Quad>(function.exact(x), exact ? Quad(0) : Quad(0x1p-104), &right)) {
    ++count->undecided;
    return;
  }
  compare(bits, function.ours(x), right, count);
}

// The same inputs over arrays: what differs from one by one is wrong.
void try_arrays(const Narrow& function, u64 begin, u64 end, u64 step, Count* count) {
  constexpr u64 kMost = 1024;
  f32 in[kMost], out[kMost];
  for (u64 bits = begin; bits < end;) {
    u64 filled = 0;
    for (; filled < kMost && bits < end; bits += step) {
      in[filled++] = bit_cast<f32>(static_cast<u32>(bits));
    }
    function.over(in, out, filled);
    for (u64 i = 0; i < filled; ++i) {
      compare(bit_cast<u32>(in[i]), out[i], function.ours(in[i]), count);
    }
  }
}

// Of sign(erf(middle) - x), for x in (0, 1), where the doubles leave no doubt; on the complement
// near 1.
int side(f64 middle, f64 x) {
  const f64 left = x < 0.5 ? std::erf(middle) : 1 - x;
  const f64 right = x < 0.5 ? x : std::erfc(middle);
  if (left > right * (1 + 0x1p-44)) return 1;
  if (left < right * (1 - 0x1p-44)) return -1;
  const Quad exact = x < 0.5 ? QUAD(erf)(middle) - x : (1 - x) - QUAD(erfc)(middle);
  return exact > 0 ? 1 : -1;
}

// The inverse has no outside reference: erf of the midpoints around the result must enclose x.
void try_inverse(u32 bits, Count* count) {
  const f32 x = bit_cast<f32>(bits);
  const f32 ours = inverse_error_function(x);
  ++count->tried;
  if (!(absolute(x) < 1) || x == 0) {
    const f32 right = x == 0 ? x : absolute(x) == 1 ? with_sign_of(kInfinity<f32>, x) : kNan<f32>;
    return compare(bits, ours, right, count);
  }
  const f64 size = absolute(static_cast<f64>(x));
  const f64 result = absolute(static_cast<f64>(ours));
  const f64 below = static_cast<f64>(bit_cast<f32>(bit_cast<u32>(absolute(ours)) - 1));
  const f64 above = static_cast<f64>(bit_cast<f32>(bit_cast<u32>(absolute(ours)) + 1));
  const bool right = (ours < 0) == (x < 0) && side((below + result) / 2, size) <= 0 &&
                     side((result + above) / 2, size) >= 0;
  compare(bits, ours, right ? ours : -ours, count);
}

int narrow(const char* name, u64 begin, u64 end, u64 step) {
  Count count;
  bool known = false;
  for (const Narrow& function : kNarrow) {
    if (std::strcmp(function.name, name) != 0) continue;
    known = true;
    for (u64 bits = begin; bits < end; bits += step) {
      try_one(function, static_cast<u32>(bits), &count);
    }
    if (function.over != nullptr) try_arrays(function, begin, end, step, &count);
  }
  if (std::strcmp(name, "inverse_error_function") == 0) {
    known = true;
    for (u64 bits = begin; bits < end; bits += step) try_inverse(static_cast<u32>(bits), &count);
  }
  std::printf("%s tried %lu wrong %lu undecided %lu first %08x\n", name,
              static_cast<unsigned long>(count.tried), static_cast<unsigned long>(count.wrong),
              static_cast<unsigned long>(count.undecided), count.first_wrong);
  return known && count.wrong == 0 && count.undecided == 0 ? 0 : 1;
}

// ---- functions of f64 ---------------------------------------------------------------------------

struct Wide {
  const char* name;
  f64 (*ours)(f64, f64);
  Quad (*exact)(Quad, Quad);
  f64 spread;  // arguments lie within the spread of zero, or anywhere where it is 0
};

template <f64 (*kOurs)(f64)>
f64 of_first(f64 x, f64) {
  return kOurs(x);
}
template <Quad (*kExact)(Quad)>
Quad of_first(Quad x, Quad) {
  return kExact(x);
}

#define ALPHA_WIDE(ours, name, spread) \
  Wide { #ours, of_first < ours>, of_first < QUAD(name)>, spread }
const Wide kWide[] = {
    ALPHA_WIDE(exponential, exp, 750),
    ALPHA_WIDE(exponential_minus_one, expm1, 60),
    {"exponential_base_two", of_first<exponential_base_two>, of_first<exp2_exact>, 1080},
    ALPHA_WIDE(logarithm, log, 0),
    ALPHA_WIDE(logarithm_of_one_plus, log1p, 2),
    ALPHA_WIDE(hyperbolic_tangent, tanh, 25),
    {"logistic", of_first<logistic>, of_first<logistic_exact>, 745},
    {"reciprocal_square_root", of_first<reciprocal_square_root>, of_first<rsqrt_exact>, 0},
    ALPHA_WIDE(cube_root, cbrt, 0),
    ALPHA_WIDE(sine, sin, 0),
    ALPHA_WIDE(cosine, cos, 0),
    ALPHA_WIDE(tangent, tan, 0),
    ALPHA_WIDE(arc_sine, asin, 1),
    ALPHA_WIDE(arc_cosine, acos, 1),
    ALPHA_WIDE(arc_tangent, atan, 0),
    ALPHA_WIDE(hyperbolic_sine, sinh, 711),
    ALPHA_WIDE(hyperbolic_cosine, cosh, 711),
    ALPHA_WIDE(inverse_hyperbolic_sine, asinh, 0),
    ALPHA_WIDE(inverse_hyperbolic_cosine, acosh, 0),
    ALPHA_WIDE(inverse_hyperbolic_tangent, atanh, 1),
    ALPHA_WIDE(error_function, erf, 7),
    {"power", [](f64 x, f64 y) -> f64 { return power(absolute(x), y); },
     [](Quad x, Quad y) -> Quad { return QUAD(pow)(x < 0 ? -x : x, y); }, 20},
    {"power_f32",
     [](f64 x, f64 y) -> f64 { return power(static_cast<f32>(absolute(x)), static_cast<f32>(y)); },
     [](Quad x, Quad y) -> Quad {
       return QUAD(pow)(static_cast<f32>(x < 0 ? -x : x), static_cast<f32>(y));
     },
     9},
    {"arc_tangent_two", [](f64 x, f64 y) -> f64 { return arc_tangent_two(x, y); },
     [](Quad x, Quad y) -> Quad { return QUAD(atan2)(x, y); }, 0},
};

u64 next_random(u64* state) {  // splitmix64
  u64 z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Every third argument of any size within the spread, the others evenly spread.
f64 argument(const Wide& function, u64 i, u64* state) {
  const u64 random = next_random(state);
  const f64 any = bit_cast<f64>(random);
  if (function.spread == 0 && i % 3 != 0) {  // mostly near 1
    return (static_cast<f64>(random >> 11) * 0x1p-53 - 0.5) * (i % 3 == 1 ? 4 : 400);
  }
  if (function.spread == 0) return any;
  if (i % 3 == 0 && absolute(any) < function.spread) return any;
  return (static_cast<f64>(random >> 11) * 0x1p-52 - 1) * function.spread;
}

// In units of the last place of the exact value's type.
f64 error_units(f64 ours, Quad exact, bool single) {
  const f64 nearest = single ? static_cast<f64>(static_cast<f32>(exact)) : static_cast<f64>(exact);
  if (ours != ours || nearest != nearest) return (ours != ours) == (nearest != nearest) ? 0 : 1e9;
  if (ours == nearest) return 0;
  if (!is_finite(nearest) || !is_finite(ours)) return 1e9;
  const int least = single ? -149 : -1074;
  int exponent = nearest == 0 ? least : std::ilogb(nearest) - (single ? 23 : 52);
  exponent = exponent < least ? least : exponent;
  const Quad off = (Quad(ours) - exact) / QUAD(ldexp)(1, exponent);
  return static_cast<f64>(off < 0 ? -off : off);
}

int wide(const char* name, u64 count) {
  for (const Wide& function : kWide) {
    if (std::strcmp(function.name, name) != 0) continue;
    u64 state = 1;
    f64 worst = 0;
    f64 worst_at = 0;
    for (u64 i = 0; i < count; ++i) {
      const f64 x = argument(function, i, &state);
      const f64 y = argument(function, i, &state);
      const bool single = std::strcmp(name, "power_f32") == 0;
      const f64 error = error_units(function.ours(x, y), function.exact(x, y), single);
      if (error > worst) worst_at = x;
      worst = error > worst ? error : worst;
    }
    std::printf("%s tried %lu worst %.4f at %a\n", name, static_cast<unsigned long>(count), worst,
                worst_at);
    return worst < 1 ? 0 : 1;
  }
  return 1;
}

}  // namespace
}  // namespace alpha

int main(int count, char** words) {
  const auto number = [&](int i) { return std::strtoull(words[i], nullptr, 0); };
  if (count == 4 && std::strcmp(words[1], "wide") == 0) return alpha::wide(words[2], number(3));
  if (count == 5) return alpha::narrow(words[1], number(2), number(3), number(4));
  return 2;
}
