"""What was proved, as a file that needs nothing but itself."""

from __future__ import annotations

import os

import msgspec

from farkas.certificates import Certificate, FormCertificate, check
from farkas.certificates import read as read_certificate
from farkas.certificates.files import from_json
from farkas.certificates.packed import PackedForm
from farkas.duals.restated import as_linear
from farkas.errors import FileProblem, InvalidOption, NotACertificate, require_type
from farkas.online.run import Run, read_run
from farkas.verbs.inputs import InstanceOrName, as_instance
from farkas.verbs.programs import rebuild
from farkas.words import named


def stand_alone(
    what: str | os.PathLike[str] | Certificate | Run, instance: InstanceOrName | None = None
) -> Certificate:
    """Turn a certificate, or that of a run, into one that holds its linear program.

    The file ``farkas/standalone/checker.py`` proves it with Python's standard library alone.

    Parameters
    ----------
    what
        A certificate or a run, or the path of its file.
    instance
        What it is about; not needed for a certificate that holds its program already.

    Raises
    ------
    UnsupportedForm
        When what is proved cannot be stated as multipliers of a linear program.
    NotACertificate
        When the certificate does not prove what it claims.
    InvalidOption
        When an instance is missing.

    Examples
    --------
    >>> import farkas
    >>> run = farkas.run("mlbroker/tiny", "mlbroker.fractional")
    >>> stand_alone(run, "mlbroker/tiny").program
    'mlbroker.relaxed[tight,printed]'
    """
    require_type(what, (Certificate, Run, str, os.PathLike), "what is checked")
    certificate = what if isinstance(what, Certificate) else _found(what)
    about = None if instance is None else as_instance(instance)
    form = None if about is None else rebuild(certificate, about)
    if isinstance(certificate, FormCertificate):
        check(certificate, form, instance=about)
        if certificate.data is not None:
            return certificate
        data = PackedForm.of(certificate.bound_form(form))
        return msgspec.structs.replace(certificate, data=data)
    if about is None:
        raise InvalidOption("the certificate is about an instance; add --instance FILE")
    check(certificate, form, instance=about)
    linear = as_linear(certificate, about)
    check(linear)
    return linear


def _found(what: str | os.PathLike[str] | Run) -> Certificate:
    if isinstance(what, Run):
        return _of_run(what)
    if os.fspath(what).endswith(".vipr"):
        raise InvalidOption("a VIPR file holds its program already")
    try:
        run = read_run(what)  # first: a run's file holds a certificate too
    except FileProblem:
        return read_certificate(what)
    return _of_run(run)


def _of_run(run: Run) -> Certificate:
    if run.certificate is None or run.certificate.certificate is None:
        raise NotACertificate(f"the run of {named(run.algorithm)} holds no certificate")
    return from_json(msgspec.json.encode(run.certificate.certificate), "certificate of the run")
