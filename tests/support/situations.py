"""Situations that a repository can be in, each with the same change in it.

HEAD~1 has ``a.txt`` with one bad line, HEAD adds ``c.txt`` with one. ``a.txt`` has one more
staged and another one that is not. ``n.txt`` is untracked, ``i.log`` is ignored, both are bad.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.repo import Repo
from tests.support.run import Fake

STAGED = ["a.txt:2 staged"]
WORKTREE = ["a.txt:2 staged", "a.txt:3 edited", "n.txt:1 untracked"]
COMMITTED = ["c.txt:1 committed"]


@dataclass(frozen=True)
class Situation:
    """A repository in some state, and what each head must report.

    ``staged`` None: the index has conflicts. ``committed`` None: there is no HEAD~1.
    ``note`` must be part of what is told of the working tree. ``others`` must stay as they are,
    as all of ``top`` must.
    """

    top: Path
    worktree: list[str] = field(default_factory=lambda: list(WORKTREE))
    staged: list[str] | None = field(default_factory=lambda: list(STAGED))
    committed: list[str] | None = field(default_factory=lambda: list(COMMITTED))
    note: str = ""
    others: tuple[Path, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def history(path: Path, fake: Fake, *init: str) -> Repo:
    """Make the two commits at ``path``."""
    path.mkdir(parents=True, exist_ok=True)
    repo = Repo(path)
    repo.git("init", "-q", "-b", "main", *init)
    files = {".sarifix.yaml": fake.config(), ".gitignore": "*.log\n", "a.txt": "BAD(old)\n"}
    repo.write({**files, "out/far.txt": "BAD(far)\n", "out/deep/x.txt": "BAD(x)\n"})
    repo.commit("base")
    repo.write({"c.txt": "BAD(committed)\n"})
    repo.commit("tip")
    return repo


def change(repo: Repo) -> Repo:
    """Stage one bad line, add another one, an untracked file and an ignored one."""
    repo.write({"a.txt": "BAD(old)\nBAD(staged)\n"})
    repo.git("add", "a.txt")
    repo.write({"a.txt": "BAD(old)\nBAD(staged)\nBAD(edited)\n"})
    repo.write({"n.txt": "BAD(untracked)\n", "i.log": "BAD(ignored)\n"})
    return repo


Maker = Callable[[Path, Fake], Situation]
SITUATIONS: dict[str, Maker] = {}


def situation(make: Maker) -> Maker:
    """Add a situation to the list, under its function's name."""
    SITUATIONS[make.__name__.strip("_")] = make
    return make


def posix(make: Maker) -> Maker:
    """Add a situation that needs POSIX file types."""
    return situation(make) if os.name == "posix" else make


@situation
def _ordinary(place: Path, fake: Fake) -> Situation:
    repo = change(history(place, fake))
    repo.git("tag", "v1")
    return Situation(repo.path)


@situation
def _packed_with_a_stash_and_reflogs(place: Path, fake: Fake) -> Situation:
    repo = history(place, fake)
    repo.write({"a.txt": "BAD(stashed)\n"})
    repo.git("stash", "-q")
    repo.git("branch", "other", "HEAD~1")
    repo.git("gc", "-q")
    return Situation(change(repo).path)


@situation
def _unborn(place: Path, fake: Fake) -> Situation:
    repo = Repo.init(place)
    repo.write({".sarifix.yaml": fake.config(), "a.txt": "BAD(staged)\n"})
    repo.git("add", "-A")
    repo.write({"n.txt": "BAD(untracked)\n"})
    return Situation(
        place, ["a.txt:1 staged", "n.txt:1 untracked"], ["a.txt:1 staged"], committed=None
    )


@situation
def _unborn_without_an_index(place: Path, fake: Fake) -> Situation:
    repo = Repo.init(place)
    repo.write({".sarifix.yaml": fake.config(), "n.txt": "BAD(untracked)\n"})
    return Situation(place, ["n.txt:1 untracked"], [], committed=None)


