"""Table of element-wise primitives: one row each, a C++ expression for each kind of element."""

from __future__ import annotations

from ..program import Equation
from .extent import product
from .lowering import Lowering
from .row import Row
from .tree import Apply
from .writer import CPP_TYPES, ITEM_BYTES, kind_of


def pointwise(
    *, real: str | None = None, whole: str | None = None, unsigned: str | None = None, flag: str | None = None
) -> Row:
    """A row from templates for floats, integers, unsigned integers (by default as integers) and booleans;
    {0}, {1} are operands."""
    templates = {"float": real, "int": whole, "uint": unsigned or whole, "boolean": flag}

    def lower(lowering: Lowering, equation: Equation) -> None:
        dtype = lowering.aval(equation.inputs[-1]).dtype
        template = templates.get(kind_of(dtype)) if dtype in CPP_TYPES else None
        if template is None:
            raise lowering.refuse(equation, f"on {dtype} has no lowering", "use another dtype here")
        apply(lowering, equation, template)

    return Row(lower)


def apply(lowering: Lowering, equation: Equation, template: str) -> None:
    """Give the equation's value the template over its operands, each spread to the result's shape."""
    aval = lowering.program.values[equation.outputs[0]]
    operands = tuple(lowering.spread(operand, aval.shape) for operand in equation.inputs)
    lowering.define(equation, Apply(template, aval.dtype, operands))


def _both(template: str) -> Row:
    return pointwise(real=template, whole=template, flag=template)


def _function(name: str) -> Row:
    return pointwise(real=f"{name}({{0}})")


def _convert(lowering: Lowering, equation: Equation) -> None:
    source = lowering.aval(equation.inputs[0]).dtype
    to = lowering.program.values[equation.outputs[0]].dtype
    if source not in CPP_TYPES or to not in CPP_TYPES:
        raise lowering.refuse(equation, f"from {source} to {to} has no lowering", "use another dtype here")
    apply(lowering, equation, f"convert<{CPP_TYPES[to]}>({{0}})")


def _integer_pow(lowering: Lowering, equation: Equation) -> None:
    apply(lowering, equation, f"integer_power<{equation.params['y']}>({{0}})")


def _select(lowering: Lowering, equation: Equation) -> None:
    which, *cases = equation.inputs
    if lowering.aval(which).dtype == "bool":
        if len(cases) == 1:
            return apply(lowering, equation, "{1}")
        return apply(lowering, equation, "{0} ? {2} : {1}")
    chain = f"{{{len(cases)}}}"
    for i in range(len(cases) - 2, -1, -1):
        chain = f"{{0}} == {i} ? {{{i + 1}}} : {chain}"
    return apply(lowering, equation, chain)


_SINGLE = ("float32", "bfloat16", "float16")


def _pow(lowering: Lowering, equation: Equation) -> None:
    base, exponent = (lowering.aval(operand).dtype for operand in equation.inputs)
    if base not in (*_SINGLE, "float64") or exponent not in (base, "int32"):
        what = f"of {base} to {exponent} has no lowering"
        raise lowering.refuse(equation, what, "use one floating dtype, or an int32 exponent")
    apply(lowering, equation, "power({0}, {1})")


def _round(lowering: Lowering, equation: Equation) -> None:
    names = {"AWAY_FROM_ZERO": "round_away", "TO_NEAREST_EVEN": "round_to_even"}
    if kind_of(lowering.aval(equation.inputs[0]).dtype) != "float":
        raise lowering.refuse(equation, "of integers has no lowering", "leave it out")
    apply(lowering, equation, f"{names[equation.params['rounding_method']]}({{0}})")


_PRECISIONS = {(8, 23): "float32", (11, 52): "float64", (8, 7): "bfloat16", (5, 10): "float16"}


