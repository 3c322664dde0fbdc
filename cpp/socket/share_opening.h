// What both ends of a shared edge hold against each other before there is a ring: name, user,
// opening frames.
#pragma once

#include "base/memory.h"
#include "socket/edge_failure.h"
#include "socket/opening.h"

namespace alpha {

struct RingName {
  Text<sizeof(kernel::LocalAddress::name) - 1> text;
  RingName(u32 address, u16 port) { text.add("alpha-build ", Endpoint{address, port}); }
  kernel::LocalAddress at() const {
    kernel::LocalAddress at;
    copy_bytes(at.name + 1, text.c_str(), text.size());
    return at;
  }
};

inline bool is_own_user(const kernel::User& user) { return user.user == kernel::own_user(); }

Field difference(const EmptyFrame& expected, const EmptyFrame& found);

// The connection says something before there is a ring: nothing but its end can come on it.  True
// when it said nothing after all.
bool hear_connection(Session&, const Link&);

}  // namespace alpha
