"""`loopwright pages`: a brief becomes a linked mobile app prototype, to be refined, compared and taken along."""

from loopwright.agents.pages.commands import check, history, product_doc, promises, tokens
from loopwright.agents.pages.commands import promises as link
from loopwright.agents.pages.commands import tokens as export
from loopwright.agents.pages.commands.history import app

app.command("check", help=check.HELP)(check.check)
app.command("doc", help=product_doc.HELP)(product_doc.doc)
app.command("export", help=export.HELP)(export.export)
app.command("link", help=link.HELP)(link.link)
app.command("promises", help=promises.PROMISES_HELP)(promises.promises)
app.command("withdraw", help=promises.WITHDRAW_HELP)(promises.withdraw)
app.command("history")(history.history)
app.command("diff")(history.diff)
app.command("undo")(history.undo)
app.command("redo")(history.redo)
app.command("restore")(history.restore)
app.command("delete")(history.delete)
app.command("tokens", help=tokens.TOKENS_HELP)(tokens.tokens)
app.command("token", help=tokens.CHANGE_HELP, context_settings=tokens.WITH_TOKENS)(tokens.token)

__all__ = ["app"]
