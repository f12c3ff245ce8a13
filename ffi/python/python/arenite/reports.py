"""Reports on a model. They print as tables, draw themselves in notebooks, and become data frames."""

from arenite.errors import DelegateError

__all__ = ["Placement", "Plan", "Port", "Profile"]


class Port:
    """An input or an output of a model."""

    def __init__(self, name, tensor, type, shape, scales, zero_points):
        self.name = name
        self.tensor = tensor
        self.type = type
        self.shape = tuple(shape)
        self.scales = tuple(scales)
        self.zero_points = tuple(zero_points)

    @property
    def dtype(self):
        """The NumPy type of arrays with the elements as they are stored.

        Raises:
            ImportError: The type is BFLOAT16 and ml_dtypes is not installed.
        """
        import numpy

        if self.type == "BFLOAT16":
            import ml_dtypes

            return numpy.dtype(ml_dtypes.bfloat16)
        # Elements of less than a byte have one each, and 8-bit floats are bits.
        names = {"INT4": "int8", "INT2": "int8", "UINT4": "uint8", "STRING": "object"}
        name = "int8" if self.type.startswith("FLOAT8") else names.get(self.type, self.type.lower())
        return numpy.dtype(name)

    def __repr__(self):
        dims = "×".join("?" if dim < 0 else str(dim) for dim in self.shape)
        return f"{self.name}: {self.type}" + (f" {dims}" if dims else "")


class Table:
    """Rows with the same keys."""

    columns = ()

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __repr__(self):
        cells = [self.columns, *([self._cell(row, column) for column in self.columns] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells)]
        is_number = [all(_is_number(row[column]) for row in self.rows) for column in self.columns]
        lines = [
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(line, widths, is_number)
            ).rstrip()
            for line in cells
        ]
        return "\n".join([*lines, *self._summary()])

    def to_frame(self, library=None):
        """The rows as a data frame.

        Args:
            library: "pandas" or "polars"; without it, the first of them that is installed.

        Raises:
            ImportError: The library is not installed, or neither is.
            ValueError: The library has another name.
        """
        import importlib

        libraries = ("pandas", "polars")
        if library is not None and library not in libraries:
            raise ValueError(f"library is {library!r}: give 'pandas' or 'polars'")
        for name in libraries if library is None else (library,):
            try:
                frames = importlib.import_module(name)
            except ImportError:
                if library is not None:
                    raise
            else:
                return frames.DataFrame([dict(row) for row in self.rows])
        raise ImportError("a data frame needs pandas or polars: pip install pandas")

    def _repr_svg_(self):
        """A picture for notebooks, or None."""
        return None

    def _repr_html_(self):
        """The picture and the table, for notebooks."""
        picture = self._repr_svg_()
        table = self._html_table()
        return f"{picture}<details><summary>{len(self.rows)} rows</summary>{table}</details>" if picture else table

    def _html_table(self):
        from html import escape

        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        lines = [
            "".join(f"<td>{escape(self._cell(row, column))}</td>" for column in self.columns) for row in self.rows
        ]
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        below = "<br>".join(escape(line) for line in self._summary() if line)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{below}</p>"

    def _cell(self, row, column):
        return _cell(row[column])

    def _summary(self):
        return []


class Plan(Table):
    """The memory of a model: a row for each tensor and scratch buffer.

    Attributes:
        planner: The planner's name.
        arena_bytes: Bytes of the arena, which has the tensors below.
        persistent_bytes: Bytes of states, tables, computed constants and variables.
        delegate_bytes, device_bytes: Bytes that delegates report, such as packed weights.
        lower_bound: No plan of the arena has fewer bytes.
    """

    columns = ("name", "size", "offset", "first_step", "last_step")

    def __init__(self, report, picture=None):
        memory = dict(report["memory"])
        super().__init__([buffer for plan in memory.pop("plans") for buffer in plan["buffers"]])
        self.__dict__.update(memory)
        self._picture = picture

    def _repr_svg_(self):
        return self._picture

    def _summary(self):
        return ["", f"{self.arena_bytes:,} bytes by planner {self.planner}; at least {self.lower_bound:,} are needed"]


