// One participant's sessions for Python, over real TCP (socket/session.h, socket/exchange.h).
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <tuple>
#include <vector>

#include "bind/bind.h"
#include "socket/exchange.h"
#include "socket/kernel.h"

namespace alpha::bind {

namespace {

// peer, listen address and port, dial address and port
using EdgeRow = std::tuple<u64, u32, u16, u32, u16>;
// peer, region, version, element, bytes
template <class Buffer>
using Use = std::tuple<u64, u64, u64, std::string, Buffer>;

// A session that belongs to one Python object.  Every step releases the interpreter while it waits;
// a step that fails closes every descriptor before it raises, so that nothing outlives a fault.
class Participant {
 public:
  Participant(u64 role, const nb::bytes& run, u64 frame_bytes, std::vector<EdgeRow> edges,
              const std::tuple<u64, u64, u64, u64, u64>& budgets_ns) {
    session_.role = role;
    copy_identity(session_.run, run, "run");
    session_.frame_bytes = frame_bytes;
    std::tie(session_.budgets.connect_ns, session_.budgets.accept_ns, session_.budgets.wait_ns,
             session_.budgets.frame_ns, session_.budgets.session_ns) = budgets_ns;
    if (frame_bytes == 0) throw nb::value_error("a frame's payload is at least 1 byte");
    if (edges.size() > kEdgesMax) throw nb::value_error("a role has at most 1,000 edges");
    std::sort(edges.begin(), edges.end());
    for (const auto& [peer, listen_address, listen_port, dial_address, dial_port] : edges) {
      if (peer == role || (!links_.empty() && links_.back().peer == peer)) {
        throw nb::value_error("an edge joins this role to another one, and each peer has one edge");
      }
      links_.push_back({.peer = peer,
                        .lower = role < peer,
                        .listen_address = listen_address,
                        .dial_address = dial_address,
                        .listen_port = listen_port,
                        .dial_port = dial_port});
    }
    session_.links = {links_.data(), links_.size()};
  }
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;
  ~Participant() { abandon(session_); }

  void bind() {
    if (bound_) throw nb::value_error("bound before: an endpoint is used once");
    bound_ = true;
    if (session_.budgets.session_ns != 0) {
      session_.session_deadline_ns = monotonic_ns() + session_.budgets.session_ns;
    }
    perform([this] { return bind_listeners(session_); });
  }

  std::vector<u16> ports() const {
    std::vector<u16> ports;
    for (const Link& link : links_) {
      if (link.lower) ports.push_back(link.listen_port);
    }
    return ports;
  }

  void connect(const std::vector<u16>& ports) {
    raise_failure();
    require([](const Link& link) { return link.lower || (link.fd < 0 && !link.closed); },
            "connected before: an endpoint is used once");
    size_t next = 0;
    for (Link& link : links_) {
      if (link.lower || link.dial_port != 0) continue;
      if (next == ports.size())
        throw nb::value_error("a port is missing: one for each lower peer dialled at port 0");
      link.dial_port = ports[next++];
    }
    if (next != ports.size())
      throw nb::value_error("more ports than lower peers dialled at port 0");
    perform([this] { return connect_lower(session_); });
  }

  void accept() {
    raise_failure();
    require([](const Link& link) { return !link.lower || link.listener >= 0; },
            "nobody listens: bind first, and accept once");
    perform([this] { return accept_higher(session_); });
  }

  void exchange(const std::vector<Use<ConstBytes>>& sends,
                const std::vector<Use<Bytes>>& receives) {
    raise_failure();
    std::vector<Outbound> outbound;
    for (const auto& [peer, region, version, element, payload] : sends) {
      outbound.push_back({.slot = slot_of(peer),
                          .what = {region, version, payload.size(), element_of(element)},
                          .base = payload.data(),
                          .ready = payload.size()});
    }
    std::vector<Inbound> inbound;
    for (const auto& [peer, region, version, element, buffer] : receives) {
      inbound.push_back({.slot = slot_of(peer),
                         .what = {region, version, buffer.size(), element_of(element)},
                         .base = buffer.data(),
                         .staging = nullptr});
    }
    require_distinct(outbound);
    require_distinct(inbound);
    perform([&] {
      if (alpha::exchange(session_, {inbound.data(), inbound.size()},
                          {outbound.data(), outbound.size()}, {})) {
        return true;
      }
      // What came before a trailer that was wrong lies in the caller's memory: nobody gets it.
      for (const Inbound& in : inbound) {
        if (in.what.total != 0) memset(in.base, 0, in.what.total);
      }
      return false;
    });
  }

