# SPDX-License-Identifier: GPL-3.0-or-later
"""numba's cache on disk, of which nothing is believed that is not as it was written.

LLVM ends the process where machine code is damaged. So every file ends with its checksum; one that
is not as it was written is deleted, and what it held is compiled again.

Rests on numba's internals: :mod:`.fence` tries it out before it is used.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
)

CORE = Path(__file__).parents[1]


class CoreLocator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Where a function's files are: the same wherever core is installed."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """The name of the folder for functions of a source file."""
        if not (path := Path(py_file)).is_relative_to(CORE):
            return str(super().get_suitable_cache_subpath(py_file))
        return ".".join((CORE.name, *path.relative_to(CORE).parts[:-1]))


class CoreFunctions(CompileResultCacheImpl):  # type: ignore[misc]
    """How functions are kept."""

    _locator_classes = (CoreLocator, *CompileResultCacheImpl._locator_classes)


class CheckedCache(FunctionCache):  # type: ignore[misc]
    """The cache of one function."""

    _impl_class = CoreFunctions
    _cache_file: Any

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        files = self._cache_file
        self._cache_file = CheckedFiles(
            self._cache_path, self._impl.filename_base, files._source_stamp
        )


class CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Its index, and a file for the types of arguments that it was compiled for."""

    def save(self, key: Any, data: Any) -> None:
        """Keep the code for a key in a file of its own.

        numba counts files: of two processes that compile at once both would write the same one, and
        a key could come to mean the other's code.
        """
        name = self._name_of(key)
        self._save_data(name, data)
        overloads = self._load_index()
        overloads[key] = name
        self._save_index(overloads)

    def _name_of(self, key: Any) -> str:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:8]
        return f"{Path(self._index_name).stem}.{digest}.nbc"

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        data = content.getvalue()
        with super()._open_for_write(path) as file:
            file.write(data + hashlib.sha256(data).digest())

    def _load_index(self) -> Any:
        return super()._load_index() if _is_sound(Path(self._index_path)) else {}

    def _load_data(self, name: str) -> Any:
        # numba takes an OSError for a file that is not there.
        if not _is_sound(path := Path(self._data_path(name))):
            raise FileNotFoundError(path)
        return super()._load_data(name)


def _is_sound(path: Path) -> bool:
    """Whether a file is there as it was written; else it is no more."""
    if not path.is_file():
        return False
    content = path.read_bytes()
    end = hashlib.sha256().digest_size
    if hashlib.sha256(content[:-end]).digest() == content[-end:]:
        return True
    path.unlink()
    return False
