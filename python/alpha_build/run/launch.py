"""The launcher: starts roles in role order, passes ports on, listens to all, leaves none behind."""

from __future__ import annotations

import os
import selectors
import struct
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from alpha_build.run.artifacts import Build, command
from alpha_build.run.cause import first_cause
from alpha_build.run.group import ProcessGroup
from alpha_build.run.interrupts import Interrupts
from alpha_build.run.lines import Complete, Failed, Flight, Loss, Metric, read_line, with_role
from alpha_build.run.outcome import Outcome, RoleEnd
from alpha_build.run.process import Running
from alpha_build.run.rounds import Round, RoundsLog
from alpha_build.system.limits import SPREAD_SECONDS, TICK_SECONDS

READ_BYTES = 1 << 16


class Observer(Protocol):
    """Who watches a run while it goes."""

    def row(self, row: Round) -> None:
        """A round with all that belongs to it."""

    def note(self, text: str) -> None:
        """Something that a person should know now."""


class Launcher:
    """One run of a build; `run` may be called once."""

    def __init__(
        self,
        build: Build,
        state: Path,
        logs: Path,
        observer: Observer,
        interrupts: Interrupts,
        *,
        flight: bool = False,
    ) -> None:
        self._build = build
        self._arguments = [
            *(["--state", str(state)] if build.learns else []),
            *(["--flight"] if flight else []),
        ]
        self._interrupts = interrupts
        self._logs = logs
        self._observer = observer
        self._commands = [command(artifact) for artifact in build.artifacts]
        self._running: dict[int, Running] = {}  # by role, in the order in which they were started
        self._failed_s: float | None = None  # when the first failure was seen
        self._told = False
        self._finished = False
        self._holding: int | None = None  # the role whose announcement did not come

    def run(self) -> Outcome:
        """Returns when no process of the run is left, whatever happened."""
        with ExitStack() as stack:
            stack.enter_context(self._interrupts)
            self._selector = stack.enter_context(selectors.DefaultSelector())
            self._rounds = RoundsLog(self._logs / "rounds.jsonl")
            stack.callback(self._rounds.close)
            self._group = ProcessGroup()
            stack.callback(self._finish)
            self._selector.register(self._interrupts.fd, selectors.EVENT_READ, self._drain_wakeups)
            self._begin = self._last_start_s = time.monotonic()
            while not self._over():
                self._start_ready()
                for key, _ in self._selector.select(self._timeout_s()):
                    if key.fd in self._selector.get_map():  # else an earlier one of this batch ended its role
                        key.data()
            seconds = self._now()
            self._finish()
            return self._outcome(seconds)

    # -- starting ---------------------------------------------------------------------------------

    def _start_ready(self) -> None:
        """Starts every role whose predecessors have all announced; none after a failure."""
        while not (self._failed_s or self._interrupts.asked or self._all_started() or self._pending()):
            artifact = self._build.artifacts[len(self._running)]
            argv = [*self._commands[len(self._running)], *self._arguments]
            log = self._logs / f"role-{artifact.role}.log"
            running = Running(artifact, self._group.start(argv, self._build.folder), log)
            self._running[artifact.role] = running
            self._last_start_s = time.monotonic()
            self._pass_ports(running)
            self._watch(running)

    def _pending(self) -> Running | None:
        """The last started role while its announcement is not complete."""
        last = next(reversed(self._running.values()), None)
        return None if last is None or last.announced else last

    def _all_started(self) -> bool:
        return len(self._running) == len(self._build.artifacts)

    def _pass_ports(self, running: Running) -> None:
        """The lower peers' announced ports on the role's standard input, which is then closed."""
        role = running.artifact.role
        ports = b"".join(
            struct.pack(">H", self._running[peer].port_to(role)) for peer in running.artifact.heard
        )
        stdin = running.process.stdin
        assert stdin is not None
        with suppress(BrokenPipeError):  # it ended at once; its line says why
            stdin.write(ports)
        stdin.close()

    def _watch(self, running: Running) -> None:
        process = running.process
        assert process.stdout is not None and process.stderr is not None
        for descriptor, act in (
            (process.stdout.fileno(), lambda: self._hear_ports(running)),
            (process.stderr.fileno(), lambda: self._hear_lines(running)),
        ):
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_READ, act)
        self._selector.register(running.pidfd, selectors.EVENT_READ, lambda: self._ended(running))

    # -- listening --------------------------------------------------------------------------------

    def _hear_ports(self, running: Running) -> None:
        assert running.process.stdout is not None
        self._read(running.process.stdout.fileno(), running.ports.extend)

    def _hear_lines(self, running: Running) -> None:
        assert running.process.stderr is not None
        self._read(
            running.process.stderr.fileno(), lambda data: self._take(running, running.cutter.feed(data))
        )

    def _read(self, descriptor: int, use: Callable[[bytes], object]) -> None:
        """One read; at the end of the stream the descriptor is no longer watched."""
        try:
            data = os.read(descriptor, READ_BYTES)
        except BlockingIOError:
            return
        if data:
            use(data)
        else:
            self._selector.unregister(descriptor)

    def _take(self, running: Running, lines: list[str]) -> None:
        for line in (with_role(running.artifact.role, line) for line in lines):
            running.log.write(line + "\n")
            said = read_line(line)
            if isinstance(said, Loss | Metric):
                row = self._rounds.take(said, self._now())
                if row is not None:
                    self._observer.row(row)
            elif isinstance(said, Complete):
                running.complete = said
            elif isinstance(said, Flight):
                running.flight.append(replace(said, seconds=said.seconds - self._begin))
            elif isinstance(said, Failed):
                running.said = running.said or said
        if lines:
            running.log.flush()
            self._rounds.sync()

    def _ended(self, running: Running) -> None:
        status = running.process.wait()
        running.ended_s = self._now()
        self._hear_rest(running)
        if status == 0 and not running.announced:
            running.note = "ended before it had announced its ports"
        if (status != 0 or not running.announced) and self._failed_s is None:
            self._failed_s = time.monotonic()

    def _hear_rest(self, running: Running) -> None:
        """What a process that is gone left in its pipes: it ends, since nobody else holds the other end."""
        self._selector.unregister(running.pidfd)
        os.close(running.pidfd)
        process = running.process
        assert process.stdout is not None and process.stderr is not None
        for stream, hear in ((process.stdout, self._hear_ports), (process.stderr, self._hear_lines)):
            while stream.fileno() in self._selector.get_map():
                hear(running)
            stream.close()
        self._take(running, running.cutter.rest())
        running.log.close()

    def _drain_wakeups(self) -> None:
        os.read(self._interrupts.fd, READ_BYTES)

    # -- ending -----------------------------------------------------------------------------------

    def _over(self) -> bool:
        alive = [running for running in self._running.values() if running.ended_s is None]
        if self._interrupts.asked or (not alive and (self._all_started() or self._failed_s is not None)):
            return True
        budgets = self._build.budgets
        now = time.monotonic()
        if self._failed_s is not None:
            return self._spread(alive, now - self._failed_s)
        pending = self._pending()
        if pending is not None and now - self._last_start_s > budgets.connect:
            self._holding = pending.artifact.role
            ports, expected = len(pending.ports) // 2, pending.artifact.announced
            pending.note = f"announced {ports} of its {expected} ports within {budgets.connect:g} s"
            return True
        if budgets.session is None or not self._all_started():
            return False
        return now - self._last_start_s > budgets.session + budgets.wait

    def _spread(self, alive: list[Running], since_s: float) -> bool:
        """After a failure: has the abort had its time to reach everyone?"""
        budgets = self._build.budgets
        allowed_s = budgets.wait + budgets.frame if self._all_started() else SPREAD_SECONDS
        stopped = [running for running in alive if running.stopped]
        for running in alive:
            running.note = f"said nothing and was {'stopped' if running in stopped else 'still running'}"
        if since_s > 2 * SPREAD_SECONDS and not self._told:
            self._told = True
            names = ", ".join(str(running.artifact.role) for running in alive[:8])
            self._observer.note(f"a role failed; waiting up to {allowed_s:g} s for role {names} to notice")
        return since_s > allowed_s or (since_s > SPREAD_SECONDS and len(stopped) == len(alive))

    def _timeout_s(self) -> float | None:
        """How long to sleep without news: for ever, unless a deadline or a look at stopped roles is due."""
        if self._failed_s is not None:
            return TICK_SECONDS
        watched = self._pending() is not None or self._build.budgets.session is not None
        return TICK_SECONDS if watched else None

    def _finish(self) -> None:
        """Ends what is left and reads what it had said; nothing the second time."""
        if self._finished:
            return
        self._finished = True
        for running in self._running.values():
            if running.ended_s is not None:
                continue
            if running.process.poll() is not None:
                self._ended(running)  # by itself, in the last moment
            else:
                self._call_off(running)
        self._group.kill()
        for running in self._running.values():
            if running.ended_s is None:
                self._hear_rest(running)
        row = self._rounds.flush()
        if row is not None:
            self._observer.row(row)

    def _call_off(self, running: Running) -> None:
        """Notes what ends a role that is at no fault: it worked, or waited for one that was not started."""
        unstarted = self._failed_s is not None and not self._all_started()
        if (self._interrupts.asked or unstarted) and not running.stopped:
            running.called_off = True
            running.note = (
                "was called off before all roles had been started" if unstarted else "was interrupted"
            )

    def _outcome(self, seconds: float) -> Outcome:
        not_started = self._build.artifacts[len(self._running) :]
        ends = [running.end() for running in self._running.values()]
        ends += [RoleEnd(artifact.role, artifact.target, "not started") for artifact in not_started]
        holding = self._holding
        if holding is None and not_started and (pending := self._pending()) is not None:
            holding = pending.artifact.role
        interrupted = self._interrupts.asked and any(end.fate != "complete" for end in ends)
        return Outcome(
            name=self._build.name,
            run=self._build.run,
            ends=tuple(ends),
            cause=None if interrupted and self._failed_s is None else first_cause(ends, holding),
            seconds=seconds,
            interrupted=interrupted,
            rounds=self._rounds.count,
            loss=self._rounds.loss,
            metrics=dict(self._rounds.metrics),
        )

    def _now(self) -> float:
        return time.monotonic() - self._begin
