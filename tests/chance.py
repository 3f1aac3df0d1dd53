"""How far random numbers may stray before a test says that something is wrong."""

# In standard errors: right code leaves these limits less than once in a hundred thousand million
# times, whatever the seed.
SIGMAS = 7
