// Frames for Python: headers, sealing, opening, and the digests beneath (frame/header.h, seal.h).
#include <nanobind/stl/optional.h>

#include <optional>

#include "base/memory.h"
#include "bind/bind.h"
#include "frame/seal.h"

namespace alpha::bind {

namespace {

nb::bytes as_bytes(const void* first, u64 bytes) { return nb::bytes(first, bytes); }

// An uninitialised bytes object: a frame is written in its final place.
nb::bytes new_bytes(u64 bytes) {
  PyObject* object = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bytes));
  if (object == nullptr) throw nb::python_error();
  return nb::steal<nb::bytes>(object);
}

u8* writable(nb::bytes& bytes) { return reinterpret_cast<u8*>(PyBytes_AS_STRING(bytes.ptr())); }

void init_header(Header* self, const nb::bytes& run, u64 sender, u64 receiver, u64 region,
                 u64 version, u64 extent, u64 offset, std::optional<u64> total,
                 const std::string& element) {
  u8 identity[32];
  copy_identity(identity, run, "run");
  new (self) Header(make_header({.run = identity,
                                 .sender = sender,
                                 .receiver = receiver,
                                 .region = region,
                                 .version = version,
                                 .offset = offset,
                                 .extent = extent,
                                 .total = total.value_or(extent),
                                 .element = element_of(element)}));
}

Element header_element(const Header& header) { return static_cast<Element>(header.element.get()); }

std::string header_text(const Header& header) {
  return "Header(edge " + std::to_string(header.sender.get()) + "->" +
         std::to_string(header.receiver.get()) + ", region " + std::to_string(header.region.get()) +
         ", version " + std::to_string(header.version.get()) + ", offset " +
         std::to_string(header.offset.get()) + ", extent " + std::to_string(header.extent.get()) +
         ", total " + std::to_string(header.total.get()) + ", element " +
         element_name(header_element(header)) + ")";
}

[[noreturn]] void refuse(FailureKind kind, const Header& expected, const std::string& text) {
  raise_refused(kind, "edge " + std::to_string(expected.sender.get()) + "->" +
                          std::to_string(expected.receiver.get()) + " region " +
                          std::to_string(expected.region.get()) + ": " + text);
}

[[noreturn]] void refuse_difference(Field field, const Header& expected, const Header& found) {
  Text<512> text;
  describe_difference(text.sink(), field, expected, found);
  refuse(refusal_of(field), expected, text.c_str());
}

nb::bytes seal(const Header& header, const ConstBytes& payload) {
  const u64 bytes = payload.size();
  if (header.extent.get() != bytes) {
    refuse(FailureKind::bytes, header,
           "the header's extent is " + std::to_string(header.extent.get()) +
               " bytes, the payload has " + std::to_string(bytes));
  }
  nb::bytes sealed = new_bytes(kHeaderBytes + bytes + kTrailerBytes);
  u8* to = writable(sealed);
  {
    const nb::gil_scoped_release released;
    memcpy(to, &header, kHeaderBytes);
    copy_bytes(to + kHeaderBytes, payload.data(), bytes);
    const Digest digest = trailer(header, payload_digest(to + kHeaderBytes, bytes));
    memcpy(to + kHeaderBytes + bytes, digest.byte, kTrailerBytes);
  }
  return sealed;
}

