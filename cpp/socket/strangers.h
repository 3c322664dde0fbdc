// Who connects where a peer is awaited, and is not the peer.
#pragma once

#include "base/limits.h"
#include "base/text.h"
#include "socket/session.h"

namespace alpha {

// Logged one by one up to a bound, so that a scanner does not fill the log.
class Strangers {
 public:
  // `where`: "edge " or "the ring of edge ".
  Strangers(const Session& session, const Link& link, const char* where)
      : session_(session), link_(link), where_(where) {}

  u64 count() const { return count_; }

  template <class... Parts>
  void add(const Parts&... what) {
    ++count_;
    if (session_.log == nullptr || count_ > kStrangersLogged) return;
    Text<256> line;
    begin(line);
    line.add("stranger on ", where_, link_.peer, "->", session_.role, ": ", what..., "\n");
    session_.log(line.c_str(), line.size());
  }

  // How many were not logged.
  void tell_further() const {
    if (session_.log == nullptr || count_ <= kStrangersLogged) return;
    Text<256> line;
    begin(line);
    line.add(count_ - kStrangersLogged, " further strangers on ", where_, link_.peer, "->",
             session_.role, "\n");
    session_.log(line.c_str(), line.size());
  }

 private:
  void begin(Text<256>& line) const { line.add("alpha-build: role ", session_.role, ": "); }

  const Session& session_;
  const Link& link_;
  const char* where_;
  u64 count_ = 0;
};

}  // namespace alpha
