// The Python module alpha_build._native: the code that the executables run, one file a room.
#include "bind/bind.h"

#include <sys/auxv.h>

#include <cstring>

#include "base/processor.h"
#include "frame/sha256.h"

namespace alpha::bind {

namespace {

struct ElementName {
  Element element;
  const char* name;
};

constexpr ElementName kElementNames[] = {
    {Element::bytes, "bytes"}, {Element::f32, "f32"}, {Element::f64, "f64"},
    {Element::i32, "i32"},     {Element::i64, "i64"}, {Element::word, "word"},
    {Element::bf16, "bf16"},   {Element::f16, "f16"},
};

}  // namespace

const char* element_name(Element element) {
  for (const ElementName& row : kElementNames) {
    if (row.element == element) return row.name;
  }
  return "?";
}

Element element_of(const std::string& name) {
  std::string names;
  for (const ElementName& row : kElementNames) {
    if (name == row.name) return row.element;
    names += names.empty() ? row.name : std::string(", ") + row.name;
  }
  throw nb::value_error(("element \"" + name + "\" is not one of " + names).c_str());
}

void raise_refused(FailureKind kind, const std::string& text) {
  const nb::object refused = nb::module_::import_("alpha_build.system.errors").attr("Refused");
  const std::string message = std::string(failure_words(kind)) + ": " + text;
  const nb::object failure = refused(message, nb::arg("kind") = failure_name(kind));
  PyErr_SetObject(refused.ptr(), failure.ptr());
  throw nb::python_error();
}

void copy_identity(u8* to, const nb::bytes& from, const char* what) {
  if (from.size() != 32) {
    throw nb::value_error(
        (std::string(what) + " is 32 bytes, not " + std::to_string(from.size())).c_str());
  }
  std::memcpy(to, from.data(), 32);
}

}  // namespace alpha::bind

NB_MODULE(_native, module) {
  module.doc() =
      "Frames, endpoints and ordered combines: the code of the executables, in this process.";
  alpha::detect_processor(getauxval(AT_HWCAP));
  alpha::choose_hash(alpha::processor());
  alpha::bind::bind_frame(module);
  alpha::bind::bind_endpoint(module);
  alpha::bind::bind_combine(module);
}
