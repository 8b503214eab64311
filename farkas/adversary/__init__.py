"""The worst instance of an algorithm: searched for, made small, proved.

`search` looks in an `InstanceBox` for an instance on which an algorithm is far from what a solution
known with hindsight is worth; `shrunk` makes it readable; a `Gap` is the statement, which
``farkas check`` proves.  A kind brings a `KindShape`, ours in ``farkas/adversary/kinds.py``::

    shapes.add("dps", KindShape(sizes={"jobs": "num_jobs"}, smaller=smaller))
"""

#: Modules of what is registered.
HOMES = dict.fromkeys(("coded", "dps", "eris", "gadget", "mlbroker"), "kinds")
