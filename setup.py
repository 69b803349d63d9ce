"""What pyproject.toml cannot say: the sheets in units/ are packaged as simlab/units."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["simlab", "simlab.*"]), "simlab.units"],
    package_dir={"simlab.units": "units"},
    package_data={"simlab": ["**/*.md", "reports/templates/*", "rules/*/charts/*.yaml"], "simlab.units": ["*/*.yaml", "*/*.csv"]},
)
