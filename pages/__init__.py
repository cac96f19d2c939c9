"""The browser pages; the only code beside app.py that knows Streamlit."""
