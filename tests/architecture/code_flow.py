"""Which error codes the source can raise, followed from where they are written to where they are given. Not a test.

Whatever has a parameter or field called `code` takes codes: the classes of the tree, alarms, holds, and the small
functions that raise for others. The argument of every call is followed through conditions, assignments, tables and the
returns of functions of the same module, back to the strings. What cannot be followed is reported, never guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef

OTHER_CODES = frozenset({"Field", "ClearAlarm", "HoldCleared"})
"""What takes a `code` of another kind: a field's letter of `struct`, the name of a question that is open already."""


@dataclass
class Found:
    """Codes with the places that give them, and places whose code could not be followed."""

    codes: dict[str, list[str]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)


def codes_in(files: dict[str, str]) -> Found:
    """Follow the codes of `files`, a text for each name."""
    modules = {name: ast.parse(text) for name, text in files.items()}
    takers = _takers(modules.values())
    found = Found()
    for name, tree in modules.items():
        module = _Module(tree)
        known = takers | _takers([tree], private=True)
        for call, inside in _calls(tree):
            argument = _code_argument(call, known)
            if argument is None:
                continue
            where = f"{name}:{call.lineno}"
            values = module.strings(argument, inside)
            if values is None:
                found.lost.append(f"{where} {ast.unparse(argument)}")
            for code in values or ():
                found.codes.setdefault(code, []).append(where)
    return found


def source_files(source: Path, *, without: tuple[str, ...]) -> dict[str, str]:
    """Read the Python files under `source`, but not the rooms or files called as one of `without`."""
    return {
        str(path.relative_to(source)): path.read_text()
        for path in sorted(source.rglob("*.py"))
        if not set(path.relative_to(source).parts) & set(without)
    }


def _takers(trees: Iterable[ast.Module], *, private: bool = False) -> dict[str, set[int]]:
    """Return for every callable with a parameter `code` the places it may stand at, counted without `self`.

    Names with an underscore belong to their own module and are asked for by themselves.
    """
    takers: dict[str, set[int]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            place = _place_of_code(node)
            if place is None or not isinstance(node, Function | ast.ClassDef) or node.name in OTHER_CODES:
                continue
            if node.name.startswith("_") != private:
                continue
            takers.setdefault(node.name, set()).add(place)
            for other in ast.walk(tree):
                if isinstance(other, ast.ClassDef) and node.name in {ast.unparse(base) for base in other.bases}:
                    takers.setdefault(other.name, set()).add(place)
    return takers


def _place_of_code(node: ast.AST) -> int | None:
    """Return where a function, or a class by its `__init__` or the order of its fields, takes a code, a text."""
    match node:
        case ast.FunctionDef(name="__init__"):
            return None
        case ast.FunctionDef(args=arguments) | ast.AsyncFunctionDef(args=arguments):
            taken = [argument for argument in arguments.args if argument.arg not in {"self", "cls"}]
            return _place([(argument.arg, argument.annotation) for argument in taken])
        case ast.ClassDef(body=body):
            for item in body:
                if isinstance(item, ast.FunctionDef) and item.name == "__init__":
                    return _place([(argument.arg, argument.annotation) for argument in item.args.args[1:]])
            return _place(
                [
                    (item.target.id, item.annotation)
                    for item in body
                    if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
                ]
            )
        case _:
            return None


def _place(parameters: list[tuple[str, ast.expr | None]]) -> int | None:
    kept = [
        (name, ast.unparse(kind) if kind else "")
        for name, kind in parameters
        if "ClassVar" not in (ast.unparse(kind) if kind else "")
    ]
    return next((place for place, (name, kind) in enumerate(kept) if name == "code" and kind.startswith("str")), None)


def _calls(tree: ast.Module) -> Iterator[tuple[ast.Call, Function | None]]:
    """Yield every call with the function that it stands in."""
    stack: list[tuple[ast.AST, Function | None]] = [(tree, None)]
    while stack:
        node, inside = stack.pop()
        if isinstance(node, ast.Call):
            yield node, inside
        inner = node if isinstance(node, Function) else inside
        stack += [(child, inner) for child in ast.iter_child_nodes(node)]


def _code_argument(call: ast.Call, takers: dict[str, set[int]]) -> ast.expr | None:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    for place in takers.get(name, ()):
        for keyword in call.keywords:
            if keyword.arg == "code":
                return keyword.value
        if call.args and isinstance(call.args[0], ast.Starred):
            return call.args[0].value
        if place < len(call.args):
            return call.args[place]
    return None


class _Module:
    """One module's tables and functions."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
        self.names: dict[str, ast.expr] = {}
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.names[node.targets[0].id] = node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                self.names[node.target.id] = node.value

    def strings(self, value: ast.expr, inside: Function | None, element: int = 0) -> set[str] | None:
        """Return the strings that `value` can be (the first of a tuple), or None where that cannot be followed."""
        match value:
            case ast.Constant(value=str(text)):
                return {text}
            case ast.Constant():
                return set()
            case ast.IfExp(body=one, orelse=other):
                return self._all([one, other], inside, element)
            case ast.Tuple(elts=parts) if element < len(parts):
                return self.strings(parts[element], inside)
            case ast.Attribute(attr="code" | "alarm") | ast.Call(args=[ast.Subscript(slice=ast.Constant("code"))]):
                return set()  # carried on by something whose own making is followed
            case ast.Dict(values=values):
                return self._all(values, inside, element)
            case ast.Subscript(value=table):
                return self.strings(table, inside, element)
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[_, *default]):
                return self._all([table, *default], inside, element)
            case ast.Call(func=ast.Name(id=name)) if name in self.functions:
                return self._returned(self.functions[name], element)
            case ast.Name(id=name):
                return self._named(name, inside, element)
            case _:
                return None

    def _all(self, values: list[ast.expr], inside: Function | None, element: int) -> set[str] | None:
        found = [self.strings(value, inside, element) for value in values]
        return None if None in found else set().union(*(each for each in found if each is not None))

    def _returned(self, function: Function, element: int) -> set[str] | None:
        values = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
        return self._all(values, function, element)

    def _named(self, name: str, inside: Function | None, element: int) -> set[str] | None:
        assigned: list[tuple[ast.expr, int]] = []
        for node in ast.walk(inside) if inside is not None else ():
            if not isinstance(node, ast.Assign):
                continue
            match node.targets[0]:
                case ast.Name(id=target) if target == name:
                    assigned.append((node.value, element))
                case ast.Tuple(elts=targets):
                    assigned += [
                        (node.value, place) for place, target in enumerate(targets) if ast.unparse(target) == name
                    ]
                case _:
                    pass
        if assigned:
            found = [self.strings(value, inside, place) for value, place in assigned]
            return None if None in found else set().union(*(each for each in found if each is not None))
        if inside is not None and name == "code" and "code" in {argument.arg for argument in inside.args.args}:
            return set()  # its callers are followed
        return self.strings(self.names[name], None, element) if name in self.names else None
