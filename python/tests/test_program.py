"""The console script is the program."""

import subprocess
import sys

import congenial as cg


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "congenial", *arguments], capture_output=True, text=True)


def test_it_has_the_version_of_the_package():
    assert cg.__version__ in run("--version").stdout


def test_it_releases_and_verifies(tmp_path):
    assert run("demo", "--out", "demo").returncode == 0
    assert run("verify", "demo").returncode == 0
    assert cg.verify("demo").holds


def test_its_exit_codes_arrive():
    assert run("verify", "nowhere").returncode == 2
    assert run("nonsense").returncode == 2
