#!/usr/bin/env python3
"""Pictures of a result file, as SVG: TFLOPS over size, ratio to cuBLAS over all shapes, roofline.

usage: plot.py RESULT.json [--peers PEERS.json] [--out FOLDER]
       plot.py --check [--out FOLDER]

Writes <result>-squares.svg, -ratios.svg and -roofline.svg into bench/results or FOLDER; a picture
for which the file has no cases is not drawn. Drawing needs matplotlib; the same files and version
give the same bytes. A picture holds the checksums of its result files: --check exits with 1 where
one has changed since, and, where the matplotlib is at hand that drew the pictures, where the bytes
differ.
"""

import argparse
import hashlib
import io
import pathlib
import re
import sys

import result_file

SETTINGS = {
    "svg.hashsalt": "tessera", "svg.fonttype": "path", "font.family": "DejaVu Sans",
    "font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "figure.figsize": (7.5, 4.5),
    "legend.frameon": False, "axes.spines.top": False, "axes.spines.right": False,
}
CUBLAS_STYLE = {"color": "black", "linestyle": "--", "linewidth": 1.5}


SOURCE = re.compile(r"^<!-- drawn by matplotlib (?P<version>\S+) from (?P<files>.*) -->$",
                    re.MULTILINE)


def pyplot():
    """matplotlib's pyplot with this file's settings."""
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot
    matplotlib.rcParams.update(SETTINGS)
    return matplotlib.pyplot


def caption(result):
    gpu = result.context.get("gpu", "GPU not stated")
    date = result.context.get("date", "")[:10]
    return f"{gpu}, hot, {date}".rstrip(", ")


def plain_squares(result, policy):
    return sorted((c for c in result.of(policy) if c.is_square and c.is_plain_square(c.m)
                   and c.m % 64 == 0), key=lambda c: c.m)


def squares(result, peers):
    """TFLOPS over size, a line a policy; the bars of automatic span its groups."""
    names = [name for name in dict.fromkeys(c.policy for c in result.of())
             if len(plain_squares(result, name)) > 1]
    if not names:
        return None
    figure, axes = pyplot().subplots()
    # cuBLAS ran beside every policy: the median of those runs.
    beside = {}
    for name in names:
        for case in plain_squares(result, name):
            beside.setdefault(case.m, []).append(case.cublas_tflops)
    sizes = sorted(beside)
    axes.plot(sizes, [sorted(beside[s])[len(beside[s]) // 2] for s in sizes], label="cuBLAS",
              zorder=3, **CUBLAS_STYLE)
    for name in names:
        cases = plain_squares(result, name)
        emphasis = name == "automatic"
        axes.plot([c.m for c in cases], [c.tflops for c in cases], marker="o", markersize=3,
                  linewidth=2.2 if emphasis else 1.0, label=name, zorder=4 if emphasis else 2)
        if emphasis and all("time_min_us" in c.fields for c in cases):
            low = [c.tflops * (1 - c.fields["time_us"] / c.fields["time_max_us"]) for c in cases]
            high = [c.tflops * (c.fields["time_us"] / c.fields["time_min_us"] - 1) for c in cases]
            axes.errorbar([c.m for c in cases], [c.tflops for c in cases], yerr=[low, high],
                          fmt="none", ecolor="grey", elinewidth=1, capsize=2, zorder=1)
    if peers is not None:
        for name in dict.fromkeys(c.policy for c in peers.of()):
            cases = plain_squares(peers, name)
            axes.plot([c.m for c in cases], [c.tflops for c in cases], marker="x", markersize=4,
                      linewidth=0.8, linestyle=":", label=name)
    ceiling = result.context.get("ffma_tflops_datasheet")
    if ceiling is not None:
        axes.axhline(ceiling, color="grey", linewidth=0.8)
        axes.text(sizes[0], ceiling, f"FFMA at the highest clock: {ceiling:.1f}", va="bottom",
                  fontsize=8, color="grey")
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [str(s) for s in sizes], rotation=45)
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("m = n = k")
    axes.set_ylabel("TFLOPS")
    axes.set_title(f"Row-major squares ({caption(result)})", fontsize=10)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def sweep_of(case):
    """The sweep that a case is drawn as: the ladder's shapes are squares."""
    named = [sweep for sweep in case.sweeps if sweep != "ladder"]
    return named[0] if named else "squares" if case.is_square else "other"


def ratios(result, _):
    """Ratio to cuBLAS of automatic over all shapes, sorted, coloured by sweep."""
    cases = sorted(result.of("automatic"), key=lambda c: c.ratio)
    if not cases:
        return None
    figure, axes = pyplot().subplots()
    for sweep in sorted({sweep_of(c) for c in cases}):
        places = [i for i, c in enumerate(cases) if sweep_of(c) == sweep]
        axes.scatter([i + 1 for i in places], [cases[i].ratio for i in places], s=10, label=sweep,
                     zorder=3)
    axes.axhline(1.0, color="black", linewidth=1)
    mean = result_file.geometric_mean(c.ratio for c in cases)
    below = sum(c.ratio < 1.0 for c in cases)
    axes.set_yscale("log")
    values = [c.ratio for c in cases]
    ticks = [t for t in (0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16)
             if min(values) * 0.9 <= t <= max(values) * 1.1]
    axes.set_yticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.set_xlabel("shapes, sorted")
    axes.set_ylabel("TFLOPS over cuBLAS's")
    axes.set_title(f"automatic: {len(cases)} shapes, geometric mean {mean:.3f}, {below} below 1 "
                   f"({caption(result)})", fontsize=10)
    axes.legend(fontsize=8)
    return figure


def roofline(result, _):
    """Cases of automatic under the ceilings that the run measured or the datasheet gives."""
    bandwidth = result.context.get("copy_GBps_measured")
    peak = result.context.get("ffma_tflops_datasheet")
    cases = result.of("automatic")
    if bandwidth is None or peak is None or not cases:
        return None
    figure, axes = pyplot().subplots()
    low = min(c.flop_per_byte for c in cases) * 0.7
    high = max(c.flop_per_byte for c in cases) * 1.4
    ridge = peak * 1e3 / bandwidth
    points = [low, ridge, high] if low < ridge < high else [low, high]
    axes.plot(points, [min(peak, x * bandwidth * 1e-3) for x in points], color="black",
              linewidth=1.2,
              label=f"{bandwidth / 1e3:.2f} TB/s copy, measured; {peak:.1f} TFLOPS FFMA")
    by_sweep = {}
    for case in cases:
        by_sweep.setdefault(sweep_of(case), []).append(case)
    for sweep, members in sorted(by_sweep.items()):
        axes.scatter([c.flop_per_byte for c in members], [c.tflops for c in members], s=10,
                     label=sweep, zorder=3)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("flop per byte of least traffic (A and B read once, C written once)")
    axes.set_ylabel("TFLOPS")
    axes.set_title(f"Roofline of automatic ({caption(result)}); what the L2 holds may lie above it",
                   fontsize=9)
    axes.legend(fontsize=7, loc="lower right")
    return figure


PICTURES = {"squares": squares, "ratios": ratios, "roofline": roofline}


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def svg_of(figure, version, sources):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight",
                   metadata={"Date": None, "Creator": None})
    pyplot().close(figure)
    # Without the blanks that matplotlib leaves at the ends of lines.
    svg = "\n".join(line.rstrip() for line in buffer.getvalue().decode().splitlines()) + "\n"
    names = ", ".join(f"{path.name} {checksum(path)}" for path in sources)
    return svg.replace("<svg ", f"<!-- drawn by matplotlib {version} from {names} -->\n<svg ", 1)