def _reduce_precision(lowering: Lowering, equation: Equation) -> None:
    bits = equation.params["exponent_bits"], equation.params["mantissa_bits"]
    dtype = lowering.aval(equation.inputs[0]).dtype
    if bits not in _PRECISIONS or dtype not in CPP_TYPES:
        what = f"of {dtype} to {bits[0]} and {bits[1]} bits has no lowering"
        raise lowering.refuse(equation, what, "use the bits of a dtype")
    kinds = CPP_TYPES[dtype], CPP_TYPES[_PRECISIONS[bits]]
    text = f"convert<{kinds[0]}>(convert<{kinds[1]}>({{0}}))"
    if bits[0] < 8:  # as XLA says: what is below the normal numbers of fewer exponents is zero
        text = f"without_subnormals({text}, {kinds[0]}(0x1p-14f))"
    apply(lowering, equation, text)


def _bitcast(lowering: Lowering, equation: Equation) -> None:
    source = lowering.aval(equation.inputs[0]).dtype
    to = lowering.program.values[equation.outputs[0]].dtype
    known = source in CPP_TYPES and to in CPP_TYPES
    if not known or ITEM_BYTES[source] != ITEM_BYTES[to] or "bool" in (source, to):
        raise lowering.refuse(equation, f"from {source} to {to} has no lowering", "keep the width")
    value = "canonical({0})" if kind_of(source) == "float" else "{0}"
    apply(lowering, equation, f"bit_cast<{CPP_TYPES[to]}>({value})")


def _threefry(lowering: Lowering, equation: Equation) -> None:
    """Both words at once, stored as one of 64 bits, since either result reads it."""
    shape = lowering.program.values[equation.outputs[0]].shape
    operands = tuple(lowering.spread(operand, shape) for operand in equation.inputs)
    words = lowering.stored_tree(Apply("threefry_2x32({0}, {1}, {2}, {3})", "uint64", operands), shape)
    for value, template in zip(equation.outputs, ("high_word({0})", "low_word({0})"), strict=True):
        lowering.define_value(equation, value, Apply(template, "uint32", (words,)))


def _elementary(call: str, *, wide: bool = True) -> Row:
    """A function of float32, correctly rounded where it is of one, or of a narrower number as one; `wide`:
    of float64 too, within a unit in the last place."""
    dtypes = (*_SINGLE, "float64") if wide else _SINGLE

    def lower(lowering: Lowering, equation: Equation) -> None:
        dtype = lowering.aval(equation.inputs[0]).dtype
        if dtype not in dtypes:
            raise lowering.refuse(equation, f"on {dtype} has no lowering", "use float32 here")
        name = call.partition("(")[0]
        in_vectors = name in _IN_VECTORS and lowering.target != "cuda"
        if dtype == "float32" and in_vectors and lowering.aval(equation.inputs[0]).shape:
            _whole_array(lowering, equation, f"{name}_of")
        else:
            apply(lowering, equation, call)

    return Row(lower)


# What learner/elementary_arrays.h has.
_IN_VECTORS = {
    "exponential", "exponential_minus_one", "logarithm", "hyperbolic_tangent", "logistic",
}  # fmt: skip


def _whole_array(lowering: Lowering, equation: Equation, function: str) -> None:
    """Argument and result in memory: a call for the whole array, which goes in vectors."""
    operand, value = equation.inputs[0], equation.outputs[0]
    shape = lowering.aval(operand).shape
    tree = lowering.tree(operand)
    name = lowering.allocate(value)
    source = lowering.plain_buffer(tree, shape)
    if source is None:
        lowering.store_plain(tree, shape, name)
        source = name
    call = f"{function}({source}, {name}, {product(shape).cpp()});"
    lowering.computed(equation, [call], {source}, name)


