"""The console: the page at the table, and the HTTP interface behind it.

    ports       what the console needs of a table, and of a laboratory: two protocols
    showing     a view as plain JSON                    facts       what is fixed while a table is open
    feed        the newest state, to every browser      sessions    who a browser is, and its token
    guard       what is refused before a route          answers     JSON in, JSON out, errors
    routes      every route, once, as data              openapi     the same, as a document
    server      the sockets                             static      pages, styles, scripts, texts

Sits on `table`. Must not know devices' bytes nor a hidden card: whatever it says comes from `TableView` and from the
journal (promise P4).
"""
