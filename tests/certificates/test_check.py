"""What is compared before a certificate is proved."""

from __future__ import annotations

import pytest

from farkas.certificates import (
    check,
)
from farkas.errors import NotACertificate
from tests.generators.certificates import form, good


class Instance:
    sha256 = "ab" * 32


def test_a_certificate_of_another_instance_is_refused():
    with pytest.raises(NotACertificate, match="about no instance"):
        check(good(), form(), instance=Instance())
    with pytest.raises(NotACertificate, match=r"about cdcdcdcdcdcd\.\.\."):
        check(good(instance="cd" * 32), form(), instance=Instance())
    proof = check(good(instance="ab" * 32), form(), instance=Instance())
    assert proof.provenance == "instance"


def test_a_limit_of_work_is_for_trees_alone():
    assert check(good(), form(), most_work=0) == check(good(), form())
