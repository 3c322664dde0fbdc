"""Ctrl-C and its kin as something to look at, so that no interruption can cut the clean-up short."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """While entered, SIGINT, SIGTERM and SIGHUP only set `asked` and make `fd` readable.

    With `final`, an interruption is the end of the program: the signals stay as they are afterwards, so that
    an impatient second one cannot cut the last words short.
    """

    def __init__(self, *, final: bool = False) -> None:
        self.final = final
        self.asked = False
        self.fd, self._write_fd = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._write_fd, False)
        self._before: dict[int, Any] = {}
        self._wakeup_before = -1

    def __enter__(self) -> Interrupts:
        # Python delivers signals to the main thread alone; elsewhere the caller's handlers stay in charge.
        if threading.current_thread() is threading.main_thread():
            self._wakeup_before = signal.set_wakeup_fd(self._write_fd, warn_on_full_buffer=False)
            self._before = {number: signal.signal(number, self._note) for number in _SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.asked and self.final:
            return
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._before:
            signal.set_wakeup_fd(self._wakeup_before)
        os.close(self.fd)
        os.close(self._write_fd)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
