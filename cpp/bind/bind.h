// What the rooms of the Python module share: entries, element names, how a failure is raised.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <string>

#include "base/element.h"
#include "base/failure.h"

namespace alpha::bind {

namespace nb = nanobind;

// Contiguous bytes in host memory; the Python faces make one of any array or buffer.
using ConstBytes = nb::ndarray<const u8, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<u8, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_frame(nb::module_&);
void bind_endpoint(nb::module_&);
void bind_combine(nb::module_&);

// "f32" and its like, as a system file spells them.
const char* element_name(Element);
Element element_of(const std::string& name);  // raises ValueError, naming those that there are

// Raises alpha_build.system.errors.Refused with the kind's name and "<words>: <text>".
[[noreturn]] void raise_refused(FailureKind kind, const std::string& text);

// A 32-byte identity out of a Python bytes object; raises ValueError for any other length.
void copy_identity(u8* to, const nb::bytes& from, const char* what);

}  // namespace alpha::bind
