// The generations of one role: which is published, how another becomes so, and what the root's word
// decides.
#pragma once

#include "state/manifest.h"

namespace alpha {

// The part of open_state_folder that makes and tries the folder.
[[nodiscard]] bool open_role_folder(StateFolder* folder, Failure* failure);

// Makes DIR and DIR/role-R where they are missing, tries that files can be made there, and reads
// what is published.  78 for a folder that cannot be used or that holds another learner's state, 80
// for a state that is malformed, altered or not whole.  `path` must outlive the folder.
[[nodiscard]] bool open_state_folder(const char* path, u64 role, const u8* state_identity,
                                     StateFolder* folder, Failure* failure);

// What a role does with the generation that the root has published (0: none): it is published here
// too, or it was prepared here and is promoted; otherwise 80.
[[nodiscard]] bool agree_generation(StateFolder* folder, u64 generation, Failure* failure);

// Names a prepared generation as the published one: the pointer is written aside, flushed, renamed,
// and its folder flushed.  At the root this rename is the commit of the whole system.
[[nodiscard]] bool publish_generation(StateFolder* folder, u64 generation, const Digest& manifest,
                                      Failure* failure);

// Removes generations before the published one.  What cannot be removed stays: it harms nobody.
void remove_older(const StateFolder& folder);

}  // namespace alpha
