"""Certificates as files: written whole or not at all."""

import msgspec

from farkas.certificates.files import Certificate
from farkas.files import Target, write_bytes


def to_json(certificate: Certificate) -> bytes:
    """Content of a certificate file."""
    return msgspec.json.encode(certificate) + b"\n"


def write(certificate: Certificate, path: Target) -> None:
    """Write a certificate file, whole or not at all; raises :class:`FileProblem`."""
    write_bytes(path, to_json(certificate))
