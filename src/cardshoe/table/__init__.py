"""The table: where rounds, devices, journal and people are joined. Nothing else joins them."""
