"""The words in which people speak of apps, in English, German and Chinese: what frames a statement, what it asks."""

import re
from collections.abc import Iterable, Sequence

from loopwright.kernel.account.reading import hard_tokens, read_values

# Whether words stand in a text: whole words in any of their usual endings, Chinese as it is written.

_PIECE = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+(?:['’-][^\W_\u3400-\u9fff]+)*")
_ELIDED = re.compile(r"^(?:[cdjlmnst]|qu)['’](?=\w{2})")
"""A French article or preposition before a vowel: the "d'" of "horaires d'ouverture"."""
HAN = re.compile(r"[\u3400-\u9fff]")
_ENDINGS = frozenset(("", "s", "es", "e", "en", "n", "er", "ern", "em", "y", "ies", "ing", "ings", "ung", "ed"))
ECHO_WORDS = 7
ECHO_HAN = 14
LONGEST = 160
"""Characters of a text within which words count as said together."""
SENTENCE = re.compile(r"(?<=[.!?;])\s+|[。！？；\n]")


def pieces(text: str) -> list[str]:
    """The words of a text in lower case; a run of Chinese is one."""
    return [_ELIDED.sub("", piece.casefold()) for piece in _PIECE.findall(text)]


def same(one: str, other: str) -> bool:
    """Whether two words are the same but for their endings."""
    if one == other:
        return True
    common = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        common += 1
    return common >= 3 and common * 2 >= len(one) and one[common:] in _ENDINGS and other[common:] in _ENDINGS


def stands(word: str, text: str) -> bool:
    """Whether the word, or each part of what is more than one, stands in the text."""
    found = pieces(text)
    return all(
        any(piece in each for each in found) if HAN.search(piece) else any(same(piece, each) for each in found)
        for piece in pieces(word)
    ) and bool(pieces(word))


def together(words: Sequence[str], text: str) -> str:
    """The sentence of a text in which all words stand; empty where there is none."""
    for sentence in SENTENCE.split(text):
        if len(sentence) <= LONGEST and all(stands(word, sentence) for word in words):
            return sentence
    return ""


_APP = re.compile(r"(?<=\w) (?:App|Application|Website)$")
"""A name's last word where it only says what has the name: "Weather App"."""


def literally(value: str, text: str) -> bool:
    """Whether a name, date, time or figure stands in a text: as it is written, or as the same date, time or weekday."""
    plain = _APP.sub("", re.sub(r"\s+", " ", value.strip()))
    whole = re.search(rf"(?<![\w]){re.escape(plain)}(?![\w])", re.sub(r"\s+", " ", text), re.I)
    if whole or (HAN.search(plain) and plain in text):
        return True
    wanted = {
        (each.type, each.value, each.unit)
        for token in hard_tokens(value)
        for each in token.values
        if each.type in ("date", "time", "weekday")
    }
    return bool(wanted) and wanted <= {(each.type, each.value, each.unit) for each in read_values(text)}


def _runs(said: Sequence[str]) -> frozenset[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for message in said:
        bare = re.sub(r"[\"“„«「『'‘][^\"”“»」』'’]{1,200}[\"”“»」』'’]", " | ", message)
        found |= set(_sequences(bare))
    return frozenset(found)


def _sequences(text: str) -> Iterable[tuple[str, ...]]:
    for part in re.split(r"[\d|]+", text):
        words = pieces(part)
        for at in range(len(words) - ECHO_WORDS + 1):
            yield tuple(words[at : at + ECHO_WORDS])
        for word in words:
            if HAN.search(word):
                yield from ((word[at : at + ECHO_HAN],) for at in range(len(word) - ECHO_HAN + 1))


def is_echo(text: str, runs: frozenset[tuple[str, ...]]) -> bool:
    """Whether a text repeats a stretch of what the user said."""
    return not runs.isdisjoint(_sequences(text))


def runs_of(said: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """The stretches of words of messages by which `is_echo` knows them again."""
    return _runs(said)


_FRAME = (
    r"(?:it|that|this|there|what)['’]s|(?:we|they|you)['’]re|i['’]m|"
    "a|an|the|i|we|me|us|my|our|your|their|his|her|its|it|they|them|that|which|who|where|this|these|there|here|"
    "make|create|build|design|add|put|have|has|having|include|includes|including|want|wants|need|would|like|please|"
    "give|gives|get|gets|use|uses|using|is|are|be|should|shall|must|will|with|and|or|of|in|on|at|to|from|for|by|as|also|"
    "show|shows|showing|shown|see|sees|view|views|read|reads|meet|find|finds|contains?|containing|offers?|featuring|"
    "app|apps|platform|plattform|plateforme|plataforma|implement|develop|something|anything|other|others|nach|application|site|website|web|prototype|one|some|"
    "ein|eine|einen|einem|einer|eines|der|die|das|den|dem|des|ich|wir|mir|uns|mein|meine|meinen|unser|unsere|unseren|unserer|unserem|unseres|ist|sind|um|bis|"
    "mache?|erstelle|baue?|entwirf|füge|hinzu|gestalte|haben|möchte|hätte|gerne?|bitte|brauche|brauchen|will|wollen|soll|sollen|"
    "mit|und|oder|von|vom|im|am|auf|an|zu|zum|zur|für|als|auch|zeige|zeigen|zeigt|sehen|sieht|lesen|finden|"
    "es|dazu|außerdem|geht um|man soll|man kann|webseite|website|anwendung|"
    "le|la|les|l|une|du|des|d|et|ou|à|au|aux|dans|pour|sur|avec|chez|qui|que|qu|ce|cette|ces|leurs?|nos|notre|mes|"
    "votre|vos|je|j|nous|ils|elles|on|est|sont|peuvent|peut|doivent|veux|voudrais|avoir|voir|afficher|"
    "el|los|las|un|unos|unas|del|y|o|con|para|por|en|su|sus|mi|mis|nuestr[oa]s?|que|al|se|quiero|necesito|pueden|puede|"
    "también|además|debe|deben|debería|haber|hay|aussi|doit|faut|devrait|außerdem|geben|gibt|"
    "either|entweder|couleurs|farben|colores|de|par|you|display|displays|browse|explore|discover|voit|voient|consult(?:er|e|ent)|ven|ve|consult(?:ar|a|an)|"
    "ver|mostrar|una|application|aplicación"
)
FRAME = re.compile(rf"(?<![\w-])(?:{_FRAME})(?![\w-])", re.I)
"""Words that say nothing of what is to be seen."""
FRAME_HAN = re.compile(
    r"一共|总共|一家|卖|出售|请|帮我|给我|我要|我想要?|我们|做|制作|创建|添加|增加|加上?|展示|显示|包括|包含|可以看到?|需要|一个|一款|一张|个|"
    r"手机|应用程序|应用|软件|网站|平台|小程序|程序|里面|里|上|有|和|与|以及|的|在|是|用|要|到|把|放|这|那"
)
"""The same in Chinese."""
PAGE = re.compile(r"(?<!\w)(?:pages?|screens?|tabs?|seiten?|unterseiten?|bildschirme?)(?!\w)|页面|页", re.I)
NAMED = re.compile(
    r"(?<!\w)(?:called|named|name|titled|namens|name|heißt|genannt|mit dem namen)(?!\w)|叫做?|名为|名叫|名字", re.I
)
CAN = re.compile(
    r"(?<!\w)(?:can|could|able to|lets?|allows?|kann|können|könnte|lässt|ermöglich\w*|erlaub\w*)(?!\w)|可以|能够?|允许",
    re.I,
)
REMOVING = re.compile(
    r"^\s*(?:please\s+|bitte\s+|请)?(?:remove|delete|drop|get rid of|take (?:away|out)|hide|entferne|lösche|"
    r"streiche|去掉|删除|删掉|移除)",
    re.I,
)
WITHOUT = re.compile(
    r"^\s*(?:with no|no|without(?: any)?|not any|ohne|keine?[nmrs]?|没有|不要|不需要|无)(?!\w)\s*|"
    r"^(?:没有|不要|不需要|无)",
    re.I,
)
TASTE = re.compile(
    r"(?<!\w)(?:looks?|feels?|style[ds]?|elegant\w*|calm\w*|modern\w*|minimal\w*|playful|friendly|warm\w*|cosy|"
    r"clean|simple|"
    r"dark|light|bright|bold|fresh|beautiful|nice|pretty|cool|farben|colou?rs|stil|schlicht\w*|ruhig\w*|"
    r"freundlich\w*|sobres?|épurée?s?|moderne?s?|élégante?s?|chaleureux|calmes?|doux|douces?|colorée?s?|joyeux|"
    r"modern[oa]s?|elegantes?|alegres?|sencill[oa]s?|limpi[oa]s?|cálid[oa]s?|tranquil[oa]s?|bright|soft|pastel|"
    r"backgrounds?|hintergrund\w*|fond|fondo|palettes?|fonts?|typefaces?|mysterious|atmosph\w+|ambiances?|ambiente|"
    r"readable|lesbar|cheerful|quiet|serious|muted|earthy|rustic|cozy|fun|cute|"
    r"verspielt\w*|dunkel|hell)(?!\w)|风格|背景|配色|字体|清雅|简洁|现代|温馨|可爱|极简",
    re.I,
)
"""Words of style that no one can measure by their standing on a page."""
POINTING = re.compile(r"(?<!\w)(?:them|it|this|so|those|sie|es|dies\w*|beide)(?!\w)|它|他们|这些", re.I)
"""Words that stand for something said elsewhere."""
PLACED = re.compile(
    r"(?<!\w)(?:on|onto|at|to|into|from|under|below|above|beside|auf|zur|zum|unter|über|neben)(?!\w)|放到|放在|移到",
    re.I,
)
"""Where something is to be: no check measures places."""
KINDS = re.compile(
    r"(?<!\w)(?:buttons?|forms?|fields?|sections?|boxe?s?|areas?|links?|banners?|knopf|knöpfe|formular\w*|"
    r"feld\w*|abschnitte?|bereiche?)(?!\w)|"
    r"按钮|表单|栏目|部分",
    re.I,
)
RENAME = re.compile(
    r"(?<!\w)(?:rename|change|replace|call|umbenenn\w*|benenne|ersetze|ändere|nenne)(?!\w)|改成|改为|改名|替换", re.I
)
NEW_NAME = re.compile(r"\s(?:to|into|with|by|in|durch|zu)\s|改成|改为|替换为", re.I)
LANGUAGES = {
    "en": r"english|englisch\w*|anglais|inglés|英文|英语",
    "de": r"german|deutsch\w*|allemand|alemán|德语|德文",
    "zh": r"chinese|mandarin|chinesisch\w*|chinois|chino|中文|汉语",
    "fr": r"french|französisch\w*|français|francés|法语|法文",
    "es": r"spanish|spanisch\w*|espagnol|español|castellano|西班牙语",
}
PLACES = {
    "button": r"buttons?|boutons?|bot[oó]n(?:es)?|knopf|knöpfe|schaltflächen?|按钮",
    "header": r"headers?|top bar|app bar|kopfzeile|kopfleiste|页眉|顶栏",
    "background": r"backgrounds?|hintergrund\w*|fond|fondo|背景",
    "heading": r"headings?|headlines?|überschriften?|标题",
    "link": r"links?|链接",
    "main": r"main|primary|brand|accents?|theme|colou?rs?|haupt\w*|akzent\w*|primär\w*|marken\w*|farben?|主色调?|"
    r"couleurs?|colores?|touches?|tons?|tones?|tonos?|palette|details?|主题色?|颜色|品牌色?|色调?",
}
"""What may have a colour; without one of them it is the app's main colour."""


CALCULATES = re.compile(
    r"(?<!\w)(?:calculat\w*|works? out|working out|comput\w+|convert\w*|estimat(?:es?|or)|"
    r"\w*rechner|\w*rechn(?:et|en|ung)|split(?:s|ting)?|how (?:much|many)|wie ?viele?)(?!\w)",
    re.I,
)
CONTAINER = re.compile(
    r"(?<!\w)(?:lists?|overviews?|listen?|übersicht|listes?|listas?) (?:of|von|der|des?|du|d['’])(?!\w)", re.I
)
"""What only says that there are several of the things after it."""
WARM = re.compile(r"(?<!\w)(?:warm(?:e[rnsm]?)?|chaude?s?|chaleureu(?:x|ses?)|cálid[oa]s?)(?!\w)|暖", re.I)
COOL = re.compile(r"(?<!\w)(?:cool|cold|kühle?[rnsm]?|kalte?[rnsm]?|froide?s?|frí[oa]s?|fresc[oa]s?)(?!\w)|冷", re.I)
CHOOSES = re.compile(r"(?<!\w)(?:chooses?|picks?|selects?|wähle[nt]?|auswählen|wählt)(?!\w)", re.I)
ENTERS = re.compile(
    r"(?<!\w)(?:types?|enters?|inputs?|fill in|put in|gives?|eingeben|eintippen|eingibt|gibt|gebe|geben|tippe|angeben|"
    r"eintragen|chooses?|picks?|selects?|wähle[nt]?|auswählen|wählt)(?!\w)",
    re.I,
)
GETS = re.compile(
    r"(?<!\w)(?:sees?|shows?|gets?|tells?|works? out|calculates?|sehen|sieht|sehe|zeigt|zeigen|bekommen?|bekommt|"
    r"erfahren?|ausrechnet|berechnet|ausgerechnet)(?!\w)",
    re.I,
)
"""What is entered into a page that calculates, and what comes out of it."""
FORM = re.compile(
    r"(?<!\w)(?:(?!platforms?)\w*forms?|"
    r"\w*formular|sign[- ]?up|sign up|register|registration|rsvp|fields?|felder|anmeld\w+|"
    r"eintragen|tragen sich|melden sich)(?!\w)",
    re.I,
)
TICKING = re.compile(
    r"(?<!\w)(?:tick(?:s|ed|ing)?|check\w*(?: \w+){0,2} off|check ?box(?:es)?|crossed off|abhak\w*|abgehakt|"
    r"abzuhaken|kästchen)(?!\w)",
    re.I,
)
MEASURED = re.compile(
    r"(?<!\w)(?:how (?:many|much)|numbers? of|counts? of|counters?|totals?|sums? of|averages?|balance|"
    r"(?:minutes|hours|days|weeks|time|money|amount) (?:left|remaining|until|to go)|remaining|"
    r"wie ?viele?|anzahl|\w*zähler|summe|gesamt(?!liste|plan)\w*|übrig|verbleibend\w*|restbetrag|durchschnitt\w*|"
    r"combien|nombre d(?:e|es|u)|compteurs?|total|somme|restante?s?|reste|solde|moyennes?|"
    r"cu[áa]nt[oa]s?|número de|contador(?:es)?|suma|quedan?|saldo|promedio)(?!\w)|"
    r"多少|数量|总计|合计|总数|剩余|余额|平均",
    re.I,
)
"""Words for a figure that comes of what people enter or do: one that stands still is none."""
FIELD_OF_EACH = re.compile(
    r"(?<!\w)(?:with|mit|avec|con) (?:(?:the|a|der|die|le|el|la) )?(?:number of|anzahl|nombre de|número de)", re.I
)
"""A number that each thing of a list has is told with it, and comes of nothing."""
LIVE = re.compile(
    r"(?<!\w)(?:live|real[- ]time|in echtzeit|en direct|en temps réel|en vivo|en tiempo real)(?!\w)|实时", re.I
)
"""Words for what changes by itself while somebody looks."""
EVENT = re.compile(
    r"(?<!\w)(?:notifications?|notif(?:y|ied)|alert(?:s|ed)?|remind(?:ed|er)?s?|told|benachrichtig\w*|erinnerung(?:en)?|"
    r"erinnert|rappels?|alertes?|notifié\w*|recordatorios?|avisos?)(?!\w).*(?<!\w)"
    r"(?:when|if|before|once|after|as soon as|wenn|sobald|bevor|quand|lorsque|avant|cuando|si|antes)(?!\w)|提醒",
    re.I,
)
"""What is to be told when something happens: pages alone send nothing."""
_CHANNEL = r"(?:e-?mails?|mails?|sms|text messages?|whats ?app|push|newsletters?|correos?|courriels?|faxe?)(?!\w)"
_SENDS = (
    r"(?:sen[dt]s?|sending|receiv\w*|gets?|text|forward\w*|erhalten|erhält|bekomm\w*|(?:ver)?schick\w*|(?:ver)?send\w*|"
    r"envoy\w*|envoie\w*|reçoi\w*|recev\w*|env[ií]\w+|recib\w+)(?!\w)"
)
BEYOND = re.compile(
    rf"(?<!\w){_SENDS}[^.;]*(?<!\w){_CHANNEL}|(?<!\w){_CHANNEL}[^.;]*(?<!\w){_SENDS}|"
    r"(?:发送?|收到|推送).{0,6}(?:邮件|短信|微信|通知)|(?:邮件|短信|微信)(?:通知|提醒)|(?:对接|同步到|连接到?|接入)|"
    r"(?<!\w)(?:connect(?:ed|s)?|sync\w*|integrat\w+|(?:hook|link)\w* up) (?:it |us |this )?(?:to|with|into)(?!\w)|"
    r"(?<!\w)(?:an|mit|in) (?:unser|d(?:as|ie|en)|ein)\w* .*(?:übertrag|anbind|anschließ|synchronisier)\w*|"
    r"(?<!\w)(?:schnittstelle|anbindung) (?:zu|an)[mr]?(?!\w)|"
    r"(?<!\w)(?:connect|synchronis|intégr)\w* (?:à|au|avec|dans)(?!\w)|"
    r"(?<!\w)(?:conect|sincroniz|integr)\w* (?:con|a|al|en)(?!\w)",
    re.I,
)
"""What reaches beyond the app: messages that are sent by others' services, and other programs that it would talk to."""
UNTIL_NOW = re.compile(
    r"\s*(?:bisher|bislang|zurzeit|momentan|derzeit|currently|so far|until now|up to now|at the moment|right now|"
    r"jusqu['’]ici|actuellement|pour l['’]instant|hasta ahora|actualmente|de momento)(?!\w)|\s*(?:目前|以前|至今)",
    re.I,
)
"""The beginning of what is told of how it is without the app."""
CONDITION = re.compile(
    r"\s*(?:if|when|whenever|because|since|although|while|once|unless|wenn|falls|weil|sobald|obwohl|damit|si|quand|"
    r"lorsque|parce que|puisque|cuando|porque|aunque|mientras)(?!\w)|\s*(?:如果|因为|虽然|当)",
    re.I,
)
"""The beginning of a clause that tells when or why, and asks for nothing by itself."""
PASSIVE = re.compile(
    r"\s*(?:(?:that|which|who)\s+)?(?:(?:must|can|should|will|may|is|are|was|were|be|been|gets?)\s+)+|"
    r"\s*\w{4,}ed\s+(?:into|to|by|from|with|onto)(?!\w)",
    re.I,
)
"""The beginning of what happens to something: its words on a page do not say that it happens."""
WORKED_OUT = re.compile(
    r"(?<!\w)(?:matching|matche[sd]|recommended|recommendations?|suggested|personali[sz]ed|nearest|closest|eligib\w+|"
    r"automatic(?:ally)?|predicted|estimated|passende[nrs]?|empfohlen\w*|empfehlungen|nächstgelegene\w*|automatisch\w*|"
    r"correspondante?s?|recommandé\w*|automatique\w*|personnalisé\w*|coincid\w+|recomendad\w+|automátic\w+|"
    r"personalizad\w+|today['’]s|(?:this|the last|the next) (?:week|month|year)['’]s|heutige\w*|d['’]aujourd['’]hui|"
    r"de hoy)(?!\w)|匹配|推荐|自动|智能|今天的|今日|本周|本月",
    re.I,
)
"""Words for what has to be worked out of other things: a heading with them does not say that it is."""
IS_SHOWN = re.compile(
    r"\s+(?:(?:is|are|gets?) (?:also )?(?:listed|shown|displayed|visible)|(?:wird|werden|sind|ist) "
    r"(?:aufgelistet|angezeigt|gezeigt|aufgeführt|zu sehen)|(?:est|sont) (?:affichée?s?|listée?s?|montrée?s?))$|"
    r"^se (?:muestran?|listan?|ven?)\s+",
    re.I,
)
"""That something is there to be seen, said of it as a whole clause."""
AUDIENCE = re.compile(
    r"\s*(?:as an? (?:[a-z-]+ ){0,2}[a-z-]+$|als (?:[A-ZÄÖÜ]\w+)$|en tant que \w+$|como \w+$|"
    r"for (?!an? |the |my |our |their |his |her |its |each )|für (?!ein|die |das |den |mein|unser|ihr|sein))",
    re.I,
)
"""Whom an app is for: no part of it."""
TRANSLATING = re.compile(r"translate|everything|übersetze|alles|全部|翻译成|使用|language|sprache|texts?", re.I)
ONE_PAGE = re.compile(
    r"(?<!\w)(?:one|single)[- ]page(?!\w)|"
    r"(?<!\w)(?:(?:auf )?eine[rn]? (?:einzigen? |einzelnen? )?seite|einseitig\w*)(?!\w)|一个页面|单页",
    re.I,
)
"""An app that is a single page."""
_VIEWS = "see|view|browse|read|look at|explore|discover|consult"
READS = re.compile(
    rf"\s*(?:(?:[^,.;]{{0,40}}?(?<!\w)(?:can|could|may|able to|should|want to)\s+(?:also\s+|then\s+)?)?(?:{_VIEWS})\s+|"
    r"(?:[^,.;]{0,40}?\s)?(?:peuvent|peut|pueden|puede)\s+(?:aussi\s+|también\s+)?(?:voir|consulter|lire|ver|consultar|leer)\s+|"
    r"(?:[^,.;]{0,40}?\s)?(?:voient|consultent|lisent|ven|consultan|leen)\s+|"
    r"[^，。；]{0,8}?(?:可以|能够?|可)?(?:查看|浏览|看到?|看见|了解))(?P<seen>\S.*)|"
    r"\s*[^,.;]{0,40}?(?<!\w)(?:kann|können)\s+(?P<gesehen>\S.*)\s(?:sehen|ansehen|einsehen|anschauen|lesen|nachlesen)$",
    re.I,
)
"""Somebody sees or reads something: that it is shown is all that a page can do for it."""
DARK = re.compile(r"(?<!\w)(?:dark|dunkle?[rsnm]?|dunkel|sombres?|oscur[oa]s?)(?!\w)|深色|暗色|黑暗", re.I)
LIGHT = re.compile(r"(?<!\w)(?:light|bright|helle?[rsnm]?|hell|claire?s?|clar[oa]s?)(?!\w)|浅色|明亮", re.I)


def word(words: str) -> re.Pattern[str]:
    """Whole words; Chinese ones stand anywhere."""
    return re.compile(rf"(?<![a-zäöüß])(?:{words})(?![a-zäöüß])", re.I)


def words_of(text: str) -> list[str]:
    """The words of a text that say what is to be there, in their order."""
    rest = FRAME_HAN.sub(" ", FRAME.sub(" ", re.sub(r"(?i)-(?:app|anwendung|seite|website)\b", " ", text)))
    return list(dict.fromkeys(pieces(rest)))
