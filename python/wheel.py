"""Makes a wheel of this package and of a built program: python3 wheel.py PROGRAM OS/ARCH VERSION FOLDER [MODULES].

The wheel has no code to build: the program is one of its scripts, as a wheel of any command-line tool has it. MODULES is
a CycloneDX list of the program's modules. Equal inputs give equal bytes.
"""

import base64
import hashlib
import stat
import sys
import zipfile
from pathlib import Path

# What a wheel's file name calls the systems. The program links no C library, so any Linux will do; Go 1.26 needs
# macOS 12.
TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}

METADATA = """Metadata-Version: 2.1
Name: anchorage
Version: {version}
Summary: Topics, anchor items and recommendations from documents with huge vocabularies
License: Apache-2.0
Requires-Python: >=3.8
Requires-Dist: numpy>=1.20
Provides-Extra: sklearn
Requires-Dist: scikit-learn>=1.0; extra == 'sklearn'
Description-Content-Type: text/markdown

"""


def main(program, system, version, folder, modules=None):
    here = Path(__file__).resolve().parent
    tag = "py3-none-" + TAGS[system]
    name, info = f"anchorage-{version}", f"anchorage-{version}.dist-info"
    script = "anchorage.exe" if system.startswith("windows/") else "anchorage"
    files = {f"anchorage/{each.name}": each.read_bytes() for each in sorted((here / "anchorage").glob("*.py*"))
             if each.is_file()}
    files[f"{name}.data/scripts/{script}"] = Path(program).read_bytes()
    files[f"{info}/METADATA"] = (METADATA.format(version=version)
                                 + (here / "README.md").read_text(encoding="utf-8")).encode()
    files[f"{info}/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: anchorage\nRoot-Is-Purelib: false\n" + "".join(
        f"Tag: py3-none-{each}\n" for each in TAGS[system].split("."))).encode()
    files[f"{info}/licenses/LICENSE"] = (here.parent / "LICENSE").read_bytes()
    if modules:
        files[f"{info}/sboms/anchorage.cdx.json"] = Path(modules).read_bytes()
    record = "".join(f"{path},sha256={digest(content)},{len(content)}\n" for path, content in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    target = Path(folder) / f"{name}-{tag}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            # pip makes a script executable only if the archive calls it a regular file.
            entry.external_attr = (stat.S_IFREG | (0o755 if "/scripts/" in path else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    print(f"{target.name}: {target.stat().st_size / 1e6:.1f} MB")


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main(*sys.argv[1:])
