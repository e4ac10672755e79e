"""Experiments: several kinds of training, repeated on several games, and the strength of their networks.

An experiment is data (`description`): combinations of settings, players of their networks, games, repetitions, times,
opponents, and what the papers print. The work left follows from it and from the existing results: trainings (run
directories), pairs of matches, solved positions and grades (in the store of results). Each is a job that can be done
again without harm, so that a command killed anywhere goes on. Reports are made from the files alone.
"""
