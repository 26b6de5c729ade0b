"""Sessions of several ranks of an MPI job, whose communicators are those of mpi4py."""

from __future__ import annotations

from typing import Any

from .errors import ArgumentError, ArgumentTypeError

# How the MPI libraries that libcvl-mpi.so knows begin their versions. Intel MPI has the binary interface of MPICH.
_LIBRARIES = {"Open MPI": "openmpi", "MPICH": "mpich", "Intel(R) MPI": "mpich"}


def ranks_of(comm: Any) -> dict[str, Any]:
    """The options of the native session for the ranks of a communicator; none for None."""
    if comm is None:
        return {}
    if not hasattr(comm, "py2f"):
        raise ArgumentTypeError(f"comm must be a communicator of mpi4py, but is a {type(comm).__name__}")
    from mpi4py import MPI  # which made the communicator

    version = MPI.Get_library_version()
    for beginning, name in _LIBRARIES.items():
        if version.startswith(beginning):
            return {"mpi": name, "communicator": comm.py2f()}
    raise ArgumentError(f"the MPI library '{version.splitlines()[0]}' of mpi4py is neither Open MPI nor MPICH")
