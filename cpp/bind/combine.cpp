// Ordered combines for Python on host arrays (combine.h); alpha_build.combine makes the copies.
#include "combine.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "bind/bind.h"

namespace alpha::bind {

namespace {

// The faces pass arrays of one length, aligned and owned by them; this is our own fault where it is
// not so.
u64 count_of(Element element, const Bytes& bytes) {
  const u64 size = element_bytes(element);
  if (bytes.size() % size != 0 || reinterpret_cast<uintptr_t>(bytes.data()) % size != 0) {
    throw nb::value_error("an array of aligned whole elements is needed");
  }
  return bytes.size() / size;
}

void require_count(Element element, const ConstBytes& bytes, u64 count) {
  const u64 size = element_bytes(element);
  if (bytes.size() != count * size || reinterpret_cast<uintptr_t>(bytes.data()) % size != 0) {
    throw nb::value_error("arrays of one length, aligned, are needed");
  }
}

bool is_narrow(Element element) { return element == Element::bf16 || element == Element::f16; }

Element accumulated(const std::string& name) {
  const Element element = element_of(name);
  if (is_narrow(element) || element == Element::bytes || element == Element::word) {
    throw nb::value_error("sums are of f32, f64, i32 or i64");
  }
  return element;
}

void widen(const std::string& element_name, const Bytes& out, const ConstBytes& in) {
  const Element element = element_of(element_name);
  if (!is_narrow(element)) throw nb::value_error("only bf16 and f16 are widened");
  const u64 count = count_of(Element::f32, out);
  require_count(element, in, count);
  const nb::gil_scoped_release released;
  combine_widen(element, reinterpret_cast<f32*>(out.data()), in.data(), count);
}

void divide(const std::string& element_name, const Bytes& sum, f64 denominator) {
  const Element element = accumulated(element_name);
  if (element != Element::f32 && element != Element::f64)
    throw nb::value_error("integers have no mean");
  const u64 count = count_of(element, sum);
  const nb::gil_scoped_release released;
  combine_divide(element, sum.data(), count, denominator);
}

// Pointers to the values, null for None; all of one length, which goes to `count`.
std::vector<void*> pointers(Element element, const std::vector<std::optional<Bytes>>& values,
                            u64& count) {
  std::vector<void*> result;
  count = 0;
  bool first = true;
  for (const std::optional<Bytes>& value : values) {
    result.push_back(value ? value->data() : nullptr);
    if (!value) continue;
    const u64 own = count_of(element, *value);
    if (!first && own != count) throw nb::value_error("arrays of one length are needed");
    count = own;
    first = false;
  }
  return result;
}

// The position in `values` that holds the result; none when nobody contributed.
std::optional<u64> position(const std::vector<void*>& before, const void* result) {
  if (result == nullptr) return std::nullopt;
  return static_cast<u64>(std::find(before.begin(), before.end(), result) - before.begin());
}

std::optional<u64> tree(const std::string& element_name,
                        const std::vector<std::optional<Bytes>>& values, u64 fanout) {
  const Element element = accumulated(element_name);
  u64 count = 0;
  const std::vector<void*> before = pointers(element, values, count);
  std::vector<void*> folded = before;
  if (fanout == 0) throw nb::value_error("a fan-out is at least 1");
  {
    const nb::gil_scoped_release released;
    combine_tree(element, folded.data(), folded.size(), fanout, count);
  }
  return folded.empty() ? std::nullopt : position(before, folded[0]);
}

std::optional<u64> canonical(const std::string& element_name,
                             const std::vector<std::optional<Bytes>>& values) {
  const Element element = accumulated(element_name);
  u64 count = 0;
  const std::vector<void*> blocks = pointers(element, values, count);
  if (std::find(blocks.begin(), blocks.end(), nullptr) != blocks.end()) {
    throw nb::value_error("every block has a value");
  }
  std::vector<CanonicalNode> nodes(canonical_pending_max(0, blocks.size(), blocks.size()));
  const void* result = nullptr;
  {
    const nb::gil_scoped_release released;
    result = combine_canonical(element, blocks.data(), blocks.size(), count, nodes.data());
  }
  return position(blocks, result);
}

}  // namespace

void bind_combine(nb::module_& module) {
  module.def("widen", &widen, nb::arg("element"), nb::arg("out"), nb::arg("values"));
  module.def("divide", &divide, nb::arg("element"), nb::arg("sum"), nb::arg("denominator"));
  module.def("tree", &tree, nb::arg("element"), nb::arg("values"), nb::arg("fanout"));
  module.def("canonical", &canonical, nb::arg("element"), nb::arg("values"));
}

}  // namespace alpha::bind
