"""Turn a public trace into an instance and compare all algorithms on it, with certified ratios.

``python import_a_trace.py [PHILLY_CSV PRICES_CSV]``.  Without arguments the traces beside the
checkout are taken where they exist, else a few lines in the same format.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import farkas

PHILLY = """timestamp,duration,num_gpus,gpu_time,cluster
2017-10-09 08:00:00,7200.0,4,28800.0,alpha
2017-10-09 08:30:00,7201.0,1,7201.0,alpha
2017-10-09 09:10:00,9000.0,8,72000.0,beta
2017-10-09 10:59:59,60.0,2,120.0,beta
"""
PRICES = """instance,gpu,gpu_count,vcpu,memory,network,region,on_demand_usd_per_hour,reserved_usd_per_hour
g4dn.12xlarge,T4,4,48,192 GB,50 Gigabit,us-east-1,3.912,2.464
g4dn.12xlarge,T4,4,48,192 GB,50 Gigabit,eu-west-1,4.362,2.748
g4dn.12xlarge,T4,4,48,192 GB,50 Gigabit,ap-south-1,4.305,2.712
"""  # noqa: E501

beside = Path(__file__).resolve().parents[2] / "shared" / "data"
with TemporaryDirectory() as folder:
    if len(sys.argv) == 3:
        trace, prices = map(Path, sys.argv[1:])
    elif (beside / "philly" / "philly.csv").exists():
        trace, prices = beside / "philly" / "philly.csv", beside / "prices" / "gpu_prices.csv"
    else:
        trace, prices = Path(folder) / "philly.csv", Path(folder) / "prices.csv"
        trace.write_text(PHILLY)
        prices.write_text(PRICES)
    imported = farkas.import_trace(
        "philly",
        trace,
        "mlbroker",
        prices=str(prices),
        start="2017-10-09 08:00",
        slots=4,
        sites=3,
        jobs=12,
    )

instance = imported.instance
print(imported.report())
sizes = f"{instance.num_slots} slots of an hour, {instance.num_sites} regions"
print(f"{instance.name}: {instance.num_jobs} jobs, {sizes}")
print(f"content hash {instance.sha256[:16]}...\n")
names = ("mlbroker", "central", "local", "fractional")
found = farkas.compare(instance, [f"mlbroker.{name}" for name in names])
print(f"proved: no placement costs less than {float(found.bound):.6g} USD")
for entry in found.entries:
    print(f"  {entry.algorithm:20} {entry.value:10.6g} USD, certified ratio {entry.ratio:.4f}")
