"""Tokens of a text by a TextMate grammar of which each pattern is a match, or a region whose patterns are matches. Regular expressions are those of
Python, which for such grammars are the same as Oniguruma's."""

import re


def compiled(pattern):
    kind = {"name": pattern.get("name"), "captures": {int(k): v["name"] for k, v in pattern.get("captures", {}).items()}}
    if "begin" in pattern:
        inner = [compiled(one) for one in pattern.get("patterns", [])]
        return {**kind, "regex": re.compile(pattern["begin"]), "end": re.compile(pattern["end"]), "inner": inner}
    return {**kind, "regex": re.compile(pattern["match"], re.MULTILINE)}


class Grammar:
    def __init__(self, grammar):
        self.patterns = [compiled(pattern) for pattern in grammar["patterns"]]

    def scopes(self, text):
        """The scope of each character of a text; None for those without one. Lines are read one by one, as editors do."""
        scopes = []
        region = None
        for line in text.splitlines(keepends=True):
            of_line = [None] * len(line)
            at = 0
            while at < len(line):
                at, region = self._step(line, at, region, of_line)
            scopes += of_line
        return scopes

    def _step(self, line, at, region, scopes):
        if region is None:
            matches = [(found.start(), k, found) for k, one in enumerate(self.patterns) if (found := one["regex"].search(line, at))]
            if not matches:
                return len(line), None
            _, k, found = min(matches[:], key=lambda m: m[:2])
            pattern = self.patterns[k]
            self._mark(pattern, found, scopes)
            return max(found.end(), at + 1), pattern if "end" in pattern else None
        inner = [(found.start(), k + 1, found) for k, one in enumerate(region["inner"]) if (found := one["regex"].search(line, at))]
        end = region["end"].search(line, at)
        if end is not None:
            inner.append((end.start(), 0, end))
        if not inner:
            scopes[at:] = [region["name"]] * (len(line) - at)
            return len(line), region
        _, k, found = min(inner, key=lambda m: m[:2])
        scopes[at:found.end()] = [region["name"]] * (found.end() - at)
        if k == 0:
            return found.end(), None
        self._mark(region["inner"][k - 1], found, scopes)
        return max(found.end(), at + 1), region

    @staticmethod
    def _mark(pattern, found, scopes):
        if pattern["name"]:
            scopes[found.start():found.end()] = [pattern["name"]] * (found.end() - found.start())
        for group, name in pattern["captures"].items():
            if found.start(group) >= 0:
                scopes[found.start(group):found.end(group)] = [name] * (found.end(group) - found.start(group))
