"""The competitive ratio, by hand."""

from farkas.proofs.eris.ratio import BASE, small_jobs


def test_auctions_of_the_repaired_ratio_satisfy_its_assumptions() -> None:
    for auction in small_jobs(2, seed=11):
        share = 1.0 / 6.0  # 1 / log2(64)
        for job in auction.jobs:
            assert sum(job.data) + 1 <= share * auction.capacity.min()  # workers and a server
            assert 2 * sum(job.data) <= share * auction.transfer_budget  # moved and remote
            assert job.utility[0] <= BASE / 2 - 1  # per least use, which is 1
            assert job.utility[-1] >= 8