def draw(name, paths):
    """The picture as SVG text, or None."""
    import matplotlib
    result, *others = (result_file.load(path) for path in paths)
    figure = PICTURES[name](result, others[0] if others else None)
    return None if figure is None else svg_of(figure, matplotlib.__version__, paths)


def matplotlib_version():
    try:
        import matplotlib
    except ImportError:
        return None
    return matplotlib.__version__


def fault_of(picture):
    """Why a picture is not what its result files give, or None."""
    text = picture.read_text()
    source = SOURCE.search(text)
    if source is None:
        return "does not say what it was drawn from"
    paths = []
    for entry in source["files"].split(", "):
        name, expected = entry.split(" ")
        paths.append(picture.parent / name)
        if not paths[-1].exists():
            return f"{name} is not there"
        if checksum(paths[-1]) != expected:
            return f"{name} has changed since"
    name = picture.stem.rsplit("-", 1)[-1]
    if matplotlib_version() == source["version"] and draw(name, paths) != text:
        return "plot.py draws it otherwise now"
    return None


def check(folder):
    pictures = sorted(folder.glob("*.svg"))
    faults = {picture: fault for picture in pictures if (fault := fault_of(picture))}
    for picture, fault in faults.items():
        print(f"{picture}: {fault}")
    print(f"{len(pictures)} pictures, {len(faults)} to be drawn anew")
    return 1 if faults or not pictures else 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("result", nargs="?", type=pathlib.Path)
    parser.add_argument("--peers", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent / "results")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    if options.check == (options.result is not None):
        parser.error("give a result file, or --check")
    try:
        if options.check:
            return check(options.out)
        drawn = 0
        for name in PICTURES:
            path = options.out / f"{options.result.stem}-{name}.svg"
            sources = [options.result]
            if options.peers and name == "squares":
                sources.append(options.peers)
            svg = draw(name, sources)
            if svg is None:
                print(f"{path.name}: the file has no cases for it")
                continue
            path.write_text(svg)
            drawn += 1
            print(path)
    except result_file.ResultError as error:
        print(f"plot.py: {error}", file=sys.stderr)
        return 2
    return 0 if drawn else 2


if __name__ == "__main__":
    sys.exit(main())
