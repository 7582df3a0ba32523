"""Goals in plain English are recognised: which family they belong to."""

from datetime import date

import pytest

from loopwright.agents.planner.offline.goal import family_of, understand_goal
from loopwright.agents.planner.offline.outline_making import make_outline
from loopwright.agents.planner.patterns import language_of

TODAY = date(2026, 11, 23)
GOALS = [
    ("learn Spanish to B1 by June, 5 hours a week, no Sundays", "learn_language"),
    ("Become fluent in Japanese within 2 years, 30 minutes a day", "learn_language"),
    ("I want to pass the JLPT in December, 6 hours a week", "prepare_exam"),
    ("learn to play the piano, half an hour every day", "learn_instrument"),
    ("Play guitar at my sister's wedding in 20 weeks", "learn_instrument"),
    ("run a 10k under 50 minutes in 12 weeks, Mon/Wed/Fri after 6pm", "run_race"),
    ("train for the Berlin marathon, sub-4, 5 days a week", "run_race"),
    ("couch to 5k", "run_race"),
    ("get stronger: bench press 100 kg by the end of the year", "strength_training"),
    ("do 20 pull-ups in 12 weeks", "strength_training"),
    ("lose 10 kg before summer", "healthy_weight"),
    ("eat healthier and cook at home", "healthy_weight"),
    ("write a novel of 80,000 words before 1 March 2027, mornings before work", "write_book"),
    ("finish my thesis by 30 April 2027, full time", "write_book"),
    ("launch my app in 3 months, weekends only", "launch_product"),
    ("build a website for my photography, budget $500", "launch_product"),
    ("start a small business selling candles", "start_business"),
    ("open a coffee shop in Lisbon with a budget of 50k euros", "start_business"),
    ("prepare for the AWS certification exam in 8 weeks, 10 hours a week", "prepare_exam"),
    ("get my driving licence", "prepare_exam"),
    ("find a new job by spring, 2 hours a day", "job_search"),
    ("get a summer internship in Berlin", "job_search"),
    ("become a data scientist in a year", "career_change"),
    ("change careers into nursing", "career_change"),
    ("learn Python, 6 hours a week", "learn_programming"),
    ("learn to code by Christmas", "learn_programming"),
    ("learn machine learning, evenings", "learn_data_science"),
    ("move house on 15 March 2027", "move_house"),
    ("move to Berlin in 2 months", "move_house"),
    ("plan our wedding in Tuscany next summer with a budget of €20k", "plan_wedding"),
    ("plan a trip to Japan for 2 weeks in April, under $4,000", "plan_trip"),
    ("renovate the bathroom before Christmas", "renovate_room"),
    ("paint the bedroom next month", "renovate_room"),
    ("build a vegetable garden by May", "build_garden"),
    ("save $5,000 by the end of the year", "save_money"),
    ("save for a house deposit of 20k pounds in 3 years", "save_money"),
    ("pay off my credit card debt of €3,000 in 18 months", "pay_debt"),
    ("a daily health protocol: mobility and light every morning", "health_protocol"),
    ("do a morning stretching routine every day", "health_protocol"),
    ("sleep better and wake up at 6am", "sleep_habit"),
    ("meditate 20 minutes every day", "meditation_habit"),
    ("read 12 books in 2027", "reading_habit"),
    ("read one book per month", "reading_habit"),
    ("get over my stage fright and give a talk in 10 weeks", "public_speaking"),
    ("learn to draw portraits, three evenings a week", "creative_skill"),
    ("learn photography", "creative_skill"),
    ("start a podcast about chess, one episode every two weeks", "content_channel"),
    ("grow my YouTube channel to 1,000 subscribers", "content_channel"),
    ("my first 90 days as team lead at work", "onboarding"),
    ("organise a conference for 200 people in Vienna in October 2027", "organise_event"),
    ("do a literature review for my research project in 10 weeks", "research_project"),
    ("Organise a charity run in May", "organise_event"),
    ("host a poetry reading in the library on 3 March", "organise_event"),
    ("organising a 5k for the hospital next spring", "organise_event"),
    ("put on 5 kg of muscle by summer", "strength_training"),
    ("organise my exam preparation for the bar exam", "prepare_exam"),
    ("run a workshop on gardening in April", "organise_event"),
    ("learn Spanish for a trip to Mexico in June", "learn_language"),
    ("renovate my office so that I can write my novel there", "renovate_room"),
    ("get fit for a ski trip in February", "strength_training"),
    ("train for a triathlon while I write my thesis", "run_race"),
    ("collect stamps every Sunday", "generic_habit"),
    ("reorganise the cellar by Easter", "generic_project"),
    ("become a better father", "generic_change"),
    ("learn juggling", "generic_learning"),
    ("one new recipe per quarter with friends", "generic_rounds"),
]


