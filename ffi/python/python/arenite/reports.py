"""Reports on a model. They print as tables; `rows` has them as dicts, for `pandas.DataFrame(report.rows)`."""

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
        cells = [self.columns, *([_cell(row[column]) for column in self.columns] for row in self.rows)]
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

    def _repr_html_(self):
        """For notebooks."""
        from html import escape

        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        lines = [
            "".join(f"<td>{escape(_cell(row[column]))}</td>" for column in self.columns) for row in self.rows
        ]
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        below = "<br>".join(escape(line) for line in self._summary() if line)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{below}</p>"

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

    def __init__(self, report):
        memory = report["memory"]
        super().__init__([buffer for plan in memory.pop("plans") for buffer in plan["buffers"]])
        self.__dict__.update(memory)

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
        self.left_out = {entry["delegate"]: entry["reason"] for entry in report["left_out"]}

    def count(self, delegate):
        """The number of nodes that a delegate runs."""
        return sum(row["runs_on"] == delegate for row in self.rows)

    def _require(self, delegate):
        if self.count(delegate):
            return
        reasons = self.left_out.get(delegate) or "; ".join(
            f"node {row['node']} ({row['op']}): {row['refusals']}" for row in self.rows if row["refusals"]
        )
        raise DelegateError(f"delegate '{delegate}' is required and runs no node: {reasons or 'it claims none'}")


class Profile(Table):
    """The time of each node or step, in execution order."""

    columns = ("op", "output", "runs", "mean_ms", "min_ms", "percent")


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


def _cell(value):
    if value is None:
        return "end"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def _is_number(value):
    return value is None or isinstance(value, (int, float))
