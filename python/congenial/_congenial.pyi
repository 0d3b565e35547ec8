from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, final

_Path = str | PathLike[str]
# The text of a spec, what it is called, the folder that it names things in, and rows.
_Given = tuple[str, str, _Path, Any]
_Progress = Callable[[str, int], object] | None

__all__ = [
    "Stream",
    "_panic_for_tests",
    "audit",
    "check",
    "check_data",
    "commit",
    "compare",
    "demo",
    "explain",
    "infer",
    "ledger_approve",
    "ledger_ask",
    "ledger_history",
    "ledger_note",
    "ledger_open",
    "ledger_status",
    "ledger_verify",
    "main",
    "plan_card",
    "read_spec",
    "read_table",
    "release",
    "schema",
    "simulate",
    "stream_of",
    "table",
    "verify",
    "version",
]

@final
class Stream:
    @property
    def column_names(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __len__(self) -> int: ...
    def columns(self) -> dict[str, list[Any]]: ...
    def write_parquet(self, path: _Path) -> None: ...

def version() -> str: ...
def commit() -> str | None: ...
def schema() -> str: ...
def read_spec(spec: _Given) -> dict[str, Any]: ...
def check(spec: _Given, progress: _Progress = None) -> dict[str, Any]: ...
def check_data(spec: _Given, by: str | None = None, progress: _Progress = None) -> dict[str, Any]: ...
def plan_card(plan: Any) -> str: ...
def explain(
    spec: _Given,
    error: bool = False,
    on: Any = None,
    draws: int = 500,
    progress: _Progress = None,
) -> dict[str, Any]: ...
def release(
    spec: _Given,
    out: _Path,
    format: str = "parquet",
    wide: bool | str | None = None,
    by: str | None = None,
    again: bool = False,
    overrides: Sequence[str] = ...,
    because: str | None = None,
    sign: _Path | None = None,
    progress: _Progress = None,
) -> dict[str, Any]: ...
def demo(out: _Path, progress: _Progress = None) -> dict[str, Any]: ...
def verify(folder: _Path, key: _Path | None = None, ledger: str | None = None) -> dict[str, Any]: ...
def table(folder: _Path) -> Stream: ...
def read_table(path: _Path) -> Stream: ...
def stream_of(columns: dict[str, list[Any]]) -> Stream: ...
def compare(
    spec: _Given,
    on: Any = None,
    draws: int = 1000,
    seed: int = 1,
    epsilon: Sequence[str] = ...,
    rho: Sequence[str] = ...,
    progress: _Progress = None,
) -> dict[str, Any]: ...
def audit(
    spec: _Given,
    on: Any = None,
    draws: int = 500,
    runs: int = 4000,
    seed: int = 1,
    progress: _Progress = None,
) -> dict[str, Any]: ...
def simulate(
    spec: _Given,
    draws: int = 100,
    seed: int | None = None,
    progress: _Progress = None,
) -> Stream: ...
def ledger_open(
    address: str,
    dataset: str,
    per: str = "record",
    epsilon: str | None = None,
    rho: str | None = None,
    delta: str | None = None,
    approval: bool = False,
    partition: str | None = None,
    by: str | None = None,
    approver_key: _Path | None = None,
    head: _Path | None = None,
    again: bool = False,
) -> int: ...
def ledger_status(address: str) -> dict[str, Any]: ...
def ledger_history(address: str, dataset: str | None = None) -> list[dict[str, Any]]: ...
def ledger_ask(
    spec: _Given,
    by: str | None = None,
    overrides: Sequence[str] = ...,
    because: str | None = None,
    progress: _Progress = None,
) -> dict[str, Any]: ...
def ledger_approve(address: str, entry: int, by: str | None = None, sign: _Path | None = None) -> int: ...
def ledger_note(spec: _Given, by: str | None = None) -> str: ...
def ledger_verify(address: str, against: Sequence[_Path] = ...) -> dict[str, Any]: ...
def infer(folders: Sequence[_Path], options: dict[str, Any], progress: _Progress = None) -> dict[str, Any]: ...
def main(args: Sequence[str]) -> int: ...
def _panic_for_tests(text: str) -> None: ...
