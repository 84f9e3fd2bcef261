"""What people say after a review, and how it is to be read: each phrase with yes, no, or nothing at all."""

YES_ZH = r"""
好|好的|好。|好！|好～|好啊|好的，谢谢|好的 批准|嗯，好的|可以|可以。|可以的|可以，执行吧|行|行！|同意|我同意|同意。同意！|批准|批准！！|批准吧|确认|确认。|確認|是|是的|是的，确认
对|执行|执行吧|请执行|开始执行|确认执行|就这样|就这么办|照办|没问题|没问题，执行吧|提交吧|👍|👍🏽|好的 👍|当然可以|　好的　|好的。\n批准|OK的|ok，执行吧|谢谢，可以
""".strip()

NO_ZH = """
不|不要|不要。|不要！|不行|不可以|不同意|我不同意|不批准|不用了|不用，谢谢|不想|否|拒绝|驳回|取消|取消。|算了|算了吧|别|不，谢谢|不要，取消|还是算了
""".strip()

NEITHER_ZH = """
不对|不是|不好|不了|先别|先不要|先等等|等等|等一下|稍等|再想想|再看看|不着急|还没|没想好|没错|不错|很好|太好了|好极了|好看|好人|好吗|好吗？|好？|可以吗|可以吗？|行吗|行不行|可不可以|是不是|对吧|是吧|对不对
好，但是先改周三|好，不过第二条不要|好的，等我看完|可以，先别执行|同意一半|批准？|批准吗|如果没有冲突就批准|除了周三都可以|要是能改就好了|他说好|他说“好”|“好”|「好」|"好"|『批准』|> 好|（好）|【批准】|老师同意了|我妈同意了|大家都说可以
什么是批准|怎么批准|为什么要确认|谁批准|哪些可以|几个可以|好了|好好好吧哈哈|好……|好...|好。。|哈哈|哈哈哈好|笑死|🆗|✅|嗯|嗯嗯|哦|知道了|收到|了解|辛苦了|谢谢|明白|随便|都行吧看你|还行|还可以|差不多|大概可以|也许可以|应该可以|可能可以
好 的 吧 改成周五|把第一条改成周五|好像不对|好奇怪|可以再少一点|行程改一下|是周三还是周四|对面的教室|批准第一条|确认一下周三有没有课|执行的是哪个|不是不可以|不是不行|不会不同意吧|同意，但|不同意？|取消周三的课|别忘了批准|不要忘记确认|批准 C-9 那个|/好|好/不好|1|2|第一个|C-1|C-1。
""".strip()

YES_EN = r"""
yes|Yes|YES|yes.|yes!|Yes!!!|yes please|Yes, please.|yes, go ahead|yes go ahead|yes do it|yes yes|y|Y|ｙｅｓ|ＹＥＳ！|yep|yup|yeah|ok|OK|Ok.|okay|okay then|ok thanks|OK, do it now|sure|Sure!|sure, thanks|of course
approve|Approve.|approved|i approve|I approve|please approve|confirm|confirmed|I confirm.|I agree|agreed|go ahead|Go ahead, please|do it|do it now|please do|please proceed|looks good|Looks good, go ahead.|lgtm|fine|Fine.|good|Good!|that's fine|👍|yes 👍|lgtm|LGTM!|sounds good|absolutely|  yes  |yes\nplease
""".strip()

NO_EN = """
no|No|NO|no.|No!|n|N|ｎｏ|nope|nah|no no|no thanks|No, thanks.|no thank you|no way|deny|Deny it.|reject|reject it|decline|I decline|cancel|cancel it|Cancel that.|don't|Don't.|don’t|do not|don't do it|please don't|never mind|nevermind|forget it|no, cancel it
""".strip()

NEITHER_EN = """
not yet|Not yet.|not now|not really|not sure|no problem|no worries|no idea|no rush|no, wait|no but yes|yes and no|yes, no|no yes|wait|hold on|hold on, yes|later|maybe|maybe yes|perhaps|almost|yes but move Wednesday|yes, but not on Friday|yes except the second|yes if there is no clash
yes unless it rains|yes, only the first|yes first change Monday|ok but|okay, wait|ok...|yes…|yes?|ok?|ok?!|sure?|approve?|yes ?|approved by whom|who approves|can I approve|is it ok|are you sure|does it look good|what is yes|why approve|how do I confirm|which one|could you approve it|why not|I can't say yes
I won't approve|don't approve|do not approve|never approve|stop|stop it|don't stop|he said yes|she said "yes"|"yes"|'yes'|“yes”|> yes|(yes)|[yes]|*yes*|`yes`|they approved|my boss approves|my boss says go ahead|everybody agreed|yes man|yesterday|okra|surely|surefire|approval|approve C-1 later|confirm the room|confirm Wednesday|do it on Friday
do it again|go|go on|going|looks good except Friday|looks bad|sounds good, but|lol|LOL|haha|hahaha yes|lmao ok|:)|ok :)|yes :)|👌|🆗|✅|thumbs up|thanks|thank you|please|then|now|great|cool|nice|perfect|hmm|hm|mm|uh huh|right|yeah right|true|correct|got it|noted|I see|whatever|k|yes/no|y/n|1|2|the first one|C-1|1. yes
- yes|yes: all|yes=no|y e s|yesyes|yes_|x yes|yes x|cancel Wednesday|cancel the second and approve the rest|reject? no|no?|deny?|not no|cannot|I cannot|nothing|none|say yes|if you say so, yes
""".strip()


def split(table: str) -> list[str]:
    return [phrase.replace("\\n", "\n") for line in table.split("\n") for phrase in line.split("|")]
