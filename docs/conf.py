"""Sphinx settings.  Nothing here or in the site needs a network."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]
# kernels of notebooks read the same sources
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH")])
)

import farkas  # noqa: E402

project = "farkas"
author = "the farkas authors"
copyright = "the farkas authors, MIT licence"
release = version = farkas.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "farkas_docs",
]
exclude_patterns = ["_build", "_ext", "generated/listings"]  # listings: parts of pages
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
smartquotes = False  # `--json` stays what one types
html_math_renderer = "farkas"  # MathML, drawn by the browser with the font of the site

# Notebooks run once, and again when their text changes; what they print is kept between builds.
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE / "_build" / ".notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
# kinds have classes of the same name; annotations name them without their module
suppress_warnings = ["ref.python"]
autodoc_use_type_comments = False
autosummary_generate = False
toc_object_entries = False  # thousands of objects in every page's contents
numpydoc_show_class_members = False

# what is copied is what one types
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"farkas {release}"
html_static_path = ["_static"]
html_css_files = ["farkas.css"]
html_show_sphinx = False
html_use_index = html_domain_indices = False  # the search finds more
html_copy_source = False
html_show_sourcelink = False