ROWS: dict[str, Row] = {
    "add": pointwise(real="{0} + {1}", whole="wrapping_add({0}, {1})"),
    "add_any": pointwise(real="{0} + {1}", whole="wrapping_add({0}, {1})"),
    "sub": pointwise(real="{0} - {1}", whole="wrapping_subtract({0}, {1})"),
    "mul": pointwise(real="{0} * {1}", whole="wrapping_multiply({0}, {1})"),
    "div": pointwise(real="{0} / {1}", whole="integer_divide({0}, {1})"),
    "rem": pointwise(real="float_remainder({0}, {1})", whole="integer_remainder({0}, {1})"),
    "neg": pointwise(real="-({0})", whole="wrapping_negate({0})"),
    "abs": pointwise(real="absolute({0})", whole="integer_absolute({0})", unsigned="{0}"),
    "sign": pointwise(real="float_sign({0})", whole="integer_sign({0})"),
    "max": _both("maximum({0}, {1})"),
    "min": _both("minimum({0}, {1})"),
    "clamp": _both("minimum(maximum({1}, {0}), {2})"),
    "square": pointwise(real="{0} * {0}", whole="wrapping_multiply({0}, {0})"),
    "integer_pow": Row(_integer_pow, reads=("y",)),
    "pow": Row(_pow),
    "sqrt": _function("square_root"),
    "rsqrt": _function("reciprocal_square_root"),
    "floor": _function("round_down"),
    "ceil": _function("round_up"),
    "round": Row(_round, reads=("rounding_method",)),
    "nextafter": pointwise(real="next_after({0}, {1})"),
    "population_count": pointwise(whole="count_of_ones({0})"),
    "is_finite": pointwise(real="is_finite({0})"),
    "exp": _elementary("exponential({0})"),
    "exp2": _elementary("exponential_base_two({0})"),
    "expm1": _elementary("exponential_minus_one({0})"),
    "log": _elementary("logarithm({0})"),
    "log1p": _elementary("logarithm_of_one_plus({0})"),
    "tanh": _elementary("hyperbolic_tangent({0})"),
    "logistic": _elementary("logistic({0})"),
    "cbrt": _elementary("cube_root({0})"),
    "sin": _elementary("sine({0})"),
    "cos": _elementary("cosine({0})"),
    "tan": _elementary("tangent({0})"),
    "asin": _elementary("arc_sine({0})"),
    "acos": _elementary("arc_cosine({0})"),
    "atan": _elementary("arc_tangent({0})"),
    "sinh": _elementary("hyperbolic_sine({0})"),
    "cosh": _elementary("hyperbolic_cosine({0})"),
    "asinh": _elementary("inverse_hyperbolic_sine({0})"),
    "acosh": _elementary("inverse_hyperbolic_cosine({0})"),
    "atanh": _elementary("inverse_hyperbolic_tangent({0})"),
    "erf": _elementary("error_function({0})"),
    "atan2": _elementary("arc_tangent_two({0}, {1})"),
    "erfc": _elementary("error_function_complement({0})", wide=False),
    "erf_inv": _elementary("inverse_error_function({0})", wide=False),
    "eq": _both("{0} == {1}"),
    "ne": _both("{0} != {1}"),
    "lt": _both("{0} < {1}"),
    "le": _both("{0} <= {1}"),
    "gt": _both("{0} > {1}"),
    "ge": _both("{0} >= {1}"),
    "and": pointwise(whole="bitwise_and({0}, {1})", flag="{0} && {1}"),
    "or": pointwise(whole="bitwise_or({0}, {1})", flag="{0} || {1}"),
    "xor": pointwise(whole="bitwise_xor({0}, {1})", flag="{0} != {1}"),
    "not": pointwise(whole="bitwise_not({0})", flag="!{0}"),
    "shift_left": pointwise(whole="shift_left({0}, {1})"),
    "shift_right_logical": pointwise(whole="shift_right_logical({0}, {1})"),
    "shift_right_arithmetic": pointwise(whole="shift_right_arithmetic({0}, {1})"),
    "select_n": Row(_select),
    "bitcast_convert_type": Row(_bitcast),
    "reduce_precision": Row(_reduce_precision, reads=("exponent_bits", "mantissa_bits")),
    "threefry2x32": Row(_threefry),
    "convert_element_type": Row(_convert, reads=("new_dtype",)),
}
