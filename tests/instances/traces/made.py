"""Small traces in the public formats."""

# Slots of one hour from 08:00: arrivals in slots 0, 0, 2; the fourth comes after the window of
# three slots, the fifth holds no GPU.  Lines are not in order of time, as in the trace.
PHILLY = """\
timestamp,duration,num_gpus,gpu_time,cluster
2017-10-09 10:59:59,60.0,2,120.0,beta
2017-10-09 08:00:00,7200.0,4,28800.0,alpha
2017-10-09 08:30:00,7201.0,1,7201.0,alpha
2017-10-09 11:00:00,60.0,1,60.0,alpha
2017-10-09 09:00:00,60.0,0,0.0,alpha
"""


PRICES = """\
instance,gpu,gpu_count,vcpu,memory,network,region,on_demand_usd_per_hour,reserved_usd_per_hour
g4.big,T4,4,48,192 GB,50 Gigabit,west,8.0,4.0
g4.big,T4,4,48,192 GB,50 Gigabit,east,6.0,5.0
g4.big,T4,4,48,192 GB,50 Gigabit,north,6.0,
g5.big,A10,8,48,192 GB,50 Gigabit,east,60.0,50.0
"""


NODES = """\
sn,cpu_milli,memory_mib,gpu,model
node-0,64000,262144,2,P100
node-1,96000,393216,4,T4
node-2,96000,393216,0,
node-3,96000,393216,8,T4
"""


PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
a,4000,1,1,1000,P100,LS,Running,0,600,0
b,4000,1,2,1000,,LS,Running,300,301,300
c,4000,1,0,0,,LS,Running,300,900,300
d,4000,1,1,1000,T4,LS,Running,900,,900
e,4000,1,3,1000,T4|V100M16,LS,Running,1200,4800,1200
"""


# Model b has no K80 throughput, c runs on two GPUs only, d nowhere.
TWIN = {
    "k80": {"('a', 1)": {"null": 2.0, "('b', 1)": [1.0, 1.0]}, "('b', 1)": {"null": 0.0},
            "('c', 2)": {"null": 9.0}, "('d', 1)": {"('a', 1)": [1.0, 1.0]},
            "('e', 1)": {"null": 3}},
    "p100": {"('a', 1)": {"null": 4.0}, "('e', 1)": {"null": 5.0}},
    "v100": {"('a', 1)": {"null": 8.0}, "('e', 1)": {"null": 6.0}},
}  # fmt: skip


GRAPHML = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d1" />
  <key attr.name="label" attr.type="string" for="node" id="d2" />
  <graph edgedefault="undirected">
    <node id="5"><data key="d2">Rome</data></node>
    <node id="7"><data key="d2">Rome</data></node>
    <node id="9" />
    <edge source="5" target="7"><data key="d1">2500000000.0</data></edge>
    <edge source="7" target="9" />
    <edge source="7" target="9" />
  </graph>
</graphml>
"""


SNDLIB = """?SNDlib native format; type: network; version: 1.0
# network small
NODES (
  A ( 1.0 2.0 )
  B ( 1.0 2.0 )
  C ( 1.0 2.0 )
)
LINKS (
  L1 ( A B ) 9920.00 0.00 0.00 0.00 ( 40000.00 133.00 )
  L2 ( B C ) 0.00 0.00 0.00 156.00 ( 155.00 156.00 622.00 468.00 )
  L3 ( A C ) 0.00 0.00 0.00 0.00 ( )
)
"""