  void close() {
    perform([this] {
      for (size_t slot = 0; slot < links_.size(); ++slot) {
        if (links_[slot].fd >= 0 && !close_edge(session_, static_cast<u16>(slot))) return false;
      }
      abandon(session_);  // listeners that nobody came to
      return true;
    });
  }

  void close_peer(u64 peer) {
    raise_failure();
    perform([this, slot = slot_of(peer)] { return close_edge(session_, slot); });
  }

  void drop() {
    const nb::gil_scoped_release released;
    const std::lock_guard<std::mutex> lock(busy_);
    abandon(session_);
  }

  bool is_open() const {
    return std::any_of(links_.begin(), links_.end(),
                       [](const Link& link) { return link.fd >= 0 || link.listener >= 0; });
  }

 private:
  // Several waits on one session would tear its streams apart, so a second thread is turned away.
  template <class Step>
  void perform(const Step& step) {
    std::unique_lock<std::mutex> lock(busy_, std::try_to_lock);
    if (!lock.owns_lock()) {
      PyErr_SetString(PyExc_RuntimeError, "this endpoint is in use by another thread");
      throw nb::python_error();
    }
    raise_failure();
    {
      const nb::gil_scoped_release released;
      if (step()) return;
      abandon(session_);
    }
    raise_failure();
  }

  // The first failure stays: whatever is asked of a failed session is answered with it.
  void raise_failure() const {
    if (session_.failure.kind == FailureKind::none) return;
    raise_refused(session_.failure.kind, session_.failure.text.c_str());
  }

  template <class Condition>
  void require(const Condition& condition, const char* otherwise) const {
    if (!std::all_of(links_.begin(), links_.end(), condition)) throw nb::value_error(otherwise);
  }

  u16 slot_of(u64 peer) const {
    for (size_t slot = 0; slot < links_.size(); ++slot) {
      if (links_[slot].peer != peer) continue;
      if (links_[slot].fd < 0) {
        throw nb::value_error(
            ("the edge to role " + std::to_string(peer) + " is not open").c_str());
      }
      return static_cast<u16>(slot);
    }
    throw nb::value_error(
        ("role " + std::to_string(peer) + " is not a peer of this endpoint").c_str());
  }

  template <class Transfers>
  static void require_distinct(const Transfers& transfers) {
    for (size_t i = 0; i < transfers.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (transfers[i].slot == transfers[j].slot) {
          throw nb::value_error("one transfer an edge and direction at a time");
        }
      }
    }
  }

  Session session_;
  std::vector<Link> links_;
  bool bound_ = false;
  std::mutex busy_;
};

}  // namespace

void bind_endpoint(nb::module_& module) {
  nb::class_<Participant>(module, "Participant",
                          "The sessions of one role; see alpha_build.endpoint.")
      .def(nb::init<u64, const nb::bytes&, u64, std::vector<EdgeRow>,
                    const std::tuple<u64, u64, u64, u64, u64>&>(),
           nb::arg("role"), nb::arg("run"), nb::arg("frame_bytes"), nb::arg("edges"),
           nb::arg("budgets_ns"))
      .def("bind", &Participant::bind)
      .def("ports", &Participant::ports)
      .def("connect", &Participant::connect, nb::arg("ports"))
      .def("accept", &Participant::accept)
      .def("exchange", &Participant::exchange, nb::arg("sends"), nb::arg("receives"))
      .def("close", &Participant::close)
      .def("close_peer", &Participant::close_peer, nb::arg("peer"))
      .def("abandon", &Participant::drop)
      .def_prop_ro("is_open", &Participant::is_open);
}

}  // namespace alpha::bind
