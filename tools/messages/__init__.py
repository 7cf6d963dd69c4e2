"""Makes the message catalogues of the pages: English texts from the code, translations beside."""
