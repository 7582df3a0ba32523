"""How people say a change of one task of a plan, in English, German and Chinese: the words around its name."""

import re

from loopwright.agents.planner.account.when import PERSON

SENTENCE = re.compile(r"(?<!\d)[.!?](?:\s+|$)|[;。；！？\n]+\s*")
MUST = re.compile(
    r"\b(?:must|has\s+to|have\s+to|needs?\s+to|need|should|shall|ought\s+to|please|finish|complete|get|wrap\s+up|be\s+(?:done|finished|"
    r"completed?|ready|over|out|up|sent|through|in\s+place|in)(?:\s+with)?|be|done|finished|completed|ready|by\s+then|"
    r"mu(?:ss|ß)|müssen|soll(?:te)?n?|bitte|sein|werden|fertig(?:\s*gestellt)?|erledigt|durch|abgeschlossen|abschließen|"
    r"raus|weg|stehen|spätestens)\b|必须|务必|(?:需要|要|得|应该)(?=在|把|[\u4e00-\u9fff]*(?:完|好))|做完|弄完|完成|搞定|结束|[装印写选学练做弄买订刷铺画洗修](?:完|好)|在(?=\s|$)|[完好]$",
    re.I,
)
"""What says that a thing is to be over."""
DUE_BY = (
    r"by|no\s+later\s+than|not\s+later\s+than|(?:at\s+the\s+)?latest\s+(?:by|on)|until|before|bis(?:\s+(?:spätestens\s+)?(?:zum|zu|am))?"
    r"|spätestens(?:\s+(?:bis\s+)?(?:zum|am))?|vor(?:\s+dem)?"
)
FROM_ON = (
    r"only\s+(?:from|after|on|in|start(?:s|ing)?\s+(?:on|in|after))|(?:not|(?:can|don|mustn|shouldn|won)['’]?t)\s+(?:\w+\s+){0,2}(?:before|until)|no\s+earlier\s+than"
    r"|from|after|starting(?:\s+(?:on|in|from))?|(?:start|begin)s?\s+(?:on|in|after)|erst\s+(?:ab|nach|am|im)|ab|frühestens(?:\s+(?:am|ab|im))?"
    r"|nicht\s+(?:\w+\s+)?vor(?:\s+dem)?|nach(?:\s+dem)?|从|不早于"
)
START = re.compile(
    r"\b(?:start(?:s|ed|ing)?|begin(?:s|ning)?|begun|can|cannot|can['’]t|could|should|must|not|be|only|on(?=\s*$)|kann|können|soll(?:en)?|beginn\w*|"
    r"anfangen|starten|losgehen|los|erst|go(?=\s+on\b)|go|come|happen)\b|开始|才能?|只能|从|要|再",
    re.I,
)
SWAP = re.compile(
    r"^(?:please\s+|bitte\s+|let['’]?s\s+|can\s+(?:you|we)\s+)?(?:swap|switch|exchange|trade)\s+(?:the\s+(?:order|places?)\s+of\s+)?(?P<a>.+?)\s+(?:and|with|for)\s+"
    r"(?P<b>.+?)(?:\s+(?:around|places?|please))*$"
    r"|^(?=.*tausch)(?:bitte\s+)?(?:(?:ver)?tausch\w*\s+(?:wir\s+|bitte\s+)?)?(?P<c>.+?)\s+(?:und|mit|gegen)\s+(?P<d>.+?)(?:\s+(?:bitte|miteinander|um|aus|"
    r"sollen|sollten|(?:ver|aus|um)?tauschen|tauschen\s+(?:die\s+)?plätze|die\s+(?:plätze|reihenfolge)))*$"
    r"|^(?:请)?把?(?P<e>.+?)[和跟与同](?P<f>.+?)(?:的?(?:顺序|位置|先后))?(?:对调|互换|交换|调换|换一下|对换|调一下|倒过来|反过来|换过来)(?:一下|吧)*$",
    re.I,
)
FIRST_THEN = re.compile(
    r"^(?:please\s+|bitte\s+|let['’]?s\s+)?(?:(?:do|make)\s+)?(?:first|erst|zuerst)\s+(?P<a>.+?)\s*,?\s*(?:and\s+|und\s+)?(?:then|dann|danach|afterwards)\s+(?P<b>.+)$"
    r"|^(?:请)?先(?P<c>.+?)[,，]?\s*(?:然后再?|再|后|之后再?)(?P<d>.+)$",
    re.I,
)
HAN_ORDER = re.compile(
    r"^(?:请)?把?(?P<a>.+?)(?:要|得|应该|必须|需要)?(?:等|放在|放到|排在|移到|挪到|安排在|在)(?P<b>.+?)(?:完成|做完|结束|完|好)?(?P<word>之前|以前|前面|前|之后|以后|后面|后)"
    r"(?:再|才能?)?(?:做|进行|完成|开始|弄)?(?:吧|了)?$"
)
ASKS_ORDER = re.compile(
    r"\b(?:(?P<after>(?:right\s+|only\s+|directly\s+)?after(?:wards)?|behind|once|wait(?:s|ing)?\s+for|depends?\s+on|nachdem|nach|hinter|erst\s+wenn|sobald)"
    r"|(?:right\s+|directly\s+)?before|ahead\s+of|in\s+front\s+of|bevor|vor)\b",
    re.I,
)
TAKES = re.compile(
    r"\b(?:will\s+|is\s+going\s+to\s+|are\s+going\s+to\s+|['’]ll\s+|probably\s+)*(?:takes?|taking|needs?|requires?|lasts?|(?<=\d\s)hours?\s+(?=for\b)|make|plan|give|"
    r"dauer[nt]\w*|brauch(?:t|en|e)|benötig\w*|plane?|rechne)\b(?:\s+(?:us|me|ich|wir|uns|mir)\b)?|\bhours?\s+(?:\w+\s+)?for\b|\bstunden?\s+(?:\w+\s+)?für\b"
    r"|(?:需要|要花|得花|要用|花|用|要)(?=[^，,]*(?:小时|分钟|倍|一半))|(?=(?:延长|缩短|加|减)\w*(?:小时|分钟))",
    re.I,
)
INSTEAD_OF = re.compile(
    r",?\s*\b(?:instead\s+of|rather\s+than|not|up\s+from|down\s+from|statt|anstatt|nicht)\s+(?:the\s+|der\s+)?\d+(?:[.,]\d+)?\s*(?:hours?|h\b|stunden?|minutes?|minuten?)?(?:\s+(?:i|we)\s+\w+)?"
    r"|[，,]?(?:而不是|不是)\s*[\d一二两三四五六七八九十]+\s*个?(?:小时|分钟)?",
    re.I,
)
FACTORS = re.compile(
    r"\b(?:(?P<twice>twice(?:\s+(?:as\s+long|the\s+time))?|double(?:\s+the\s+time)?|doppelt\s+so\s+(?:lange?|viel)|die\s+doppelte\s+zeit)|(?P<thrice>three\s+times\s+as\s+long|"
    r"dreimal\s+so\s+lange?)|half\s+(?:as\s+long|the\s+time)|halb\s+so\s+(?:lange?|viel)|die\s+hälfte(?:\s+der\s+zeit)?)\b|(?:两倍|一倍|一半)(?:的?时间)?",
    re.I,
)
LESS = re.compile(r"\b(?:less|fewer|shorter|kürzer|weniger)\b|少花?|缩短", re.I)
EXTRA = re.compile(
    r"\b(?:more|longer|extra|additional|länger|mehr|zusätzlich|weitere)\b|多花?|延长|再(?=花|用|加)", re.I
)
ROUNDLY = re.compile(
    r"\b(?:about|around|roughly|approximately|only|just|at\s+least|more\s+like|etwa|ungefähr|circa|ca\.?|rund|nur|mindestens|now|jetzt|instead|than\s+(?:planned|i\s+thought|expected)|"
    r"als\s+(?:geplant|gedacht)|for|für|für\s+die|für\s+das|it|es|das\s+ganze)\b|大约|大概|约|左右|只|现在|得",
    re.I,
)
ADDED = re.compile(
    r"^(?:(?:oh|and|also|und|auch)\W+)*(?:(?:i|we)\s+(?:also|additionally|still)\s+(?:need(?:\s+to)?|have\s+to|must|want(?:\s+to)?|should)|(?:i|we)\s+(?:need|have)\s+to\s+(?=.*\b(?:as\s+well|too)\b)|"
    r"(?:please\s+)?(?:add|include|put\s+in|also\s+plan)(?:\s+(?:a|another|one\s+more)\s+(?:task|step)\b)?:?|there(?:['’]s|\s+is)\s+(?:also|one\s+more\s+(?:thing|task)\b:?)|"
    r"(?:ich|wir)\s+(?:brauche|brauchen|muss|müssen|sollten?)(?:\s+(?:außerdem|auch\s+noch|auch|noch|zusätzlich|dann|leider))+|es\s+kommt\s+noch|dazu\s+kommt(?:\s+noch)?|"
    r"(?:我|我们)?还(?:需要|得|要)|(?:另外|再)?(?:增加|加上?一项|添加|加上))\s*(?P<what>[^;]{2,160}?)(?:\s+(?:as\s+well|too|hinzu|dazu))?$",
    re.I,
)
"""What begins the words for one more thing."""
NAME = rf"(?!(?:I|We|They|He|She|It|The|This|That|There|Ich|Wir|Sie|Er|Es|Das|Die|Der|Dies)\b){PERSON}"
OUT = re.compile(
    rf"\s*(?P<who>{NAME})\s+(?:(?:is|ist)\s+(?:ill|sick|out|away|gone|not\s+available|no\s+longer\s+(?:available|with\s+us|helping|able\s+to\s+help)|krank|raus|weg|ausgefallen|abgesprungen)"
    r"(?:\s+now|\s+jetzt)?|(?:has|hat)\s+(?:no|keine)\s+(?:more\s+)?(?:time|[Zz]eit)(?:\s+mehr|\s+any\s*more|\s+left)?|has\s+(?:quit|dropped\s+out|cancelled|bailed(?:\s+out)?)|(?:can['’]?t|cannot|won['’]?t(?:\s+be\s+able\s+to)?|can\s+no\s+longer|"
    r"doesn['’]?t|isn['’]?t\s+able\s+to)(?:\s+(?:help|do|make|it|come|be|there|us|me|out|with|this|that|any\s*more|any\s+longer|after\s+all|at\s+all|help(?:ing)?))*"
    r"|dropped\s+out|bailed(?:\s+out)?|quit|kann\s+(?:uns\s+|mir\s+|leider\s+|doch\s+|jetzt\s+)*nicht(?:\s+mehr)?(?:\s+(?:mit)?(?:helfen|machen|kommen|dabei\s+sein))?"
    r"|fällt\s+(?:leider\s+)?aus|fällt\s+(?:leider\s+)?weg|hilft\s+(?:uns\s+|mir\s+)?nicht\s+mehr(?:\s+mit)?|springt\s+ab|steigt\s+aus|macht\s+nicht\s+mehr\s+mit)\s*"
    r"|\s*(?P<han>[\u4e00-\u9fff]{1,4}?)(?:以后|现在)?(?:没空|没时间|来不了|帮不了|帮不上|生病|病|退出|不干|不来|不参加|不能(?:再|继续)?(?:来|帮忙?|参加|负责)?)(?:我们|忙)?了?\s*"
)
"""Who does what they did no longer."""
OVER_FROM = re.compile(
    rf"\s*(?P<new>{NAME})\s+(?:(?:now\s+)?(?:takes\s+over\s+(?:from|for)|will\s+take\s+over\s+(?:from|for)|replaces|steps\s+in\s+for|fills\s+in\s+for)|"
    rf"(?:does\s+it|helps|comes|is\s+in)\s+instead\s+of|statt|anstelle\s+von|ersetzt|macht\s+(?:es|das)\s+(?:jetzt\s+)?(?:statt|für)|springt\s+für)\s+(?P<old>{NAME})(?:\s+ein)?(?:\s+now|\s+jetzt)?\s*"
    rf"|\s*(?P<gone>[\u4e00-\u9fff]{{1,4}}?)(?:换成|改成)(?P<comes>[\u4e00-\u9fff]{{1,4}})\s*"
)
TAKES_IT = re.compile(
    rf"(?:das|dies|es|sie)\s+(?:macht|übernimmt|erledigt)\s+(?:jetzt\s+|dann\s+|nun\s+|stattdessen\s+)*({NAME})"
    rf"|({NAME})\s+(?:macht|übernimmt|erledigt)\s+(?:das|dies|es|sie|seine?n?\s+\w+|ihre?n?\s+\w+)?(?:\s*(?:jetzt|nun|dann|stattdessen))*"
    rf"|({NAME})\s+(?:springt|hilft)\s+(?:jetzt\s+|dafür\s+)*(?:ein|stattdessen)"
    rf"|({NAME})\s+(?:(?:now\s+|will\s+(?:now\s+)?|can\s+)?(?:does|do|takes?|takes?\s+over|handles?|helps?|is\s+(?:doing|taking\s+over)|steps?\s+in))(?:\s+(?:it|that|this|them|over|his\s+\w+|her\s+\w+|now|instead|for\s+(?:him|her|them)))*"
    r"|(?:就)?(?:换|让|由|改由|请)([\u4e00-\u9fff]{1,4}?)(?:来)?(?:做|负责|顶上?|代替|接手|弄|帮忙)?(?:吧)?|([\u4e00-\u9fff]{1,4}?)(?:来)?(?:顶上?|代替|接手|接替|负责)(?:他|她)?(?:吧)?"
)
PERFECT = r"(?:have|has|['’]ve|['’]s|had)\s+"
IS_DONE = tuple(
    re.compile(text, re.I)
    for text in (
        (
            r"^(?P<what>.{2,80}?)\s+(?:is|are|was|were|has\s+been|have\s+been|got|ist|sind|wurden?|war(?:en)?)\s+(?:already|now|schon|bereits|all|jetzt|inzwischen)\s+"
            r"(?:(?:been\s+)?(?:done|finished|completed?|ready|over|fertig|erledigt|gemacht|abgeschlossen|vorbei|durch|da)|[a-z]{2,18}(?:ed|wn|nt|lt|de|ld|ught|t)|\w*ge\w+[tn]|\w+(?:iert|[btz]t))$"
        ),
        r"^(?P<what>.{2,80}?)\s+(?:is|are|has\s+been|have\s+been|ist|sind)\s+(?:(?:done|finished|completed?|fertig|erledigt|abgeschlossen)(?:\s+(?:already|now|schon|bereits))?|\w+\s+(?:already|schon|bereits))$",
    )
)
"""What is done, said of the thing itself: as a whole, or what was done with it ("cancelled")."""
DONE = IS_DONE + tuple(
    re.compile(text, re.I)
    for text in (
        rf"^(?:i|we|you|he|she|they)\s*(?:{PERFECT})?(?:already)\s+(?:have\s+)?(?:\w+)\s+(?P<what>.{{2,80}}?)$",
        rf"^(?:i|we|you|he|she|they)\s*(?:{PERFECT})(?:\w+ed|\w+en|done|bought|made|sent|got|built|sold|written|sewn)\s+(?P<what>.{{2,80}}?)\s+already$",
        rf"^(?:i|we)\s*(?:(?:{PERFECT})?(?:finished|completed|done)|(?:am|['’]m|are|['’]re)\s+(?:already\s+)?(?:done|finished))\s+(?:with\s+)?(?P<what>.{{2,80}}?)$",
        r"^(?:ich|wir)\s+(?:habe|haben|bin|sind|kann|können|hatten?)\s+(?P<what>.{2,80}?)\s+(?:schon|bereits|inzwischen)\b.{0,30}$",
        r"^(?:ich|wir)\s+(?:habe|haben|bin|sind)\s+(?:schon|bereits)\s+(?P<what>.{2,80}?)\s+\w+[tn]$",
        r"^(?P<what>.{2,80}?)\s+(?:habe|haben|hat|bin|sind|kann|können)\s+(?:(?:ich|wir|er|sie)\s+)?(?:schon|bereits|inzwischen)\b.{0,30}$",
        r"^(?:我|我们)?已经(?:把)?(?:[做弄学看买订写练背])?(?:完|好|过)?(?:了)?(?P<what>[^\s]{1,20}?)(?:[做弄学看买订写练背装印刷选]?(?:完|好)|了)+$",
        r"^(?:我|我们)?(?P<what>.{1,20}?)(?:我|我们)?(?:都)?已经.{0,4}了$",
        r"^(?P<what>.{1,20}?)(?:都)?[做弄学看买订写练背装印刷选铺画拍]?(?:完|好)了$",
    )
)
"""What is done, whoever has done it."""
OFF = tuple(
    re.compile(text, re.I)
    for text in (
        r"^(?P<what>.{2,80}?)\s+(?:(?:now\s+)?falls?\s+away|(?:is|are)\s+(?:no\s+longer|not)\s+(?:needed|necessary|happening)(?:\s+any\s*more)?|(?:isn['’]t|aren['’]t)\s+(?:needed|necessary|happening)(?:\s+any\s*more)?|(?:is|are)\s+(?:off|cancell?ed|dropped)|can\s+go)$",
        (
            r"^(?P<what>.{2,80}?)\s+(?:entfällt|entfallen|fällt\s+(?:doch\s+)?(?:weg|aus|flach)|fallen\s+(?:doch\s+)?(?:weg|aus|flach)|kann\s+weg|können\s+weg|(?:ist|sind)\s+(?:gestrichen|abgesagt|nicht\s+mehr\s+nötig)|wird\s+(?:gestrichen|abgesagt)|"
            r"(?:brauchen?|machen?)\s+(?:ich|wir)\s+(?:jetzt\s+)?(?:doch\s+)?nicht(?:\s+mehr)?|lassen?\s+(?:ich|wir)\s+weg|streichen?(?:\s+(?:ich|wir))?)$"
        ),
    )
)
"""What falls away, said of the thing itself."""
LEFT_OUT = OFF + tuple(
    re.compile(text, re.I)
    for text in (
        r"^(?:please\s+|let['’]?s\s+|we(?:['’]ll|\s+can)?\s+)?(?:forget(?:\s+about)?|skip|drop|scrap|cancel|remove|delete|leave\s+out|take\s+out|omit|strike)\s+(?P<what>.{2,80}?)(?:\s+(?:please|entirely|altogether|completely|from\s+the\s+plan))*$",
        r"^(?:i|we)\s+(?:don['’]?t|do\s+not|no\s+longer|won['’]?t)\s+(?:need|want|do|have|be\s+doing)(?:\s+to\s+\w+)?\s+(?P<what>.{2,80}?)(?:\s+(?:any\s*more|any\s+longer|after\s+all|now))*$",
        r"^(?:no\s+more|without)\s+(?P<what>.{2,80}?)$",
        r"^(?:bitte\s+)?(?:streiche?n?|lass(?:t|en)?|vergiss|vergesst)\s+(?:wir\s+)?(?P<what>.{2,80}?)(?:\s+weg)?$",
        r"^ohne\s+(?P<what>.{2,80}?)$",
        r"^(?P<what>.{1,20}?)(?:就|都)?(?:不用|不需要|不必|不要|取消|不)[\u4e00-\u9fff]{0,3}了$",
        r"^(?:把)?(?:取消|去掉|删掉|删除|不用|不要|不需要|跳过|不做)(?P<what>.{1,20}?)(?:了)?$",
        r"^把(?P<what>.{1,20}?)(?:取消|去掉|删掉|删除)(?:了|吧)?$",
    )
)
"""What is not to be done any more."""
