"""Do the tests notice?  Changes of operators, numbers, terms and conditions, one at a time.

``make mutants`` draws places in the code and changes each as cosmic-ray does, or as `edits` does.
A mutant meets the tests that call the function it is in, the fastest first, as far as they take
`SECONDS` together, and then those of its module; these run in forks of one process (`bench`).
``FOLDERS=by_hand`` tries the changes of ``by_hand.toml`` instead, with the tests that it names.
``--again`` tries only what was not noticed before.
"""