@situation
def _orphan_branch(place: Path, fake: Fake) -> Situation:
    repo = history(place, fake)
    repo.git("switch", "-q", "--orphan", "fresh")
    repo.write({".sarifix.yaml": fake.config(), "n.txt": "BAD(untracked)\n"})
    return Situation(place, ["n.txt:1 untracked"], [], committed=None)


@situation
def _detached(place: Path, fake: Fake) -> Situation:
    repo = history(place, fake)
    repo.git("switch", "-q", "--detach")
    return Situation(change(repo).path)


def _diverged(place: Path, fake: Fake) -> Repo:
    repo = history(place, fake)
    repo.git("switch", "-q", "-c", "other")
    repo.write({"m.txt": "BAD(theirs)\n"})
    repo.commit("other")
    repo.git("switch", "-q", "main")
    repo.write({"m.txt": "BAD(ours)\n", "c2.txt": "fine\n"})
    repo.commit("ours")
    return repo


@situation
def _merge_with_conflicts(place: Path, fake: Fake) -> Situation:
    repo = _diverged(place, fake)
    repo.git("merge", "-q", "other", check=False)
    assert repo.git("ls-files", "-u")
    repo.write({"n.txt": "BAD(untracked)\n"})
    return Situation(place, ["m.txt:4 theirs", "n.txt:1 untracked"], staged=None, committed=None)


@situation
def _merge_resolved(place: Path, fake: Fake) -> Situation:
    repo = _diverged(place, fake)
    repo.git("merge", "-q", "other", check=False)
    repo.write({"m.txt": "BAD(ours)\nBAD(both)\n"})
    repo.git("add", "m.txt")
    return Situation(place, ["m.txt:2 both"], ["m.txt:2 both"], committed=None)


@situation
def _rebase_in_progress(place: Path, fake: Fake) -> Situation:
    repo = history(place, fake)
    edit = {"GIT_SEQUENCE_EDITOR": "sed -i.bak s/^pick/edit/"}
    repo.git("rebase", "-q", "-i", "HEAD~1", env=edit)
    assert (place / ".git" / "rebase-merge").is_dir()
    return Situation(change(repo).path)


@situation
def _cherry_pick_in_progress(place: Path, fake: Fake) -> Situation:
    repo = _diverged(place, fake)
    repo.git("cherry-pick", "other", check=False)
    assert (place / ".git" / "CHERRY_PICK_HEAD").exists()
    repo.write({"m.txt": "BAD(ours)\nBAD(picked)\n"})
    repo.git("add", "m.txt")
    return Situation(place, ["m.txt:2 picked"], ["m.txt:2 picked"], committed=None)


@situation
def _locked_by_another_git(place: Path, fake: Fake) -> Situation:
    repo = change(history(place, fake))
    for name in ("index.lock", "HEAD.lock", "config.lock"):
        (place / ".git" / name).touch()
    return Situation(repo.path)


@situation
def _linked_worktree(place: Path, fake: Fake) -> Situation:
    main = history(place / "main", fake)
    main.git("worktree", "add", "-q", "../linked", "-b", "linked")
    repo = change(Repo(place / "linked"))
    return Situation(repo.path, others=(main.path,))


@situation
def _separate_git_directory(place: Path, fake: Fake) -> Situation:
    repo = history(place / "work", fake, "--separate-git-dir", "../elsewhere")
    return Situation(change(repo).path)


def _superproject(place: Path, fake: Fake) -> Repo:
    library = history(place / "library", fake)
    outer = history(place / "outer", fake)
    allow = ("-c", "protocol.file.allow=always")
    outer.git(*allow, "submodule", "--quiet", "add", str(library.path), "lib.txt")
    outer.commit("with a submodule")
    return outer


@situation
def _inside_a_submodule(place: Path, fake: Fake) -> Situation:
    outer = _superproject(place, fake)
    inner = change(Repo(outer.path / "lib.txt"))
    return Situation(inner.path, others=(outer.path,))


