#!/usr/bin/python3
"""Makes documents of Debian's packages, and labels of what is in them, from a list of packages.

    apt-cache dumpavail | bench/peers/debian.py BASKETS.txt SECTIONS.csv

A document is the packages that a package depends on, recommends or suggests, at least 3; the label of an item is the section of that
package, such as python or libdevel.
"""

import csv
import re
import sys

NAME = re.compile(r"[a-z0-9][a-z0-9+.-]+")


def packages(lines):
    """Yields the fields of every package."""
    fields, last = {}, None
    for line in lines:
        if line == "\n":
            if fields:
                yield fields
            fields = {}
        elif line[0] in " \t":
            fields[last] += line.strip()
        else:
            last, _, value = line.partition(":")
            fields[last] = value.strip()
    if fields:
        yield fields


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sections, documents = {}, []
    for fields in packages(sys.stdin):
        sections[fields["Package"]] = fields.get("Section", "").rpartition("/")[2]
        needs = set()
        for field in ("Pre-Depends", "Depends", "Recommends", "Suggests"):
            for one in re.split("[,|]", fields.get(field, "")):
                name = NAME.match(one.strip())
                if name:
                    needs.add(name.group())
        if len(needs) >= 3:
            documents.append(" ".join(sorted(needs)))
    with open(sys.argv[1], "w") as out:
        out.write("\n".join(documents) + "\n")
    with open(sys.argv[2], "w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(("item", "label"))
        rows.writerows((name, section) for name, section in sorted(sections.items()) if section)


if __name__ == "__main__":
    main()