class Placement(Table):
    """What runs each node of the main subgraph."""

    columns = ("node", "op", "runs_on", "refusals")

    def __init__(self, report):
        rows = []
        for node in report["subgraphs"][0]["nodes"]:
            refusals = "; ".join(f"{refusal['delegate']}: {refusal['reason']}" for refusal in node["refusals"])
            rows.append(
                {"node": node["index"], "op": node["op"], "runs_on": _server(node["served_by"]), "refusals": refusals}
            )
        super().__init__(rows)
        self._nodes = report["subgraphs"][0]["nodes"]
        self.left_out = {entry["delegate"]: entry["reason"] for entry in report["left_out"]}

    def _repr_svg_(self):
        """A square for each node, in the order of execution, coloured by what runs it."""
        from html import escape

        servers = list(dict.fromkeys(row["runs_on"] for row in self.rows))
        colors = {server: _COLORS[i % len(_COLORS)] for i, server in enumerate(servers)}
        wide = 40
        squares = [
            f'<rect x="{i % wide * 16}" y="{i // wide * 16}" width="15" height="15" fill="{colors[row["runs_on"]]}">'
            f"<title>{escape(' '.join(_cell(row[column]) for column in self.columns))}</title></rect>"
            for i, row in enumerate(self.rows)
        ]
        top = -(-len(self.rows) // wide) * 16 + 8
        for i, server in enumerate(servers):
            y = top + i * 18
            squares.append(
                f'<rect y="{y}" width="12" height="12" fill="{colors[server]}"/><text x="18" y="{y + 10}">'
                f"{escape(server or 'nothing')}: {self.count(server)}</text>"
            )
        return _svg(wide * 16, top + len(servers) * 18, squares)

    def count(self, delegate):
        """The number of nodes that a delegate runs."""
        return sum(row["runs_on"] == delegate for row in self.rows)

    def _require(self, delegate):
        """Raises an error unless the delegate runs every node that is not computed once."""
        others = [node for node in self._nodes if not _is_served_by(node["served_by"], delegate)]
        if not others:
            return
        reasons = self.left_out.get(delegate) or "; ".join(
            f"node {node['index']} ({node['op']}) runs on {_server(node['served_by']) or 'nothing'}: "
            f"{_reason(node, delegate)}"
            for node in others
        )
        total = len(self._nodes)
        raise DelegateError(
            f"delegate '{delegate}' must run every node and runs {total - len(others)} of {total}: {reasons}"
        )


class Profile(Table):
    """The time of each node or step, in execution order."""

    columns = ("op", "output", "runs", "mean_ms", "min_ms", "percent")

    def _repr_svg_(self):
        """A bar for each node or step: its share of the time."""
        from html import escape

        longest = max((row["percent"] for row in self.rows), default=0) or 1
        bars = []
        for i, row in enumerate(self.rows):
            y = i * 18
            bars.append(
                f'<rect x="260" y="{y}" width="{300 * row["percent"] / longest:.1f}" height="14" fill="{_COLORS[0]}"/>'
                f'<text x="252" y="{y + 11}" text-anchor="end">{escape(_shortened(row["op"], 36))}</text>'
                f'<text x="{266 + 300 * row["percent"] / longest:.1f}" y="{y + 11}">'
                f"{row['mean_ms']:.4g} ms, {row['percent']:.3g} %</text>"
            )
        return _svg(700, len(self.rows) * 18, bars)


def _is_served_by(server, delegate):
    """Whether a delegate runs a node, or nothing does because its result is constant."""
    if server is None:
        return False
    if server["kind"] == "inlined":
        return all(_is_served_by(node, delegate) for node in server["nodes"])
    return server["kind"] == "folded" or server["kind"] == "delegate" and server["name"] == delegate


def _reason(node, delegate):
    """Why a delegate does not run a node."""
    reasons = (refusal["reason"] for refusal in node["refusals"] if refusal["delegate"] == delegate)
    return next(reasons, "it does not claim the node")


def _server(server):
    """The delegate or the plugin that runs a node."""
    if server is None:
        return ""
    kind = server["kind"]
    if kind == "delegate":
        return server["name"]
    if kind in ("plugin", "folded"):
        return server["id"]
    if kind == "inlined":
        return ", ".join(dict.fromkeys(map(_server, server["nodes"])))
    return kind


_COLORS = ("#4878a8", "#e49444", "#6a9f58", "#d1615d", "#967662", "#a87c9f", "#e7ca60", "#85b6b2")


def _svg(width, height, parts):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>'
    )


def _shortened(text, length):
    return text if len(text) <= length else text[: length - 1] + "…"


def _cell(value):
    if value is None:
        return "end"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def _is_number(value):
    return value is None or isinstance(value, (int, float))
