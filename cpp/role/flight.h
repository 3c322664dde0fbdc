// Prints the flight record of a participant that failed.
#pragma once

#include "socket/session.h"

namespace alpha {

// One line each, oldest first: the last transfers that were completed, then those in hand.
void print_flight(const Session&);

}  // namespace alpha