@situation
def _superproject_of_a_dirty_submodule(place: Path, fake: Fake) -> Situation:
    outer = _superproject(place, fake)
    change(Repo(outer.path / "lib.txt"))
    return Situation(change(outer).path, committed=[])


@situation
def _superproject_of_a_submodule_with_a_new_commit(place: Path, fake: Fake) -> Situation:
    outer = _superproject(place, fake)
    change(Repo(outer.path / "lib.txt")).commit("new")
    note = "lib.txt is a repository of its own"
    return Situation(change(outer).path, committed=[], note=note)


def _sparse(place: Path, fake: Fake, *options: str) -> Repo:
    repo = history(place, fake)
    repo.write({"in/y.txt": "BAD(y)\n", "in/deep/z.txt": "z\n"})
    repo.git("add", "in")
    repo.git("commit", "-q", "--amend", "--no-edit")
    repo.git("sparse-checkout", "set", *options)
    assert not (place / "out").exists()
    return change(repo)


@situation
def _sparse_checkout_in_cone_mode(place: Path, fake: Fake) -> Situation:
    repo = _sparse(place, fake, "--cone", "in")
    return Situation(repo.path, committed=[*COMMITTED, "in/y.txt:1 y"])


@situation
def _sparse_checkout_by_patterns(place: Path, fake: Fake) -> Situation:
    repo = _sparse(place, fake, "--no-cone", "/*", "!/out/")
    return Situation(repo.path, committed=[*COMMITTED, "in/y.txt:1 y"])


@situation
def _sparse_index(place: Path, fake: Fake) -> Situation:
    repo = _sparse(place, fake, "--cone", "--sparse-index", "in")
    assert "out/\n" in repo.git("ls-files", "--sparse") + "\n"
    return Situation(repo.path, committed=[*COMMITTED, "in/y.txt:1 y"])


@situation
def _sparse_checkout_with_a_file_outside_of_it(place: Path, fake: Fake) -> Situation:
    repo = _sparse(place, fake, "--cone", "in")
    repo.write({"out/far.txt": "BAD(far)\nBAD(hidden)\n"})
    return Situation(
        repo.path, committed=[*COMMITTED, "in/y.txt:1 y"], note="the edit was left out: out/far.txt"
    )


@situation
def _shallow_clone(place: Path, fake: Fake) -> Situation:
    source = history(place / "source", fake)
    source.write({"d.txt": "fine\n"})
    source.commit("one more")
    source.git("clone", "-q", "--depth", "1", source.path.as_uri(), "../clone")
    return Situation(change(Repo(place / "clone")).path, committed=None)


@situation
def _partial_clone(place: Path, fake: Fake) -> Situation:
    source = history(place / "source", fake)
    source.git("config", "uploadpack.allowFilter", "true")
    source.git("clone", "-q", "--filter=blob:none", source.path.as_uri(), "../clone")
    return Situation(change(Repo(place / "clone")).path, others=(source.path,))


@situation
def _clone_that_shares_its_objects(place: Path, fake: Fake) -> Situation:
    source = history(place / "source", fake)
    source.git("clone", "-q", "--shared", ".", "../clone")
    return Situation(change(Repo(place / "clone")).path, others=(source.path,))


@situation
def _clone_with_a_relative_alternate(place: Path, fake: Fake) -> Situation:
    source = history(place / "source", fake)
    source.git("clone", "-q", "--shared", ".", "../clone")
    alternates = place / "clone" / ".git" / "objects" / "info" / "alternates"
    alternates.write_text("../../../source/.git/objects\n")
    return Situation(change(Repo(place / "clone")).path, others=(source.path,))


@situation
def _clone_of_a_clone_that_shares(place: Path, fake: Fake) -> Situation:
    source = history(place / "0", fake)
    for number in range(1, 5):
        source.git("clone", "-q", "--shared", f"../{number - 1}", f"../{number}")
    return Situation(change(Repo(place / "4")).path, others=(source.path,))