@pytest.mark.parametrize(("text", "family"), GOALS)
def test_a_goal_finds_its_family(text: str, family: str) -> None:
    goal = understand_goal(text, TODAY, "Europe/Berlin")
    assert goal.family == family
    assert len(goal.title) >= 2
    assert goal.subject
    assert not goal.problems


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("Ich schreibe am 3. März 2027 die Matheklausur", "prepare_exam_de"),
        ("Ich trainiere für den Halbmarathon am 18. April 2027", "run_race_de"),
        ("bis Ende Juni Italienisch auf A2 lernen", "learn_language_de"),
        ("Jeden Tag 30 Minuten Klavier üben", "learn_instrument_de"),
        ("Bad renovieren bis 30. April 2027", "renovate_room_de"),
        ("Wir ziehen am 3. April 2027 nach Bremen", "move_house_de"),
        ("Unser Umzug ist am 20. März. Jana und ich streichen die alte Wohnung", "move_house_de"),
        ("Wir heiraten am 5. Juni 2027", "plan_wedding_de"),
        ("Steuererklärung bis 31. Januar 2027 fertig machen", "generic_project_de"),
        ("五月二十日参加教师资格考试", "prepare_exam_zh"),
        ("四月十八日跑厦门马拉松，每周跑三次", "run_race_zh"),
        ("年底之前学会日语口语", "learn_language_zh"),
        ("二月底之前学会弹尤克里里", "learn_instrument_zh"),
        ("装修书房，三月底之前完成", "renovate_room_zh"),
        ("六月底之前搬到上海", "move_house_zh"),
        ("我们五月一日结婚", "plan_wedding_zh"),
        ("三月底之前写完毕业论文", "generic_project_zh"),
        ("build a garden shed by May", "generic_project"),
    ],
)
def test_a_goal_in_another_language_finds_a_family_that_speaks_it(text: str, family: str) -> None:
    goal = understand_goal(text, TODAY, "Europe/Berlin")
    assert goal.family == family
    outline = make_outline(goal, family_of(goal))
    titles = {node["title"] for node in outline["nodes"]}
    assert {language_of(title) for title in titles if "Review" in title} <= {family_of(goal).language}


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("pass the Cambridge C1 exam by March 2027", {"reading", "use of English", "writing", "listening", "speaking"}),
        ("Goethe-Prüfung B1 bis Juni 2027 bestehen", {"Lesen", "Hören", "Schreiben", "Sprechen"}),
        ("三月二十日考雅思", {"听力", "阅读", "写作", "口语"}),
    ],
)
def test_an_exam_that_is_known_has_work_for_each_of_its_parts(text: str, sections: set[str]) -> None:
    goal = understand_goal(text, TODAY, "Europe/Berlin")
    titles = [node["title"] for node in make_outline(goal, family_of(goal))["nodes"]]
    assert all(any(section in title for title in titles) for section in sections)


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("I am away next week", "en"),
        ("move the exam to March", "en"),
        ("ich bin nächste Woche krank", "de"),
        ("Dienstag fällt aus, und im März auch", "de"),
        ("下周我不在", "zh"),
    ],
)
def test_the_language_of_what_is_said(said: str, language: str) -> None:
    """An English "am" makes no German sentence."""
    assert language_of(said) == language
