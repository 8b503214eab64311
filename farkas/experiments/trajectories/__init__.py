"""What happens slot by slot in a run: costs of every kind, and what a kind adds.

A trajectory is a function of an instance and a run of its kind; one file a kind::

    @trajectory("mlbroker", "Deployment price")
    def deployment_price(instance, run):
        '''Multipliers of the certificate ...'''
        return Figure(...)                      # None where the run does not hold it
"""

from farkas.experiments.trajectories.registry import of_run, trajectories, trajectory

__all__ = ["of_run", "trajectories", "trajectory"]
