// From the first instruction of a generated role to its exit code.
#include "role/main.h"

#include "base/assert.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/processor.h"
#include "role/flight.h"
#include "role/participant.h"
#include "role/print.h"
#include "socket/kernel.h"

namespace alpha {
namespace {

constexpr char kHelp[] =
    "One role of a system built by alpha-build.\n"
    "  --state DIR  where a learner's state is read and published (default: state)\n"
    "  --flight     after a failure, print the last 64 transfers before it\n"
    "  --version    the version of alpha-build that made this executable\n"
    "  --help       this text\n";

const Stamp& stamped() {
  u64 address = kStampAddress;
  asm("" : "+r"(address));  // not an object that the compiler knows of
  const Stamp& stamp = *reinterpret_cast<const Stamp*>(address);
  ALPHA_ASSERT(same_bytes(stamp.magic, "ALPHAST1", sizeof stamp.magic));
  return stamp;
}

bool is(const char* argument, const char* name) {
  const u64 count = length(name);
  return length(argument) == count && same_bytes(argument, name, count);
}

struct Arguments {
  const char* state = "state";
  bool flight = false;
  bool ends = false;  // --help or --version was answered
};

void answer(const char* text) {
  [[maybe_unused]] const i64 written = write_all(1, text, length(text));
}

bool read_arguments(const Role& role, int argc, char** argv, Arguments* arguments,
                    Failure* failure) {
  for (int i = 1; i < argc; ++i) {
    if (is(argv[i], "--help") || is(argv[i], "--version")) {
      Text<80> version;
      version.add("alpha-build ", role.version, "\n");
      answer(is(argv[i], "--help") ? kHelp : version.c_str());
      arguments->ends = true;
      return true;
    }
    if (is(argv[i], "--flight")) {
      arguments->flight = true;
      continue;
    }
    const bool known = is(argv[i], "--state");
    if (known && i + 1 < argc && argv[i + 1][0] != 0) {
      arguments->state = argv[++i];
      continue;
    }
    failure->kind = FailureKind::usage;
    failure->text.add(known ? "no value after " : "unknown argument ",
                      Quoted{argv[i], length(argv[i])}, "; --help lists the arguments");
    return false;
  }
  return true;
}

bool admit_processor(const Role& role, Session& session) {
  if (!role.needs_v3 || processor().v3) return true;
  return session.fail(FailureKind::admission,
                      "processor: this role is compiled for x86-64-v3 (AVX2 and FMA), which this "
                      "machine has not");
}

bool establish(Session& session) {
  return bind_listeners(session) && announce_ports(session, 1) && hear_ports(session, 0) &&
         connect_lower(session) && accept_higher(session);
}

void choose_waiting(u64 host_roles, Session& session) {
  u8 mask[kCoresMax / 8] = {};
  if (host_roles == 0 || kernel::allowed_cores(mask, sizeof mask) < 0) return;
  u64 cores = 0;
  for (u8 bits : mask) {
    for (; bits != 0; bits &= static_cast<u8>(bits - 1)) ++cores;
  }
  session.crowded = host_roles > cores;
  session.spin_ns = host_roles <= cores * kSpinRolesPerCore ? kSpinNs : 0;
}

// The path that the kernel was given, from the pairs that follow the environment on the stack.
const char* started_as(char** envp) {
  constexpr u64 kExecutable = 31;  // AT_EXECFN
  while (*envp != nullptr) ++envp;
  const u64* pair = reinterpret_cast<const u64*>(envp + 1);
  for (; pair[0] != 0; pair += 2) {
    if (pair[0] == kExecutable) return reinterpret_cast<const char*>(pair[1]);
  }
  return "";
}

int end_failed(u64 role, const Failure& failure) {
  Text<640> text;
  text.add(failure_words(failure.kind), ": ", failure.text.c_str());
  print_message(role, text.c_str());
  return exit_code(failure.kind);
}

int end_complete(u64 role, const Participant& participant) {
  Text<200> text;
  text.add("complete", participant.result.c_str());
  print_message(role, text.c_str());
  return 0;
}

}  // namespace

int run_stamped(const Role& role, const Stamp& stamp, int argc, char** argv,
                const char* executable) {
  choose_hash(processor());
  Arguments arguments;
  Failure usage;
  if (!read_arguments(role, argc, argv, &arguments, &usage)) return end_failed(stamp.role, usage);
  if (arguments.ends) return 0;
  Participant participant(role, stamp, arguments.state);
  participant.executable = executable;
  Session& session = participant.session;
  choose_waiting(stamp.host_roles, session);
  const bool complete = prepare_process(session, role.edges) && admit_processor(role, session) &&
                        participant.prepare() && establish(session) && participant.run_schedule();
  if (complete) return end_complete(stamp.role, participant);
  abandon(session);
  if (arguments.flight) print_flight(session);
  return end_failed(stamp.role, session.failure);
}

int run_participant(const Role& role, int argc, char** argv, char** envp) {
  // What alters the output lives in the system, never in the environment: that is passed over.
  return run_stamped(role, stamped(), argc, argv, started_as(envp));
}

}  // namespace alpha
