"""The page of a run in progress. It loads its script and the state of the run, and nothing else."""

from __future__ import annotations

from importlib.resources import files

from tacit.measure.page import document
from tacit.measure.page.svg import element

POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
"""What the page may load: what comes from where it comes from."""

HEADERS = {
    "Cache-Control": "no-store",
    "Connection": "close",
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""What every answer says."""


def page() -> str:
    """The page, which its script fills."""
    body = element(
        "body",
        element(
            "header",
            element("p", "Tacit run in progress", id="state", class_="eyebrow", role="status"),
            element("h1", "", id="program"),
        ),
        element(
            "main",
            element("dl", id="tiles", class_="tiles"),
            element("section", element("h2", "Phases"), element("div", id="phases")),
            element("section", element("h2", "Bytes of the parties here"), element("div", id="parties")),
            element("noscript", element("p", "This page needs JavaScript to follow the run.")),
        ),
        element("script", src="page.js"),
    )
    return document("A run of Tacit in progress", body, _resource("page.css"), policy=POLICY)


def script() -> str:
    """What fills the page."""
    return _resource("page.js")


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
