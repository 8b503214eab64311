"""Do the tests notice?  Random changes of operators, numbers and conditions, one at a time.

``make mutants`` draws places in the code, lets cosmic-ray change each, and runs the tests of the
module; a mutant that they do not notice meets those of the whole folder.
"""
