"""Sphinx settings.  Nothing here or in the build needs a network."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]

import farkas  # noqa: E402

project = "farkas"
author = "the farkas authors"
release = version = farkas.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.mathjax",
    "numpydoc",
    "farkas_docs",
]
exclude_patterns = ["_build", "_ext", "generated/listings"]  # listings: parts of pages
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
# kinds have classes of the same name; annotations name them without their module
suppress_warnings = ["ref.python"]
autosummary_generate = False
numpydoc_show_class_members = False

# The prompts of the pages; those of docstrings run with their module's names, in the tests.
doctest_test_doctest_blocks = ""

html_theme = "furo"
html_title = f"farkas {release}"
html_static_path = ["_static"]
html_css_files = ["farkas.css"]
html_show_sphinx = False
# Formulas carry their labels in the text beside them, so MathJax numbers nothing.
mathjax3_config = {"tex": {"tags": "none"}}