@situation
def _split_index(place: Path, fake: Fake) -> Situation:
    repo = history(place, fake)
    repo.git("config", "core.splitIndex", "true")
    repo.git("config", "splitIndex.maxPercentChange", "0")  # each writing makes a shared one
    change(repo)
    assert list((place / ".git").glob("sharedindex.*"))
    return Situation(repo.path)


@situation
def _index_of_version_4_with_an_untracked_cache(place: Path, fake: Fake) -> Situation:
    repo = history(place, fake)
    repo.git("update-index", "--index-version", "4", "--force-untracked-cache")
    change(repo).git("status")
    return Situation(repo.path)


@situation
def _sha256(place: Path, fake: Fake) -> Situation:
    return Situation(change(history(place, fake, "--object-format=sha256")).path)


@situation
def _intent_to_add(place: Path, fake: Fake) -> Situation:
    repo = change(history(place, fake))
    repo.git("add", "-N", "n.txt")
    return Situation(repo.path)


@situation
def _ignored_but_tracked(place: Path, fake: Fake) -> Situation:
    repo = change(history(place, fake))
    repo.write({".gitignore": "*.log\nforced.txt\n", "forced.txt": "BAD(forced)\n"})
    repo.git("add", "-f", "forced.txt", ".gitignore")
    forced = "forced.txt:1 forced"
    return Situation(repo.path, [*WORKTREE[:2], forced, WORKTREE[2]], [*STAGED, forced])


@posix
def _assume_unchanged_and_skip_worktree(place: Path, fake: Fake) -> Situation:
    repo = history(place, fake)
    repo.write({"assumed.txt": "a\n", "skipped.txt": "s\n", "deleted.txt": "d\n"})
    (repo.path / "skipped-link.txt").symlink_to("a.txt")
    repo.commit("more")
    repo.git("update-index", "--assume-unchanged", "assumed.txt", "deleted.txt")
    repo.git("update-index", "--skip-worktree", "skipped.txt", "skipped-link.txt")
    repo.write({"assumed.txt": "BAD(hidden)\n", "skipped.txt": "BAD(hidden)\n"})
    repo.remove("deleted.txt", "skipped-link.txt")
    (repo.path / "skipped-link.txt").symlink_to("elsewhere.txt")
    names = "assumed.txt, deleted.txt, skipped-link.txt, skipped.txt"
    return Situation(change(repo).path, committed=[], note=f"was left out: {names}")


@situation
def _working_tree_elsewhere(place: Path, fake: Fake) -> Situation:
    """The tree of a dotfiles manager: told of by the environment alone."""
    repo = change(history(place / "first", fake))
    git_dir = place / "dotfiles.git"
    shutil.move(repo.path / ".git", git_dir)
    repo.git("config", "core.worktree", str(repo.path), env={"GIT_DIR": str(git_dir)})
    return Situation(repo.path, env={"GIT_DIR": str(git_dir)})


@situation
def _index_elsewhere(place: Path, fake: Fake) -> Situation:
    repo = history(place / "repo", fake)
    index = place / "index of a commit"
    shutil.copy2(repo.path / ".git" / "index", index)
    repo.write({"a.txt": "BAD(old)\nBAD(staged)\n"})
    repo.git("add", "a.txt", env={"GIT_INDEX_FILE": str(index)})
    repo.write({"a.txt": "BAD(old)\nBAD(staged)\nBAD(edited)\n", "n.txt": "BAD(untracked)\n"})
    return Situation(repo.path, env={"GIT_INDEX_FILE": str(index)}, others=(index.parent,))


def _with_config(*settings: tuple[str, str], attributes: str = "") -> Maker:
    def make(place: Path, fake: Fake) -> Situation:
        repo = change(history(place, fake))
        for name, value in settings:
            repo.git("config", name, value)
        (place / ".git" / "info" / "attributes").write_text(attributes)
        return Situation(repo.path)

    return make


