"""How a search for the optimum closes its gap: one curve for every instance, in a picture.

Run with files of instances, or without: then a few shipped ones are searched.  The picture is
``gap.svg`` in the folder where this is called.
"""

import sys

import farkas
from farkas.experiments.plotting import curve_of, gap_figure, write_gaps

SHIPPED = ("gadget/demo", "eris/tiny", "dps/tiny", "mlbroker/tiny", "coded/demo")


def main() -> None:
    curves = {}
    for name in sys.argv[1:] or SHIPPED:
        found = farkas.optimum(name, gap=1e-4, time_limit=20.0)
        curves[name] = curve_of(found), found.seconds
        last = found.steps[-1]
        print(f"{name:16} gap {found.gap:9.2g} after {found.seconds:6.2f} s; last: {last.method}")
    picture = gap_figure(curves, "wall seconds")
    write_gaps(picture, "Gap of value and proved bound", "gap.svg")
    print(f"gap.svg: {picture.caption}")


if __name__ == "__main__":
    main()
