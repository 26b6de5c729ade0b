"""The Jupyter kernel of NESL, for notebooks whose cells are NESL: python -m nesl.kernel install. docs/python.md is the manual."""
