"""Public objects that one party sends to all others, among three parties or more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tacit._native import AbortError, InputError, UsageError
from tacit.sessions.protection import GF256

if TYPE_CHECKING:
    from tacit.sessions.session import PartySession

HEADER_BYTES = 4
"""The bytes of the length in front of a text."""

MOST_BYTES = 1 << 20
"""The default maximum length of a text."""


async def broadcast(session: PartySession, value: Any = None, *, by: str, most: int = MOST_BYTES) -> Any:
    """A public object from the party `by`, in the form of JSON; every party gets the same object.

    Only that party gives `value`: numbers, texts, truth values, `None`, and lists and dictionaries of these,
    of at most `most` bytes as JSON. It also gets the object that the others get, with lists in place of
    tuples, and strings as keys of dictionaries.

    The text is shared and opened, its length first. So all parties get the same object, or the session ends:
    with `security="active"` before they get it, otherwise where the program next synchronises.

    Cost: an input and an opening for each 7 bytes with a modulus of 61 bits, in four rounds.

    Errors: `InputError` for a value that is too long or has no JSON form; `AbortError` if the other party
    sends a text that is too long or not JSON.
    """
    session.require_field("broadcast")
    _check_giver(session, value, by)
    size = _bytes_in_element(session.modulus)
    own = _encoded(value, most) if by == session.party else None
    header = None if own is None else len(own).to_bytes(HEADER_BYTES, "big")
    length = int.from_bytes(await _told(session, header, HEADER_BYTES, by, size), "big")
    if not 0 < length <= most:
        raise AbortError(f"{by} announces {length} bytes by broadcast, which takes from 1 to {most}")
    text = await _told(session, own, length, by, size)
    try:
        return json.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise AbortError(f"{by} broadcasts a text that is not JSON: {error}") from None


def _check_giver(session: PartySession, value: Any, by: str) -> None:
    if by not in session.parties:
        raise UsageError(f"there is no party {by}; the parties are {', '.join(session.parties)}")
    if value is not None and by != session.party:
        raise UsageError(f"{by} broadcasts this value, so {session.party} must not give one")


def _encoded(value: Any, most: int) -> bytes:
    """A value as JSON."""
    try:
        text = json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the value for broadcast has no JSON form: {error}") from None
    longest = min(most, (1 << 8 * HEADER_BYTES) - 1)
    if len(text) > longest:
        raise InputError(
            f"the value for broadcast has {len(text)} bytes as JSON, more than {longest}; raise most= at "
            "all parties"
        )
    return text


async def _told(session: PartySession, given: bytes | None, length: int, by: str, size: int) -> bytes:
    """Opens `length` bytes of a party to all parties, `size` of them in each element."""
    elements = -(-length // size)
    numbers = None
    if given is not None:
        padded = given.ljust(elements * size, b"\0")
        numbers = [int.from_bytes(padded[i : i + size], "big") for i in range(0, len(padded), size)]
    opened = await session.open(session.share(numbers, by=by, shape=elements))
    if not all(0 <= number < 1 << 8 * size for number in opened):
        raise AbortError(f"{by} broadcasts numbers that are not {size} bytes")
    return b"".join(int(number).to_bytes(size, "big") for number in opened)[:length]


def _bytes_in_element(modulus: int) -> int:
    """How many bytes an element of the field holds, from 0 up."""
    size = 1 if modulus == GF256 else (modulus.bit_length() - 2) // 8
    if size == 0:
        raise UsageError(
            f"broadcast needs a modulus of 10 bits or more, which has room for a byte, not {modulus}"
        )
    return size