nb::bytes open(const Header& expected, const ConstBytes& sealed) {
  if (sealed.size() < kHeaderBytes) {
    refuse(FailureKind::truncated, expected,
           std::to_string(sealed.size()) + " of " + std::to_string(kHeaderBytes) + " header bytes");
  }
  Header found;
  memcpy(&found, sealed.data(), kHeaderBytes);
  if (const Field field = first_difference(expected, found); field != Field::none) {
    refuse_difference(field, expected, found);
  }
  const u64 extent = expected.extent.get();
  const u64 body = sealed.size() - kHeaderBytes;
  if (body < kTrailerBytes || body - kTrailerBytes < extent) {
    refuse(FailureKind::truncated, expected,
           "the frame ends after " + std::to_string(sealed.size()) + " bytes; its payload is " +
               std::to_string(extent));
  }
  if (body - kTrailerBytes != extent) {
    refuse(FailureKind::bytes, expected,
           std::to_string(body - kTrailerBytes - extent) + " bytes follow the frame");
  }
  // Verified where the caller gets it, so that nobody changes it in between.
  nb::bytes payload = as_bytes(sealed.data() + kHeaderBytes, extent);
  Field field;
  {
    const nb::gil_scoped_release released;
    field = open_frame(expected, found, {writable(payload), extent},
                       sealed.data() + kHeaderBytes + extent);
  }
  if (field != Field::none) refuse_difference(field, expected, found);
  return payload;
}

nb::bytes digest_of(const ConstBytes& payload) {
  Digest digest;
  {
    const nb::gil_scoped_release released;
    digest = payload_digest(payload.data(), payload.size());
  }
  return as_bytes(digest.byte, sizeof digest.byte);
}

nb::bytes trailer_of(const Header& header, const nb::bytes& digest) {
  Digest payload;
  copy_identity(payload.byte, digest, "a payload's digest");
  const Digest result = trailer(header, payload);
  return as_bytes(result.byte, sizeof result.byte);
}

Header header_from_bytes(const nb::bytes& bytes) {
  if (bytes.size() != kHeaderBytes) throw nb::value_error("a header is 128 bytes");
  Header header;
  memcpy(&header, bytes.data(), kHeaderBytes);
  return header;
}

}  // namespace

void bind_frame(nb::module_& module) {
  nb::class_<Header>(module, "Header",
                     "The 128 bytes that open a frame (frame v1); every number is unsigned.")
      .def("__init__", &init_header, nb::kw_only(), nb::arg("run"), nb::arg("sender"),
           nb::arg("receiver"), nb::arg("region"), nb::arg("version"), nb::arg("extent"),
           nb::arg("offset") = 0, nb::arg("total") = nb::none(), nb::arg("element") = "bytes",
           "`extent`, `offset` and `total` in bytes; `total` is `extent` unless said; `run` is 32 "
           "bytes.")
      .def_static("from_bytes", &header_from_bytes, nb::arg("header"),
                  "128 bytes, taken as they are.")
      .def("__bytes__", [](const Header& header) { return as_bytes(&header, kHeaderBytes); })
      .def(
          "__eq__",
          [](const Header& left, const Header& right) {
            return same_bytes(&left, &right, kHeaderBytes);
          },
          nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__hash__",
           [](const Header& header) { return nb::hash(as_bytes(&header, kHeaderBytes)); })
      .def("__repr__", &header_text)
      .def_prop_ro("run", [](const Header& header) { return as_bytes(header.run, 32); })
      .def_prop_ro("sender", [](const Header& header) { return header.sender.get(); })
      .def_prop_ro("receiver", [](const Header& header) { return header.receiver.get(); })
      .def_prop_ro("region", [](const Header& header) { return header.region.get(); })
      .def_prop_ro("version", [](const Header& header) { return header.version.get(); })
      .def_prop_ro("offset", [](const Header& header) { return header.offset.get(); })
      .def_prop_ro("extent", [](const Header& header) { return header.extent.get(); })
      .def_prop_ro("total", [](const Header& header) { return header.total.get(); })
      .def_prop_ro("element",
                   [](const Header& header) { return element_name(header_element(header)); });
  module.def("seal", &seal, nb::arg("header"), nb::arg("payload"));
  module.def("open", &open, nb::arg("expected"), nb::arg("sealed"));
  module.def("payload_digest", &digest_of, nb::arg("payload"));
  module.def("trailer", &trailer_of, nb::arg("header"), nb::arg("payload_digest"));
}

}  // namespace alpha::bind
