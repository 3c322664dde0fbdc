// Lines of the flight record, read by python/alpha_build/run/lines.py:
//   flight: 12.25 s: star.py:22 combine: edge 1->0 region 0 version 3: 24 bytes
//   flight: 12.5 s: star.py:22 combine: edge 1->0 region 0 version 4: awaited, 0 of 24 bytes
#include "role/flight.h"

#include "base/text.h"
#include "role/print.h"

namespace alpha {
namespace {

void print_step(u64 role, const FlightStep& step, const char* state, u64 total) {
  Text<400> text;
  text.add("flight: ", Seconds{step.time_ns}, ": ", step.place, ": edge ", step.sender, "->",
           step.receiver);
  if (step.region == kEdgeRegion) {
    text.add(step.version == kOpeningVersion ? " opening: " : " closing: ");
  } else {
    text.add(" region ", step.region, " version ", step.version, ": ");
  }
  text.add(state, step.bytes);
  if (*state != 0) text.add(" of ", total);
  text.add(" bytes");
  print_message(role, text.c_str());
}

void print_in_hand(const Session& session, const char* place, const Header& header, u64 since_ns,
                   const char* state) {
  const FlightStep step = {place,
                           since_ns,
                           header.sender.get(),
                           header.receiver.get(),
                           header.region.get(),
                           header.version.get(),
                           header.offset.get()};
  print_step(session.role, step, state, header.total.get());
}

}  // namespace

void print_flight(const Session& session) {
  const Flight& flight = session.flight;
  for (u64 i = flight.count < kFlightSteps ? 0 : flight.count - kFlightSteps; i < flight.count;
       ++i) {
    print_step(session.role, flight.steps[i % kFlightSteps], "", 0);
  }
  for (const Link& link : session.links) {
    if (link.in.armed) {
      print_in_hand(session, link.in.place, link.in.expected, link.in.since_ns, "awaited, ");
    }
    if (link.out.armed) {
      print_in_hand(session, link.out.place, link.out.header, link.out.since_ns, "sending, ");
    }
  }
}

}  // namespace alpha
