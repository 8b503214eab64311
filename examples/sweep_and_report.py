"""Run two algorithms on many instances, hold a theorem against them, and write one page about it.

The sweep can be stopped at any moment, even with kill -9; the same call goes on where it stopped.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from farkas.experiments.report import collect, render
from farkas.experiments.sweeps import Store, prove_again, ratios, sweep

CONFIG = """
name = "broker"

[[instances]]
kind = "mlbroker"
preset = "small"
seeds = "0..5"
settings = { num_slots = 3 }

[[algorithms]]
name = "mlbroker.fractional"
options = { epsilon = [0.1, 1.0] }

[[algorithms]]
name = "mlbroker.local"
"""

with TemporaryDirectory() as folder:
    config = Path(folder) / "broker.toml"
    config.write_text(CONFIG)
    first = sweep(config, workers=2)
    again = sweep(config, workers=2)
    print(f"performed {first.performed}, and then {again.performed or 'nothing'}")

    with Store(first.store, readonly=True) as store:
        for item in ratios(store):
            low, high = item.interval
            print(f"{item.label}: mean {item.mean:.4f} in [{low:.4f}, {high:.4f}]")
            for promise in item.promises:
                print(f"  {promise.source}: kept in {promise.kept} of {len(item.values)} runs")
        opinions = [opinion for _, opinion in prove_again(store)]
        print(f"certificates proved again: {opinions.count('proved again')} of {len(opinions)}")
        for item in ratios(store):
            print(f"worst of {item.label}: {store.instance(item.worst.instance).name}")
        page = Path(folder) / "broker.html"
        page.write_text(render(collect(store, title="Broker")), encoding="utf-8")
        print(f"one page of {page.stat().st_size // 1000} kB that needs no network")
