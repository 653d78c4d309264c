"""What configuration names of other configuration is configuration as well."""

from __future__ import annotations

import pytest

from sarifix.scanners import PRESETS
from sarifix.scanners.references import with_references

CASES = {
    "ruff": ({"a/ruff.toml": "extend = '../base.toml'"}, ["/base.toml"]),
    "bandit": ({".bandit": "[bandit]\nbaseline: old.json\n"}, ["/old.json"]),
    "eslint": (
        {
            "eslint.config.js": 'import a from "./rules/a";\nconst b = require("../out.js")\n',
            "rules/a.js": "import x from './lib'\n",
            "tsconfig.json": '{"extends": ["./tsconfig.base", "pkg"]}',
            "tsconfig.base.json": "{}",
        },
        ["/rules/a.js", "/rules/lib/index.js"],
    ),
    "biome": ({"biome.json": '{"extends": ["shared.json", "@x/y"]}'}, ["/shared.json"]),
    "oxlint": ({".oxlintrc.json": '{"jsPlugins": ["./plug.mjs"]}'}, ["/plug.mjs"]),
    "ast-grep": (
        {"sgconfig.yml": "ruleDirs:\n  - sec\n- './more'  # x\nutilDirs: [tools]\n"},
        ["/more", "/sec", "/tools"],
    ),
    "trivy": (
        {"trivy.yaml": "ignorefile: conf/ignored\nrego:\n  check: [checks]\n"},
        ["/checks", "/conf/ignored"],
    ),
    "checkov": ({".checkov.yaml": "external-checks-dir:\n  - checks\n"}, ["/checks"]),
    "gitleaks": (
        {".gitleaks.toml": 'title = "x"\n[extend]\nuseDefault = true\npath = "base.toml"\n'},
        ["/base.toml"],
    ),
    "ansible-lint": ({".ansible-lint": "rulesdir:\n  - ./rules/\n"}, ["/rules"]),
    "cfn-lint": ({".cfnlintrc": "append_rules: [rules]\n"}, ["/rules"]),
    "hadolint": ({".hadolint.yaml": "config: base.toml\n"}, []),
}
OTHERS = (
    "base.toml", "old.json", "out.js", "rules/lib/index.js", "shared.json", "plug.mjs",
    "sec/r.yml", "more/r.yml", "tools/u.yml", "conf/ignored", "checks/c.rego", "src/a.py",
)  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_each_preset_names(name: str) -> None:
    texts, expected = CASES[name]
    paths = {**dict.fromkeys(OTHERS, ""), **texts}
    preset = PRESETS[name]
    found = with_references(preset, paths, paths.get)
    assert found.config_files == (*preset.config_files, *expected)


def test_never_the_whole_tree_and_nothing_twice() -> None:
    texts = {
        "ruff.toml": "extend = '.'\n",
        "a/ruff.toml": "extend = './'\n",
        "b/ruff.toml": "extend = 'loop [1].toml'\n",
        "b/loop [1].toml": "extend = 'loop [1].toml'\n",
        "c/ruff.toml": "extend = '/etc/passwd'\n",
        "d/ruff.toml": "extend = ''\n",
    }
    preset = PRESETS["ruff"]._replace(config_files=("ruff.toml",))
    found = with_references(preset, texts, texts.get)
    assert found.config_files == ("ruff.toml", "/a", r"/b/loop\ \[1\].toml")
