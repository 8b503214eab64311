"""What was proved, as a file that needs nothing but itself."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from typing import Any

import msgspec

from farkas.api.check import check, opened
from farkas.api.check_run import RunProof, certificate_of, shipped_instance
from farkas.api.inputs import InstanceOrName, as_instance
from farkas.api.programs import rebuild
from farkas.certificates import Certificate, FormCertificate, Proof, ViprProof, check_vipr
from farkas.certificates import check as prove
from farkas.certificates.doubles import MOST_WORK
from farkas.certificates.files import from_json, to_json
from farkas.certificates.repair import packed_form
from farkas.certificates.tree import TreeCertificate, UnboundedCertificate
from farkas.certificates.vipr import write_vipr_tree
from farkas.duals.multipliers import as_linear
from farkas.errors import InvalidOption, UnsupportedForm, require_type
from farkas.messages import named
from farkas.online.run import Run


@dataclasses.dataclass(frozen=True, slots=True)
class StandaloneProof:
    """What was proved, and the certificate that needs no instance."""

    proof: Proof | RunProof  #: Of what was given, as `farkas.api.check` proves it.
    certificate: Certificate  #: Holds its program.
    content: bytes  #: The certificate as bytes of a file, of a tree as VIPR.
    alone: Proof | ViprProof  #: Proof from these bytes, without an instance.


def stand_alone(
    what: str | os.PathLike[str] | Certificate | Run,
    instance: InstanceOrName | None = None,
    *,
    model: Any = None,
    most_work: int | None = None,
) -> StandaloneProof:
    """Check a certificate or a run, and turn it into a certificate that holds its linear program.

    Trees of integer programs become VIPR files.  ``farkas/standalone/checker.py`` proves both with
    Python's standard library alone.  Arguments are those of `farkas.api.check.check`.

    Raises `UnsupportedForm`: what is proved cannot be stated as multipliers of a linear program;
    `NotACertificate`: the check refuses it, or what would be written proves less.
    """
    require_type(what, (Certificate, Run, str, os.PathLike), "what is checked")
    if isinstance(what, str | os.PathLike):
        if os.fspath(what).endswith(".vipr"):
            raise InvalidOption("a VIPR file holds its program already")
        held = opened(what)
        if not isinstance(held, Certificate | Run):
            raise UnsupportedForm("a worst case is replayed; no other checker knows how")
        what = held
    if isinstance(what, TreeCertificate):
        return _tree(what, instance, model, most_work)
    if isinstance(what, UnboundedCertificate):
        raise UnsupportedForm(
            f"{named(what.program)}: no other checker reads proofs of unboundedness; check it with"
            " farkas"
        )
    if instance is None and isinstance(what, Run):
        instance = shipped_instance(what)
    about = None if instance is None else as_instance(instance)
    proof = check(what, about, model=model)
    assert isinstance(proof, Proof | RunProof)  # anything else is of a VIPR file
    linear = certificate_of(what, "the run") if isinstance(what, Run) else what
    if not isinstance(linear, FormCertificate):
        assert about is not None  # without, nothing of the kind is proved
        linear = as_linear(linear, about)
    elif linear.data is None:
        data = packed_form(linear.bound_form(None if about is None else rebuild(linear, about)))
        linear = msgspec.structs.replace(linear, data=data)
    content = to_json(linear)
    return StandaloneProof(proof, linear, content, prove(from_json(content)))


def _tree(
    file: TreeCertificate, instance: InstanceOrName | None, model: Any, most_work: int | None
) -> StandaloneProof:
    """Write a tree as VIPR, and check that."""
    proof = check(file, instance, model=model, most_work=most_work)
    assert isinstance(proof, Proof)
    if model is not None:
        from farkas.api.prove import read_form

        form, _ = read_form(model, numbers=file.numbers)
    else:
        rebuilt = None if instance is None else rebuild(file, as_instance(instance))
        form, _ = file.own_program(rebuilt, None)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tree.vipr")
        limit = MOST_WORK if most_work is None else most_work
        write_vipr_tree(form, file, path)
        with open(path, "rb") as stream:
            return StandaloneProof(proof, file, stream.read(), check_vipr(path, limit))
