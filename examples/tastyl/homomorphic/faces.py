"""Generated faces for `face_recognition.py`, a run of it, and a picture of what both parties see.

    python faces.py faces.png

The faces are drawn by this file: ovals with eyes and a mouth whose places and brightness are random. No
picture of a person is used. Source: TASTY, section 3.2; Turk, Pentland, "Eigenfaces for recognition"
(1991).
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit import tastyl

PROTOCOL = Path(__file__).with_name("face_recognition.py")


@dataclass(frozen=True)
class Faces:
    """A database of faces, a query, and both as the protocol takes them."""

    pictures: np.ndarray
    query: np.ndarray
    mean: np.ndarray
    eigenfaces: np.ndarray
    client: dict[str, object]
    server: dict[str, object]


def face(traits, noise, random, height, width):
    """A face of these traits, with noise: bytes."""
    rows, columns = np.mgrid[0:height, 0:width]
    rows, columns = rows / height * 2 - 1, columns / width * 2 - 1
    eyes, mouth, round_, skin, hair = traits
    picture = 60 + 20 * hair * (rows < -0.4)
    oval = (columns / (0.7 + 0.15 * round_)) ** 2 + (rows / 0.9) ** 2 < 1
    picture = np.where(oval, 150 + 50 * skin, picture)
    for side in (-1, 1):
        eye = (columns - side * (0.3 + 0.1 * eyes)) ** 2 + (rows + 0.25) ** 2 < 0.015
        picture = np.where(eye, 30, picture)
    smile = (abs(rows - 0.45 - 0.2 * mouth * columns**2) < 0.06) & (abs(columns) < 0.35 + 0.1 * mouth)
    picture = np.where(smile, 90, picture)
    # Contrast leaves room for a picture below all others, see `below`.
    picture = 128 + (picture - 128) / 3
    return np.clip(picture + random.normal(0, noise, picture.shape), 0, 255).astype(int)


def below(flat, mean, axes):
    """A picture in place of the mean, below all: no projection is negative, and distances stay the same."""
    lengths = (axes**2).sum(axis=1)
    reach = ((flat - mean) @ axes.T).min(axis=0) / lengths
    for scale in np.arange(1, 10, 0.25):
        origin = np.rint(np.clip(mean + scale * reach @ axes, 0, 255)).astype(int)
        if ((flat - origin) @ axes.T).min() >= 0:
            return origin
    raise ValueError("no picture lies below all; take fewer eigenfaces")


def make(count, eigenfaces, height=28, width=23, seed=1):
    """A database of so many faces, and another picture of one of them."""
    random = np.random.default_rng(seed)
    traits = random.uniform(-1, 1, (count, 5))
    pictures = np.array([face(one, 2, random, height, width) for one in traits])
    chosen = count // 2
    query = face(traits[chosen], 2, random, height, width)
    flat = pictures.reshape(count, -1)
    mean = np.rint(flat.mean(axis=0)).astype(int)
    # The projections of TASTY's protocol are of whole numbers: eigenfaces in bytes with a sign.
    axes = np.linalg.svd(flat - mean, full_matrices=False)[2][:eigenfaces]
    projected = (flat - mean) @ axes.T
    axes *= np.where(projected.max(axis=0) < -projected.min(axis=0), -1, 1)[:, None]
    axes = np.rint(axes * 31 / np.abs(axes).max(axis=1, keepdims=True)).astype(int)
    origin = below(flat, mean, axes)
    projected = (flat - origin) @ axes.T
    distances = ((projected - (query.ravel() - origin) @ axes.T) ** 2).sum(axis=1)
    client = {"gamma": query.ravel().tolist()}
    server = {
        "omega": projected.tolist(),
        "psi": origin.tolist(),
        "u": axes.tolist(),
        # Nearer than the second nearest.
        "tau": int(np.sort(distances)[1]),
    }
    return Faces(
        pictures, query, mean.reshape(height, width), axes.reshape(-1, height, width), client, server
    )


def drawn(faces, outputs, sent):
    """What each party sees, as a picture: above the server's faces, below the client's query."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5))
    columns = 6
    rows = figure.subplots(3, columns)
    shown = [(one, f"face {index}") for index, one in enumerate(faces.pictures[:columns])]
    shown += [(faces.mean, "mean")]
    shown += [(one, f"eigenface {index}") for index, one in enumerate(faces.eigenfaces[: columns - 1])]
    places = [*rows[0, : len(faces.pictures)], *rows[1]]
    for axis, (picture, title) in [
        *zip(places, shown, strict=False),
        (rows[2, 0], (faces.query, "client: its query")),
    ]:
        axis.imshow(picture, cmap="gray")
        axis.set_title(title, fontsize=7)
    for axis in rows.flat:
        axis.axis("off")
    sees = ", ".join(f"{name} {value}" for name, value in outputs.items())
    text = f"client sees: {sees}\nserver sees of the query: {sent} bytes of ciphertexts and shares"
    rows[2, 1].text(0.2, 0.5, text, verticalalignment="center")
    figure.suptitle("Above what the server has, below the client", fontsize=9)
    return figure


def main():
    """Makes faces, recognises one, draws."""
    faces = make(20, 5)
    count, (height, width) = len(faces.pictures), faces.query.shape
    protocol = tastyl.load(PROTOCOL)
    outputs = protocol.run(
        client=faces.client, server=faces.server, K=len(faces.eigenfaces), N=height * width, M=count
    )
    online = next(one for one in outputs.reports["client"]["phases"] if one["phase"] == "online")
    drawn(faces, outputs["client"], online["payload_sent"]).savefig(sys.argv[1])
    print(outputs["client"])


if __name__ == "__main__":
    main()