SITUATIONS["autocrlf"] = _with_config(("core.autocrlf", "true"), ("core.safecrlf", "true"))
SITUATIONS["autocrlf_input"] = _with_config(("core.autocrlf", "input"), ("core.safecrlf", "warn"))
SITUATIONS["eol_crlf"] = _with_config(("core.eol", "crlf"), attributes="* text=auto\n")
SITUATIONS["many_settings"] = _with_config(
    ("core.checkStat", "minimal"),
    ("core.trustctime", "false"),
    ("core.ignoreStat", "true"),
    ("core.fileMode", "false"),
    ("core.quotePath", "true"),
    ("diff.renames", "false"),
    ("diff.noprefix", "true"),
    ("diff.orderFile", "a.txt"),
    ("diff.ignoreSubmodules", "all"),
    ("status.showUntrackedFiles", "no"),
    ("add.ignoreErrors", "false"),
    ("core.sharedRepository", "group"),
    ("core.multiPackIndex", "true"),
    ("index.threads", "true"),
    ("feature.manyFiles", "true"),
    ("core.compression", "9"),
)


@situation
def _crlf_in_the_working_tree(place: Path, fake: Fake) -> Situation:
    repo = history(place, fake)
    repo.git("config", "core.autocrlf", "true")
    change(repo)
    for name in ("a.txt", "c.txt", "n.txt"):
        file = place / name
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    return Situation(repo.path)


@situation
def _mixed_line_ends_under_safecrlf(place: Path, fake: Fake) -> Situation:
    repo = change(history(place, fake))
    repo.git("config", "core.autocrlf", "input")
    repo.git("config", "core.safecrlf", "true")
    repo.write({"n.txt": "BAD(untracked)\r\nmixed\n"})
    return Situation(repo.path)


@situation
def _required_filter_that_is_missing(place: Path, fake: Fake) -> Situation:
    repo = history(place, fake)
    for key in ("clean", "smudge", "process"):
        repo.git("config", f"filter.big.{key}", "no-such-program")
    repo.git("config", "filter.big.required", "true")
    (place / ".git" / "info" / "attributes").write_text("*.txt filter=big\n")
    repo.write({"a.txt": "BAD(old)\nBAD(edited)\n", "n.txt": "BAD(untracked)\n"})
    worktree = ["a.txt:2 edited", "n.txt:1 untracked"]
    return Situation(place, worktree, staged=[], note="files were taken without filters")


@situation
def _nested_repositories(place: Path, fake: Fake) -> Situation:
    repo = change(history(place, fake))
    Repo.init(place / "with-commit", {"x.txt": "BAD(nested)\n"})
    Repo.init(place / "without").write({"x.txt": "BAD(nested)\n"})
    return Situation(repo.path, note="nested repository without a commit, left out: without/")


@posix
def _links(place: Path, fake: Fake) -> Situation:
    outside = place / "outside"
    outside.mkdir()
    (outside / "o.txt").write_text("BAD(outside)\n")
    repo = change(history(place / "repo", fake))
    for name, target in {
        "out-of-the-tree.txt": "../outside/o.txt",
        "absolute.txt": str(outside / "o.txt"),
        "dangling.txt": "nowhere",
        "directory.txt": "../outside",
        "loop.txt": "loop.txt",
        "same.txt": "a.txt",
    }.items():
        (repo.path / name).symlink_to(target)
    return Situation(repo.path, others=(outside,))


@posix
def _pipes_and_devices(place: Path, fake: Fake) -> Situation:
    repo = change(history(place, fake))
    os.mkfifo(place / "untracked-pipe.txt")
    repo.remove("c.txt")
    os.mkfifo(place / "c.txt", stat.S_IRUSR | stat.S_IWUSR)
    return Situation(repo.path, note="c.txt could not be read and was not checked")
