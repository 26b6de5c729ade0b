#!/usr/bin/env python3
"""Packs the extension for VS Code, without network.

    make_vsix.py OUT.vsix

A .vsix file is a zip archive with a manifest and the types of its files, and the extension's files in the folder extension/. The archive of the same
files is the same, byte for byte. `code --install-extension OUT.vsix` installs it.
"""
import json
import re
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "packaging/editors/vscode"
FILES = ["package.json", "extension.js", "client.js", "language-configuration.json", "syntaxes/nesl.tmLanguage.json", "README.md"]
TYPES = {".json": "application/json", ".js": "application/javascript", ".md": "text/markdown", ".txt": "text/plain", ".vsixmanifest": "text/xml"}

MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={id} Version={version} Publisher={publisher}/>
    <DisplayName>{name}</DisplayName>
    <Description xml:space="preserve">{description}</Description>
    <Tags>nesl,__ext_nesl</Tags>
    <Categories>{categories}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionDependencies" Value=""/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionPack" Value=""/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def manifest(package: dict) -> str:
    return MANIFEST.format(id=quoteattr(package["name"]), version=quoteattr(package["version"]), publisher=quoteattr(package["publisher"]),
                           name=escape(package["displayName"]), description=escape(package["description"]),
                           categories=escape(",".join(package["categories"])), engine=quoteattr(package["engines"]["vscode"]))


def content_types() -> str:
    rows = "".join(f'<Default Extension="{suffix}" ContentType="{kind}"/>' for suffix, kind in TYPES.items())
    return f'<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{rows}</Types>\n'


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("make_vsix.py: give the name of the file to write")
    package = json.loads((SOURCE / "package.json").read_text())
    version = re.search(r"project\(nesl VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    if version is None or package["version"] != version[1]:
        sys.exit(f"make_vsix.py: vscode/package.json has the version {package['version']}, the project another one")
    contents = {"extension.vsixmanifest": manifest(package), "[Content_Types].xml": content_types(),
                "extension/LICENSE.txt": (ROOT / "LICENSE").read_text()}
    contents |= {f"extension/{file}": (SOURCE / file).read_text() for file in FILES}
    try:
        with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in contents.items():
                archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    except OSError as error:
        sys.exit(f"make_vsix.py: {sys.argv[1]} cannot be written: {error.strerror}")


main()
