"""The commonest wishes in Chinese, said in English, for the rules that carry wishes out."""

import re
from functools import cache

from loopwright.agents.pages.offline.studio import resources

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_QUOTES = "\"“”'‘’「」『』《》"
_TO = r"(?:改成|改为|换成|变成|变为|设为|设成|改|替换为|替换成)"
_POLITE = re.compile(r"^(?:请|麻烦|帮我|帮忙|我想|我要|能不能|可以|能否|你)+")
_END = re.compile(r"(?:吗|吧|呢|一下|。|！|？|\s)+$")


def to_english(text: str) -> str | None:
    """The wish in English, as far as the vocabulary goes; None when it is not Chinese or not understood."""
    if _CHINESE.search(text) is None:
        return None
    wish = _END.sub("", _POLITE.sub("", text.strip()))
    for pattern, said in _forms():
        match = pattern.fullmatch(wish)
        if match is not None:
            values = {name: _translated(name, value or "") for name, value in match.groupdict().items()}
            if all(value is not None for value in values.values()):
                return said.format(**values)
    return None


def _translated(kind: str, text: str) -> str | None:
    """A word of the vocabulary in English; texts stay as they are, and sections may be called anything."""
    bare = text.strip().strip(_QUOTES)
    if kind in ("old", "new"):
        return bare or None
    words = resources.read_json("chinese.json")[{"section": "addition"}.get(kind, kind)]
    for word in sorted(words, key=len, reverse=True):
        if bare == word or bare.removesuffix("色") == word or bare.removesuffix("部分") == word:
            return str(words[word])
    if kind == "part" and bare in (additions := resources.read_json("chinese.json")["addition"]):
        return str(additions[bare])
    return bare if kind == "colour" and re.fullmatch(r"#[0-9a-fA-F]{3,8}", bare) else None


@cache
def _forms() -> tuple[tuple[re.Pattern[str], str], ...]:
    """How wishes are put, and the same in English."""
    part, colour = r"(?P<part>[\u4e00-\u9fffA-Za-z]{1,12}?)", r"(?P<colour>[\u4e00-\u9fff]{1,4}|#[0-9a-fA-F]{3,8})"
    section = r"(?P<section>[\u4e00-\u9fffA-Za-z]{1,12}?)(?:部分|区域|板块|模块|栏目)?"
    quoted = rf"[{_QUOTES}](?P<old>[^{_QUOTES}]{{1,80}})[{_QUOTES}]"
    forms = [
        (rf"(?:把|将)?(?:页面的?)?(?:大?标题){_TO}[:：]?(?P<new>.{{1,80}})", "change the title to {new}"),
        (rf"(?:把|将)?{quoted}{_TO}(?P<new>.{{1,80}})", 'rename "{old}" to "{new}"'),
        (rf"(?:把|将)?{part}(?:的?颜色)?{_TO}{colour}", "make the {part} {colour}"),
        (rf"(?:主题色|强调色|主色|品牌色)(?:用|{_TO}){colour}", "set the accent color to {colour}"),
        (rf"(?:删除|删掉|去掉|移除|去除){section}", "remove the {section}"),
        (rf"(?:把|将){section}(?:删除|删掉|去掉|移除)", "remove the {section}"),
        (rf"隐藏{section}", "hide the {section}"),
        (rf"(?:恢复|还原|找回)(?:旧的?|以前的?|之前的?|原来的?)?{section}", "restore the {section}"),
        (rf"(?:添加|增加|加上|加入|加)(?:一个|一段|个)?{section}", "add {section}"),
        (rf"(?:让|把)?{part}(?:变|改)?(?:得)?(?:大一点|大一些|大些|更大|放大)", "make the {part} bigger"),
        (rf"(?:让|把)?{part}(?:变|改)?(?:得)?(?:小一点|小一些|小些|更小|缩小)", "make the {part} smaller"),
        (r"(?:使?用)?(?:方角|直角)", "use square corners"),
        (r"(?:使?用)?(?:圆角|更圆的角)", "use rounder corners"),
    ]
    return tuple((re.compile(pattern), said) for pattern, said in forms)
