"""Figures of mlBroker: ratios, costs by algorithm, and three clusters."""

from farkas.experiments.figures.exhibit import Paper
from farkas.instances.mlbroker import Brokerage

MLBROKER: Paper[Brokerage] = Paper("mlbroker", "mlBroker")
