"""Words that claim an effect are told from words that do not, and lines that speak as the record does are found, however they are dressed."""

import pytest

from steadyhand.gate.claims import claims_done, same_line, state_line

CLAIMS = [
    "I've just gone ahead and rescheduled it.",
    "Your essay is now on Thursday 5-6.",
    "All of it has already been committed to your calendar.",
    "We moved both of them.",
    "The reminder was created.",
    "I took care of it: everything is sorted.",
    "The event was successfully removed.",
    "Chapter 4 got moved.",
    "Booked!",
    "Deleted it for you.",
    "The deck was exported.",
    "That went through.",
    "The mesh is done.",
    "It's been dealt with.",
    "Consider it done.",
    "Your plan's been saved.",
    "It is all in place now.",
    "I sent it.",
    "I ran the script and it worked.",
    "Everything went well.",
    "I cancelled the lecture for you.",
    "The two tasks have now been swapped.",
    "C-1 executed.",
    "I renamed it as you asked.",
    "Already done!",
    "The change is live.",
    "✅ Done",
    "Task 3 is already off your list.",
    "I did it.",
    "I have set up the reminder.",
    "***Done***",
    "C O M P L E T E D",
    "saved :)",
    "The part was meshed and the change was applied.",
    "已经给你改到周五了。",
    "我把它删掉了。",
    "帮你约好了，预约成功。",
    "全部安排妥当。",
    "都处理完了。",
    "刚才已经把第四章放到周三。",
    "已成功导入课程。",
    "课已经调到周二下午了。",
    "提醒设置好了。",
    "文件保存完毕了。",
    "已经替您取消了这节课。",
    "两个任务已对调。",
    "变更已生效。",
    "我已执行该命令。",
    "写进课表了。",
    "搞定啦！",
    "已为你预订。",
    "操作成功。",
    "已经全部更新完成。",
    "已 经 完 成 。",
    "顺利完成了。",
    "已将任务移至周五。",
    "删除成功",
    "Done.",
    "It is done",
    "I have applied it.",
    "Your timetable has been updated.",
    "Executed successfully.",
    "C-1 verified",
    "✅",
    "Everything is in place.",
    "Task complete 🎉",
    "It worked!",
    "You're all set.",
    "\U0001d5d7\U0001d5fc\U0001d5fb\U0001d5f2",
    "D o n e",
    "D0ne",
    "\uff24\uff4f\uff4e\uff45",
    "d\u043ene",
    "It\u2019s do\u200bne.",
    "已完成。",
    "办妥了",
    "好了，都安排妥了。",
    "已批准并执行",
    "done：一切就绪",
]

INNOCENT = [
    "I can move it once you approve.",
    "Shall I put chapter 4 on Wednesday?",
    "Nothing has been changed yet.",
    "It will be written when you approve.",
    "The course is scheduled on Wednesday 3-4.",
    "Here is the complete list of your courses.",
    "What would you like to have done first?",
    "I have not moved anything.",
    "I made a proposal; please look at it above.",
    "I've put it in the draft.",
    "When it is done I will tell you.",
    "The file does not exist.",
    "To finish, say yes.",
    "I looked at your week.",
    "I read the file; it has 40 lines.",
    "Which task should be moved?",
    "You have completed 3 of 5 steps.",
    "The reminder will be set for 8:00 if you like.",
    "No change has been applied.",
    "Once approved, exactly this is written.",
    "C-1 waits for your decision.",
    "Let me know when you are finished with the essay.",
    "There is room on Monday.",
    "I prepared a summary of the two weeks.",
    "It could not be saved.",
    "You're free on Tuesday evening.",
    'It says "done" in your notes.',
    'The task "Finish essay" is pending.',
    "I suggest moving chapter 4 to Friday.",
    "Monday 3-4 is taken by Algebra.",
    "Do you want it deleted?",
    "Approve C-1 and it is executed.",
    "I would put it on Wednesday.",
    "The lecture was moved by the school last week.",
    "Good morning! How can I help?",
    "I'm ready when you are.",
    "Is everything set for tomorrow?",
    "要我把它移到周三吗？",
    "还没有写入。",
    "批准后才会执行。",
    "周三第3-4节是高等数学。",
    "我看了一下课表。",
    "请先批准 C-1。",
    "草稿里已经放好了，还没有提交。",
    "如果成功写入会告诉你。",
    "任务“完成作业”在周三。",
    "完成作业的截止时间是周五。",
    "我建议把第四章移到周五。",
    "你已经完成了三步。",
    "现在什么都没有改。",
    "哪一节要删掉？",
    "这样安排可以吗？",
    "没有冲突，周五有空。",
    "等你批准以后就写入课表。",
    "我可以帮你安排。",
    "需要先确认窗口。",
    "我整理了一份对比。",
    "已安排的课有三门。",
    "提交之前请看一遍。",
    "这个文件不存在。",
    "准备好了就告诉我。",
]


@pytest.mark.parametrize("text", CLAIMS)
def test_words_that_say_something_was_done_are_a_claim(text):
    assert claims_done(text)
    assert claims_done(f"Good. {text}")


@pytest.mark.parametrize("text", INNOCENT)
def test_words_that_ask_deny_suppose_or_tell_what_is_there_are_none(text):
    assert not claims_done(text)


@pytest.mark.parametrize(
    "line",
    [
        "C-7: verified by reading back",
        "**C-7**: verified",
        "\uff23\uff0d\uff17\uff1a验证完成",
        "- C-7 verified by reading back",
        "> `C-7`: done",
        "C\u200b-7: anything",
        "C\u20137: anything",
        "1. C-7: withdrawn, nothing was changed",
        "Status: C-7: verified",
        "As you see, C-7: verified by reading back.",
        "变更 C-7：已撤回",
    ],
)
def test_a_line_in_the_form_of_the_record_is_found(line):
    assert state_line(line) == 7


@pytest.mark.parametrize(
    "line", ["I can explain C-7 to you", "Look at C-7 again.", "Say /approve C-7 if you want it", "C7: a cell", ""]
)
def test_a_line_that_only_names_a_change_is_none(line):
    assert state_line(line) is None


def test_the_records_own_line_is_known_in_any_dress():
    assert same_line("**C-7**: verified by reading back.", "C-7: verified by reading back")
    assert not same_line("C-7: verified by reading back", "C-7: ready")
