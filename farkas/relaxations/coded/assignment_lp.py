"""Program coded.assignment_lp: the linear program that P3 with shared workers is."""

from farkas.models.coded.assignment import MaxMin


class AssignmentLp(MaxMin):
    """Workers shared by probabilities, for the slowest master.  Relaxation of Coded (18).

    For shared workers this *is* P3: for fixed t and k the best load is t/φ whatever k, and the
    expected results become t Σ v k.  So 1/t = max over k of min over masters of Σ v k.
    """

    name = "coded.assignment_lp"
