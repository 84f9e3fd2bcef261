"""A person's own acts on courses and tasks: one step when the words say it all, shown first when they do not."""

import sqlite3
from pathlib import Path

from command_line.ground import TASK_FILE, Line, content, states


def _decisions(database: Path) -> list[tuple[str, ...]]:
    with sqlite3.connect(database) as connection:
        return list(connection.execute("SELECT kind, decided_by, words FROM decisions ORDER BY at"))


def test_a_direct_act_is_one_step_and_recorded_as_the_persons_own(seeded: Line) -> None:
    done = seeded.ok("schedule", "course", "add", "Chess", "--day", "sat", "--slots", "3-4", "--weeks", "1-16", "--odd")
    assert "+ Chess (course)" in done.out
    assert "weeks 1-15 odd Sat slots 3-4" in done.out
    assert done.out.strip().endswith("C-3: verified by reading back")
    kind, by, words = _decisions(seeded.database)[-1]
    assert (kind, by) == ("approve", "direct_act")
    assert words.endswith("schedule course add Chess --day sat --slots 3-4 --weeks 1-16 --odd")
    cells = [cell for cell in content(seeded.database)["cells"] if cell[0] == "Chess"]
    assert len(cells) == 8 * 2


def test_with_json_an_act_prints_the_change_that_it_made(seeded: Line) -> None:
    change = seeded.ok("--json", "schedule", "tasks", "add", "Read").data["change"]
    assert (change["name"], change["state"]) == ("C-3", "verified")
    assert [item["name"] for item in change["view"]["items"]] == ["Other", "Read"]
    assert seeded.ok("--json", "schedule", "tasks", "add", "Read").data == {"change": None}


def test_an_act_that_meets_another_course_is_refused_and_leaves_no_change_behind(seeded: Line) -> None:
    before = seeded.dump()
    refused = seeded("schedule", "course", "add", "Chess", "--day", "1", "--slots", "1-2")
    assert refused.code == 2
    assert "高等数学" in refused.err
    assert seeded.dump() == before


def test_a_direct_act_elsewhere_leaves_a_proposal_that_waits_alone(seeded: Line) -> None:
    seeded.ok("schedule", "place", "选题与需求说明", "2026-09-12", "1")
    seeded.ok("schedule", "propose")
    seeded.ok("schedule", "tasks", "add", "Essay")
    assert states(seeded.database)[-2:] == [(3, "sealed"), (4, "verified")]
    seeded.ok("change", "approve", "C-3", seeded.ok("--json", "change", "show", "C-3").data["seal_digest"])
    assert ("选题与需求说明", 1, 6, 1, None) in content(seeded.database)["cells"]


def test_a_course_is_edited_marked_and_removed(seeded: Line) -> None:
    seeded.ok("schedule", "course", "edit", "形势与政策", "--weeks", "9-10", "--place", "教一 101")
    seeded.ok("schedule", "course", "embeddable", "形势与政策")
    assert ("形势与政策", "course", 1, "c11@timetable.example.edu") in content(seeded.database)["events"]
    known = {one[4:] for one in content(seeded.database)["particulars"] if one[0] == "形势与政策"}
    assert {(place, teacher) for _, _, place, teacher in known} == {("教一 101", "陈老师")}
    assert sorted({cell[1] for cell in content(seeded.database)["cells"] if cell[0] == "形势与政策"}) == [9, 10]
    assert "nothing to change" in seeded.ok("schedule", "course", "embeddable", "形势与政策").out
    seeded.ok("schedule", "course", "embeddable", "形势与政策", "--off")
    listed = seeded.ok("--json", "schedule", "course", "list").data["courses"]
    found = next(one for one in listed if one["name"] == "形势与政策")
    assert found["embeddable"] is False
    seeded.ok("schedule", "course", "remove", f"[{found['id']}]")
    assert "形势与政策" not in [event[0] for event in content(seeded.database)["events"]]


