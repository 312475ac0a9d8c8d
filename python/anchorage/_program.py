"""Runs the program, shows its progress and turns its errors into exceptions."""

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Union


class AnchorageError(Exception):
    """The program failed.

    ``code`` is its exit code, ``file`` and ``row`` are where bad input is (None where that is unknown), and
    ``advice`` says what would help. ``details`` has all that the program says: "most_topics", for instance, where
    documents cannot show as many as were asked for.
    """

    def __init__(self, message: str, code: int = 1, details: Optional[Dict] = None):
        super().__init__(message)
        self.code, self.details = code, details or {}
        self.file, self.row = self.details.get("file"), self.details.get("row")
        self.advice = self.details.get("advice", "").lstrip(":;, ")


class UsageError(AnchorageError, ValueError):
    """An option is unknown or out of its range (exit code 10)."""


class InputError(AnchorageError, ValueError):
    """Documents or a model cannot be used (exit code 11)."""


class ResourceError(AnchorageError, MemoryError):
    """There is not enough memory or disk (exit code 12)."""


class ExistsError(AnchorageError, FileExistsError):
    """The output exists, or another run is writing it (exit code 14)."""

    def __str__(self):
        return Exception.__str__(self)


class QualityError(AnchorageError):
    """The model falls short of what ``require`` asks for (exit code 16)."""


_ERRORS = {10: UsageError, 11: InputError, 12: ResourceError, 14: ExistsError, 16: QualityError}
_INTERRUPTED = 13
_DONE = (0, 3, 99)  # 3: without some bad shards; 99: nothing new to do


def program() -> str:
    """Returns the path of the program: ``$ANCHORAGE``, the one that was installed with this package, or one on PATH."""
    named = os.environ.get("ANCHORAGE")
    if named:
        return named
    name = "anchorage.exe" if os.name == "nt" else "anchorage"
    folders = [sysconfig.get_path("scripts"), Path(sys.executable).parent]
    if os.name == "posix":
        folders.append(sysconfig.get_path("scripts", "posix_user"))
    for folder in folders:
        path = Path(folder) / name
        if path.is_file():
            return str(path)
    found = shutil.which(name)
    if found:
        return found
    raise FileNotFoundError("the program anchorage is not beside this Python, nor on PATH: install the wheel again, or "
                            "name the program by the environment variable ANCHORAGE")


def version() -> str:
    """Returns the version of the program."""
    out = subprocess.run([program(), "--version"], capture_output=True, text=True, check=True).stdout
    return out.splitlines()[0].split()[-1]


def run(*arguments: Union[str, os.PathLike], progress: Optional[bool] = None) -> str:
    """Runs the program with the arguments and returns what it prints.

    ``progress`` says whether to show what it does on standard error; None shows it in notebooks and terminals. The
    exceptions are AnchorageError and its kinds, and KeyboardInterrupt.
    """
    command = [program(), "--log-format", "json", *map(os.fspath, arguments)]
    shown = _Progress(_is_shown(progress))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               encoding="utf-8", errors="replace")
    reader = threading.Thread(target=shown.read, args=(process.stderr,), daemon=True)
    reader.start()
    try:
        printed = process.stdout.read()
        process.wait()
    except BaseException:
        # Ctrl-C reaches the program only if it shares our terminal. It removes what it has begun and ends.
        if os.name == "nt":
            process.terminate()
        else:
            process.send_signal(signal.SIGINT)
        process.wait()
        raise
    finally:
        reader.join()
        process.stdout.close()
        process.stderr.close()
        shown.clear()
    if process.returncode in _DONE:
        return printed
    if process.returncode == _INTERRUPTED:
        raise KeyboardInterrupt
    raise _exception(process.returncode, shown.last, shown.lines)


def _exception(code: int, last: Dict, lines: List[str]) -> AnchorageError:
    """Returns the exception of an exit code and of the last message of the log."""
    message = last.get("error") or last.get("msg") or "\n".join(lines[-5:]) or f"the program ended with {code}"
    return _ERRORS.get(code, AnchorageError)(message, code, last)


def _is_shown(progress: Optional[bool]) -> bool:
    """Reports whether progress is shown: as the caller says, or in notebooks and terminals."""
    return progress if progress is not None else "ipykernel" in sys.modules or sys.stderr.isatty()


class _Progress:
    """Reads the program's log, shows its latest line, and keeps warnings and the last error."""

    def __init__(self, shown: bool):
        self.shown, self.width, self.last, self.lines = shown, 0, {}, []

    def read(self, stream) -> None:
        for line in stream:
            self.lines = [*self.lines[-20:], line.rstrip()]
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if not isinstance(entry, dict):
                continue
            if entry.get("level") == "ERROR":
                self.last = entry
            if self.shown:
                self.show(entry)

    def show(self, entry: Dict) -> None:
        text = str(entry.get("msg", ""))
        if entry.get("level") == "WARN":
            self.clear()
            print(f"anchorage: {text}", file=sys.stderr)
            return
        if entry.get("of"):
            text = f"{entry.get('stage', text)}: {100 * entry.get('done', 0) / entry['of']:.0f} %"
        text = f"anchorage: {text}"[:78]
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def clear(self) -> None:
        if self.shown and self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()
        self.width = 0


def flags(options: Dict) -> List[str]:
    """Returns options as flags: ``memory_limit="2GiB"`` is ``--memory-limit=2GiB``.

    True is a flag without a value, False ``--flag=false``, None leaves the option out; a list is joined with commas,
    and of ``set={"name": value}`` every entry is a ``--set``.
    """
    result = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None:
            continue
        if name == "set":
            result += [f"--set={key}={_text(each)}" for key, each in value.items()]
        elif isinstance(value, bool):
            result.append(flag if value else flag + "=false")
        elif isinstance(value, (list, tuple)):
            result.append(flag + "=" + ",".join(map(_text, value)))
        else:
            result.append(f"{flag}={_text(value)}")
    return result


def _text(value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def is_sequence(value) -> bool:
    """Reports whether a value is a list or the like, but not a string."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))
