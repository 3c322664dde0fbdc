// Samples that lie beside the executable in place of in it.
#pragma once

#include "role/participant.h"

namespace alpha {

// Reads the file that the stamp names, from the executable's own folder, into `to`, and compares it
// with the size and the digest in the stamp.  Whatever is wrong refuses admission.
[[nodiscard]] bool read_sample_file(Participant& participant, u8* to);

}  // namespace alpha
