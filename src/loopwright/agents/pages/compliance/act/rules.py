"""The W3C ACT rules that pages are checked against, with how far each is covered.

A new rule is a function from a subject to findings and a row here.
"""

from loopwright.agents.pages.compliance.act.autocomplete import check_autocomplete
from loopwright.agents.pages.compliance.act.contrast import check_contrast, check_enhanced_contrast
from loopwright.agents.pages.compliance.act.error_messages import check_error_message
from loopwright.agents.pages.compliance.act.frames import check_same_name, check_tab_order
from loopwright.agents.pages.compliance.act.language import (
    check_element_language,
    check_element_language_fits,
    check_page_has_language,
    check_page_language,
    check_page_language_fits,
)
from loopwright.agents.pages.compliance.act.meta import check_refresh, check_refresh_strictly, check_zoom
from loopwright.agents.pages.compliance.act.names import (
    check_button,
    check_field,
    check_frame,
    check_heading,
    check_image_button,
    check_link,
)
from loopwright.agents.pages.compliance.act.orientation import check_orientation
from loopwright.agents.pages.compliance.act.outcome import ActRule
from loopwright.agents.pages.compliance.act.purpose import (
    check_heading_describes,
    check_image_name_describes,
    check_label_describes,
    check_title_describes,
)
from loopwright.agents.pages.compliance.act.structure import check_heading_after_repeated_content

ACT_RULES: tuple[ActRule, ...] = (
    ActRule("73f2c2", "Autocomplete attribute has valid value", ("1.3.5",), "full", ("autocomplete",),
            check_autocomplete),
    ActRule("97a4e1", "Button has non-empty accessible name", ("4.1.2",), "full", ("control-name",), check_button),
    ActRule("b33eff", "Orientation of the page is not restricted using CSS transforms", ("1.3.4",), "full",
            ("orientation-lock",), check_orientation),
    ActRule("047fe0", "Document has heading for non-repeated content", ("2.4.1",), "full", ("main-heading",),
            check_heading_after_repeated_content),
    ActRule("off6ek", "HTML element language subtag matches language", ("3.1.2",), "full", (),
            check_element_language_fits),
    ActRule("de46e4", "Element with lang attribute has valid language tag", ("3.1.2",), "full", ("element-lang",),
            check_element_language),
    ActRule("cc0f0a", "Form field label is descriptive", ("2.4.6",), "partial", (), check_label_describes),
    ActRule("e086e5", "Form field has non-empty accessible name", ("4.1.2",), "full", ("field-label",), check_field),
    ActRule("b49b2e", "Heading is descriptive", ("2.4.6",), "partial", (), check_heading_describes),
    ActRule("ffd0e9", "Heading has non-empty accessible name", ("1.3.1",), "full", ("heading-name",), check_heading),
    ActRule("b5c3f8", "HTML page has lang attribute", ("3.1.1",), "full", ("html-lang",), check_page_has_language,
            depends_on_css=False),
    ActRule("ucwvc8", "HTML page language subtag matches default language", ("3.1.1",), "full", ("page-language",),
            check_page_language_fits),
    ActRule("bf051a", "HTML page lang attribute has valid language tag", ("3.1.1",), "full", ("html-lang",),
            check_page_language, depends_on_css=False),
    ActRule("c4a8a4", "HTML page title is descriptive", ("2.4.2",), "partial", (), check_title_describes,
            depends_on_css=False),
    ActRule("4b1c6c", "Iframe elements with identical accessible names have equivalent purpose", ("4.1.2",), "partial",
            (), check_same_name),
    ActRule("cae760", "Iframe element has non-empty accessible name", ("4.1.2",), "full", ("frame-name",),
            check_frame),
    ActRule("akn7bn", "Iframe with interactive elements is not excluded from tab-order", ("2.1.1",), "full",
            ("frame-tab-order",), check_tab_order),
    ActRule("qt1vmo", "Image accessible name is descriptive", ("1.1.1",), "partial", (), check_image_name_describes),
    ActRule("59796f", "Image button has non-empty accessible name", ("1.1.1", "4.1.2"), "full", ("control-name",),
            check_image_button),
    ActRule("36b590", "Error message describes invalid form field value", ("3.3.1",), "full", (),
            check_error_message),
    ActRule("c487ae", "Link has non-empty accessible name", ("2.4.4", "2.4.9", "4.1.2"), "full", ("control-name",),
            check_link),
    ActRule("bc659a", "Meta element has no refresh delay", ("2.2.1",), "full", ("meta-refresh",), check_refresh,
            depends_on_css=False),
    ActRule("bisz58", "Meta element has no refresh delay (no exception)", ("2.2.4", "3.2.5"), "full",
            ("meta-refresh",), check_refresh_strictly, depends_on_css=False),
    ActRule("b4f0c3", "Meta viewport allows for zoom", ("1.4.4",), "full", ("viewport-zoom",), check_zoom,
            depends_on_css=False),
    ActRule("afw4f7", "Text has minimum contrast", ("1.4.3",), "full", ("contrast",), check_contrast),
    ActRule("09o5cg", "Text has enhanced contrast", ("1.4.6",), "full", (), check_enhanced_contrast),
)  # fmt: skip
"""All rules, in the order of the W3C's examples."""
