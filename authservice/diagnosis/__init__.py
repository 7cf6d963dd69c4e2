"""Diagnosis of a deployment: what is wrong with it, from what cause, and what remedies it.

``before`` examines configuration and machine before a deployment; ``after`` examines the deployed
service from outside, as its users meet it. Both only look: neither makes or changes anything.
"""
