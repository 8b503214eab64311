"""What deployment costs: a job pays for every site where it was not in the slot before."""

from farkas.forms.words import index_in
from farkas.models.mlbroker.offline import Offline
from tests.generators.mlbroker import single


def test_rows_of_new_deployment_by_hand() -> None:
    data = single([[10.0, 0.0], [0.0, 10.0]])
    form = Offline().form(data)
    deployed, started = form.column_block("deployed"), form.column_block("started")
    names = [block.name for block in form.rows]
    at = names.index("started_at_arrival")
    assert names[at : at + 3] == ["started_at_arrival", "started_when_new", "workers_connect"]
    for name, slot in (("started_at_arrival", 0), ("started_when_new", 1)):
        block = form.row_block(name)
        assert block.size == data.num_sites
        for site in range(data.num_sites):
            i = block.start + site
            columns, values = form.matrix.row(i)
            terms = {}
            for j, a in zip(columns.tolist(), values.tolist(), strict=True):
                role = "v" if deployed.start <= j < deployed.stop else "z"
                place = index_in(deployed if role == "v" else started, j)
                terms[role, place[1], place[-1]] = a
            now = {("z", slot, site): 1.0, ("v", slot, site): -1.0}
            assert terms == (now | {("v", slot - 1, site): 1.0} if slot else now)
            assert (form.row_lower[i], form.row_upper[i]) == (0.0, float("inf"))
    cost = form.cost[started.where]
    assert (cost == data.deploy_cost[0]).all()
