"""Mutation testing: the code that security hangs on is changed a little, and tests have to fail.

mutmut 3.8 changes nothing outside of functions or in decorated ones, where 272 of these 1,556
mutants are, draws no sample of its own 4,003, and runs every test that reaches the function, 304 in
the median: on two busy cores it had tried 94 after ten minutes. cosmic-ray starts the tests in a
new process for each mutant, which takes 5 seconds of CPU before the first of them runs.
"""