def test_removing_a_course_with_an_embedded_task_or_several_is_shown_first(seeded: Line) -> None:
    seeded.ok("schedule", "course", "embeddable", "思想道德与法治")
    seeded.ok("schedule", "place", "整理实验数据", "2026-11-05", "9")
    seeded.ok("schedule", "propose")
    seeded.approve()
    before = content(seeded.database)
    for names in (("思想道德与法治",), ("线性代数", "大学物理实验")):
        shown = seeded.ok("schedule", "course", "remove", *names)
        assert "steady change approve" in shown.out
        assert content(seeded.database) == before
    seeded.ok("schedule", "course", "remove", "思想道德与法治")
    seeded.approve()
    assert not [cell for cell in content(seeded.database)["cells"] if cell[0] == "整理实验数据"]
    assert "整理实验数据" in str(content(seeded.database)["items"])


def test_one_task_is_added_with_the_details_in_its_words_or_options(seeded: Line) -> None:
    seeded.ok("schedule", "tasks", "add", "写论文提纲（2节，12月20日前，优先）", "--category", "论文")
    seeded.ok(
        "schedule", "tasks", "add", "Read", "--slots", "3", "--before", "week 6", "--after", "2026-09-20", "--priority", "1"
    )
    items = content(seeded.database)["items"]
    assert ("论文", "写论文提纲", 0, 2, None, "2026-12-20", 4) in items
    assert ("Other", "Read", 0, 3, "2026-09-20", "2026-10-18", 1) in items
    again = seeded.ok("schedule", "tasks", "add", "写论文提纲（2节，12月20日前，优先）", "--category", "论文")
    assert "nothing to change" in again.out
    assert content(seeded.database)["items"] == items


def test_a_list_is_shown_first_and_the_same_list_again_changes_nothing(seeded: Line, tmp_path: Path) -> None:
    more = tmp_path / "more.csv"
    more.write_text("category,task,slots\nEnglish,Essay: my home town,2\nEnglish,Grammar,1\n")
    before = content(seeded.database)["items"]
    assert "nothing to change" in seeded.ok("schedule", "tasks", "add", TASK_FILE).out
    shown = seeded.ok("schedule", "tasks", "add", str(more))
    assert "+ Grammar" in shown.out
    assert "+ Essay" not in shown.out
    assert content(seeded.database)["items"] == before
    seeded.approve()
    assert len(content(seeded.database)["items"]) == len(before) + 1


def test_a_task_is_edited_and_its_place_takes_the_new_name_along(seeded: Line) -> None:
    seeded.ok("schedule", "place", "Oral presentation", "2026-09-12", "1")
    seeded.ok("schedule", "propose")
    seeded.approve()
    seeded.ok("schedule", "tasks", "edit", "Oral presentation", "--name", "Talk", "--before", "none", "--priority", "2")
    assert ("English", "Talk", 3, 2, None, None, 2) in content(seeded.database)["items"]
    assert ("Talk", 1, 6, 1, None) in content(seeded.database)["cells"]
    seeded.ok("schedule", "tasks", "edit", "Talk", "--category", "其他")
    assert ("其他", "Talk", 2, 2, None, None, 2) in content(seeded.database)["items"]
    seeded.ok("schedule", "tasks", "edit", "学术讲座", "--name", "讲座")
    assert "讲座" in [event[0] for event in content(seeded.database)["events"]]


def test_one_task_is_removed_in_one_step_and_several_are_shown_first(seeded: Line) -> None:
    count = len(content(seeded.database)["items"])
    assert "verified" in seeded.ok("schedule", "tasks", "remove", "Oral presentation").out
    shown = seeded.ok("schedule", "tasks", "remove", "Essay: my home town", "体测准备", "学术讲座")
    assert "3 to be removed" in shown.out
    assert len(content(seeded.database)["items"]) == count - 1
    seeded.approve()
    assert len(content(seeded.database)["items"]) == count - 3
    assert "学术讲座：大模型与教育" not in [event[0] for event in content(seeded.database)["events"]]
