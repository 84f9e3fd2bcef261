"""Decides how a change of a part is said in Chinese: what a statement, and a place in it, may look like. It must not hold one that negates or asks."""

from collections.abc import Mapping
from typing import Final

BETWEEN: Final = (
    r" ?(?:[,;、。!\n]|\.(?= |$)) ?"
    r"| ?(?:并且|而且|然后|接着|随后|之后|最后|同时|以及|并|再|和)(?:要|请|把)?(?=[^ ]) ?"
)
OPENERS: Final = r"请|麻烦|劳驾|帮我|给我|我要|我想|先"
CLOSERS: Final = r"谢谢(?:你|您)?|多谢|吧|即可|就行"
JOINT: Final = r" ?(?:、|和|与|及|以及) ?"

_MAKE = "[请|帮我|给我][建|建立|创建|新建|画|做|生成|加|添加|增加|补|要]"
_ONE = "[一块|一个|一张|一片|块|个|另一块|另一个]"
_FLAT = "[平面|矩形|长方形|平面矩形|薄|平|平的]"
_DELETE = "(删除|删掉|移除|去掉|去除|清除|清理)"
_IS = "[为|是|取|用|设为|取为|约|约为|等于|=|:]"
_MEND = "[的|处的|处|上的|上|端|端的|上所有节点|的节点|上的节点|处的节点|的所有节点]"
_ALL = "[全部|完全|都|全]"
_TAKE = "[把|将|对|给]"
_ON = "[在|对|给|于|沿|沿着|把|将]"
_PUT = "[施加|加上|加|作用|受|承受|设|设置|施以]"
_SPACING = "(间距|间隔|步长|每份间距|每份间隔|每份|每次|每份平移|相距)"
_TURN = "(每份|间隔|每次|每份转|每次转|角度|夹角|每份角度|间隔角度|间隔角)"
_NODES = "(节点|结点)"
_MIRROR = "(镜像|镜面|对称)"
_E = "(弹性模量|杨氏模量|弹模|e=|e为|弹性模量=|弹性模量为|杨氏模量=|杨氏模量为|e:|弹性模量:){youngs:modulus}"
_NU = "(泊松比|ν|nu|μ|mu)[=|为|是|取|:]{poisson:ratio}"
_RHO = "(密度|ρ|rho)[=|为|是|取|:]{density:density}"

CELLS: Final[Mapping[str, tuple[str, ...]]] = {
    "all": ("整体", "(全部|所有|一切)[的]单元", "(全部|所有)", "整个(部件|模型|结构)", "全体单元", "它", "其"),
    "set": (
        "[单元]集合{name:name}[的|里的|中的|里|中|内的|上的][全部|所有][单元]",
        "{name:name}[单元]集合[的|里的|中的][全部|所有][单元]",
    ),
    "labels": ("[第]单元{labels:labels}[号|号单元]",),
    "side": ("{side:side}[的|一侧的|一边的|一端的|侧的|边的|端的][所有|全部]单元",),
    "plane": ("{axis:axis}[轴]={at:length}[的|处的|平面的|面的|上的|平面上的|面上的|处][所有|全部]单元",),
    "box": (
        "[从]{low:point}(到|至){high:point}的(长方体|范围|区域|盒|盒子|框)[内|里|中|之内][的][所有|全部][单元]",
        "(盒|盒子|框){low:point}(到|至){high:point}[内|里|中|之内][的][所有|全部][单元]",
    ),
    "shape": ("(所有|全部)[的]{shape:shape}", "[所有|全部]{shape:shape}单元"),
}
SAMPLE_CELLS: Final = "所有单元"

SPOTS: Final[Mapping[str, tuple[str, ...]]] = {
    "short": ("[两条|两个|两|全部|所有|两侧|两端]短边", "短边两端", "两端短边"),
    "one_short": ("(一条|一个|其中一条|一侧|一端|某条)[的]短边",),
    "long": ("[两条|两个|两|全部|所有|两侧]长边",),
    "one_long": ("(一条|一个|其中一条|一侧|某条)[的]长边",),
    "edges": ("(四边|四周|周边|四条边|四个边|各边|所有边|全部边|四周边|四条边界|所有边界|周界)",),
    "hands": ("左右(两边|两端|两侧|边|端|侧)",),
    "set": ("[节点|单元]集合{name:name}", "{name:name}[节点|单元]集合"),
    "side": (
        "{side:side}[的][一侧|一边|一端|那侧|那边|那端|侧|边|端|面|处|的边|的面|一面]",
        "{side:side}[的]边缘",
    ),
    "plane": (
        "{axis:axis}[轴]={at:length}[的|处的][一边|一侧|一端|那边|那条边|这条边|边|侧|端|处|平面|面|线|位置|边缘]",
        "{axis:axis}等于{at:length}[的|处的][一边|一侧|一端|那边|边|处|平面|面]",
    ),
    "labels": (f"{_NODES}{{labels:labels}}[号]",),
    "box": (
        "(盒|盒子|框){low:point}(到|至){high:point}[内|里|中|之内]",
        "[从]{low:point}(到|至){high:point}的(盒|盒子|框|范围)[内|里|中|之内]",
    ),
}
SAMPLE_SPOTS: Final = "x=0 的一边"

PHRASES: Final[Mapping[str, tuple[str, ...]]] = {
    "plate": (
        f"{_MAKE}{_ONE}{{size:sizes}}[的]{_FLAT}[{{material:material}}](板|薄板|平板|壳|板壳)",
        f"{_MAKE}{_ONE}{{size:sizes}}[,]厚[度]{_IS}{{thickness:size}}的{_FLAT}[{{material:material}}](板|薄板|平板)",
        f"{_MAKE}{_ONE}[厚|厚度]{{thickness:size}}[厚]的{{size:sizes}}[的]{_FLAT}[{{material:material}}](板|薄板|平板)",
        f"{_MAKE}{_ONE}{_FLAT}[{{material:material}}](板|薄板|平板)[,|:]{{size:sizes}}",
        f"{_MAKE}{_ONE}{_FLAT}[{{material:material}}](板|平板)[,|:]尺寸{_IS}{{size:sizes}}",
        f"{_MAKE}{_ONE}长{_IS}{{length:size}}[,|、]宽{_IS}{{width:size}}的{_FLAT}[{{material:material}}](板|薄板|平板)",
        f"{_MAKE}{_ONE}{_FLAT}[{{material:material}}](板|薄板|平板)[,|:]长{_IS}{{length:size}}[,|、]宽{_IS}{{width:size}}",
    ),
    "beam": (
        f"{_MAKE}[一根|一条|一|根|条]从{{p:point}}(到|至){{q:point}}的[直|水平|竖](梁|杆|梁单元|加强筋|加劲肋|直梁)",
        f"{_MAKE}[一根|一条|根|条](梁|杆|加强筋|加劲肋|直梁)[,|:]从{{p:point}}(到|至){{q:point}}",
        f"从{{p:point}}(到|至){{q:point}}{_MAKE}[一根|一条|根](梁|杆|加强筋|加劲肋)",
    ),
    "triangle": (
        f"[用|过|在|以|由|经过](三点|三个点|点|三个顶点){{points:three}}[处]{_MAKE}[出|成|一个|上一个|个|一块]三角形[单元]",
        f"{_MAKE}[一个|个|一块]三角形[单元][,|:][过|在|用|以](三点|顶点|三个顶点|三个点|点){_IS}{{points:three}}",
    ),
    "quad": (
        f"[用|过|在|以|由|经过](四点|四个点|点|四个顶点){{points:four}}[处]{_MAKE}[出|成|一个|上一个|个|一块]四边形[单元]",
        f"{_MAKE}[一个|个|一块]四边形[单元][,|:][过|在|用|以](四点|顶点|四个顶点|四个点|点){_IS}{{points:four}}",
    ),
    "element_size": (
        f"(单元|网格|单元尺寸|单元大小|单元边长|单元长度|网格尺寸|网格大小|网格密度){_IS}{{value:size}}",
        "[用|取]{value:size}[大小|大]的(单元|网格)",
    ),
    "divisions": (
        "[网格|单元](划分|分|划|剖分|分割)[成|为]{value:counts}[个|份|格][单元]",
        "{value:counts}[个](单元|网格|份|格)",
    ),
    "origin": ("(左下角|一角|角点|起点|原点|起始角)[在|位于|是|为|取|:]{value:point}",),
    "center": ("(中心|形心|中心点)[在|位于|是|为|取|:]{value:point}",),
    "in_plane": ("[放|置|位|平行][在|于]{value:plane}[平]面[内|上|里|中]",),
    "new_set": (
        "[把它们|把它|将其|将它们|把新单元](建立|创建|新建|定义|生成|建|做成|放入|放进|归入|存为|存入|加入)[一个|单元|一个单元]集合[,|:][名为|叫|叫做|命名为|名字叫]{name:new}",
        "[把它们|把它|将其|将它们|把新单元](建立|创建|新建|定义|生成|建|做成|放入|放进|归入|存为|存入|加入)[一个|单元]集合{name:new}",
    ),
    "copy": (
        f"{_TAKE}[{{where:cells}}](复制|拷贝)[一份|一个|一次][,|并|再|到|后|,并|,再|并且][平移|移动|偏移|移|移到][沿|矢量|向量|距离|到]{{vector:step}}",
        f"{_TAKE}[{{where:cells}}](平移复制|移动复制|复制平移|复制并平移|复制平移一份)[一份][沿|矢量|向量|到]{{vector:step}}",
        f"{_TAKE}[{{where:cells}}](复制|拷贝)[一份|一个|一次][,|并|再|后|,并|,再][平移|移动|偏移|移][到|沿|向|往]{{signed:signed}}[轴|方|轴方向|方向|方向平移|方向移动]{{distance:size}}",
    ),
    "move": (
        f"{_TAKE}[{{where:cells}}](平移|移动|偏移|整体平移)[沿|矢量|向量|距离]{{vector:step}}",
        f"{_TAKE}[{{where:cells}}][沿|向|往]{{signed:signed}}[轴|方|轴方向|方向](平移|移动|偏移){{distance:size}}",
    ),
    "rotate": (
        f"{_TAKE}[{{where:cells}}]绕[着]{{axis:axis}}[轴](转|旋转|转动){{degrees:angle}}(度|°)",
        f"{_TAKE}[{{where:cells}}]绕[着][过|通过|经过]{{point:point}}的{{axis:axis}}[轴|方向轴](转|旋转|转动){{degrees:angle}}(度|°)",
    ),
    "rotate_copy": (
        f"{_TAKE}[{{where:cells}}](复制|拷贝)[一份][,|并|再|,并|,再]绕[着]{{axis:axis}}[轴](转|旋转|转动){{degrees:angle}}(度|°)",
        f"{_TAKE}[{{where:cells}}]绕[着]{{axis:axis}}[轴](旋转复制|转动复制)[一份]{{degrees:angle}}(度|°)",
        f"{_TAKE}[{{where:cells}}](复制|拷贝)[一份][,|并|再|,并|,再]绕[着][过|通过]{{point:point}}的{{axis:axis}}[轴](转|旋转|转动){{degrees:angle}}(度|°)",
    ),
    "mirror_copy": (
        f"{_TAKE}[{{where:cells}}][沿|关于|以|对|按|沿着]{{axis:axis}}[轴|方向|向|轴方向]{_MIRROR}(复制|拷贝)[一份]",
        f"{_TAKE}[{{where:cells}}][沿|关于|以|对|按]{{axis:axis}}={{at:length}}[平面|面|为镜面|平面为镜面]{_MIRROR}(复制|拷贝)[一份]",
        f"{_MIRROR}(复制|拷贝)[一份][,][关于|沿|对]{{axis:axis}}={{at:length}}[平面|面]",
    ),
    "mirror": (
        f"{_TAKE}[{{where:cells}}][沿|关于|以|对|按|沿着]{{axis:axis}}[轴|方向|向|轴方向](镜像|镜面翻转)",
        f"{_TAKE}[{{where:cells}}][沿|关于|以|对|按]{{axis:axis}}={{at:length}}[平面|面|为镜面](镜像|镜面翻转)",
    ),
    "linear_array": (
        f"{_TAKE}[{{where:cells}}][做|建|进行][线性|直线|线]阵列{{count:count}}[份|个|次][,]{_SPACING}{_IS}{{vector:step}}",
        f"{_TAKE}[{{where:cells}}]沿{{vector:step}}[线性|直线]阵列{{count:count}}(份|个|次)",
        f"{_TAKE}[{{where:cells}}]沿{{signed:signed}}[轴|方向|向|轴方向][线性|直线]阵列{{count:count}}[份|个|次][,]{_SPACING}{_IS}{{distance:size}}",
    ),
    "polar_array": (
        f"{_TAKE}[{{where:cells}}]绕{{axis:axis}}[轴][做](环形|圆周|圆形|极|环向|周向)阵列{{count:count}}[份|个|次][,]{_TURN}{_IS}{{degrees:angle}}(度|°)",
        f"{_TAKE}[{{where:cells}}](环形|圆周|圆形|极|环向|周向)阵列{{count:count}}[份|个|次][,]绕{{axis:axis}}[轴][,]{_TURN}{_IS}{{degrees:angle}}(度|°)",
        f"{_TAKE}[{{where:cells}}]绕[过|通过]{{point:point}}的{{axis:axis}}[轴][做](环形|圆周|圆形|极|环向|周向)阵列{{count:count}}[份|个|次][,]{_TURN}{_IS}{{degrees:angle}}(度|°)",
    ),
    "merge": (
        f"(合并|缝合|焊接)[重合|重复|重叠|相同位置|接缝处|接缝|缝上][的]{_NODES}[,](容差|公差|误差|距离){_IS}{{tolerance:size}}",
        f"[按|用|以](容差|公差){_IS}{{tolerance:size}}(合并|缝合)[重合|重复|重叠][的]{_NODES}",
        f"(合并|缝合)[重合|重复|重叠|接缝处|接缝|缝上][的]{_NODES}",
        f"合并相距{{tolerance:size}}[以内|之内]的{_NODES}",
    ),
    "duplicates": (f"{_DELETE}(重复|重叠|多余重复)[的]单元", "(去重|单元去重|去掉重复单元)"),
    "free_nodes": (f"{_DELETE}(自由|孤立|游离|没用到|未使用|没有用到|悬空|无用)[的]{_NODES}",),
    "audit": ("(审计|检查|核查|审核)[一下|一遍|一次|部件|模型|几何|整个部件|整个模型]",),
    "audit_mesh": ("(检查|审计|核查)[一下](网格|网格质量|单元质量)", "网格(检查|审计)"),
    "audit_property": ("(检查|审计|核查)[一下](属性|截面分配|截面|材料和截面|材料截面|属性分配)",),
    "refine": (
        f"{_TAKE}[{{where:cells}}][整体](细分|加密|二分)[网格|单元]{{levels:times}}",
        f"{_TAKE}[{{where:cells}}][网格|单元](细分|加密){{levels:times}}[,]只(对|细分|加密|限|要){{only:shape}}",
        f"{_TAKE}(网格|单元)(细分|加密){{levels:times}}",
        "只(对|把){only:shape}(细分|加密){levels:times}",
        "只(细分|加密){only:shape}[,]{levels:times}",
    ),
    "delete_elements": (f"{_DELETE}[第]单元{{labels:labels}}[号|号单元]", f"{_DELETE}{{labels:labels}}号单元"),
    "delete_nodes": (f"{_DELETE}{_NODES}{{labels:labels}}[号]",),
    "delete_region": (
        f"{_DELETE}集合{{set:name}}(的|里的|中的|内的)[全部|所有]单元",
        f"{_DELETE}{{side:side}}[的|一侧的|一边的|一端的|侧的]单元",
        f"{_DELETE}{{axis:axis}}={{at:length}}[的|处的|平面的|面上的|平面上的]单元",
        f"{_DELETE}[从]{{low:point}}(到|至){{high:point}}的(盒|盒子|框|范围)[内|里|中][的]单元",
    ),
    "remove_set": (f"{_DELETE}集合{{name:name}}[本身]",),
    "preset": (
        "[材料|材质|采用|用|使用|选用|选]{material:material}",
        "(材料|材质)(为|是|用|采用|取|选用|选|:|=){material:material}",
        "{material:material}[的]材料",
    ),
    "material": (
        *(
            f"[定义|新建|建立|创建|用|采用]材料[:|为|是]{name}[,|:|,其]{_E}{rest}"
            for name in ("{preset:material}", "{name:new}")
            for rest in (f"[,|、]{_NU}", f"[,|、]{_NU}[,|、]{_RHO}")
        ),
        f"[定义|新建|用|采用]材料[:|为|是]{{preset:material}}[,|:|,其]{_E}",
    ),
    "thickness": (
        f"[板|壳|其](厚|厚度|板厚|壳厚|截面厚|截面厚度){_IS}{{thickness:size}}",
        "{thickness:size}(厚|厚度)",
        f"{_TAKE}{{where:cells}}[的|用](厚|厚度|板厚|壳厚){_IS}{{thickness:size}}",
        "[给|把]{where:cells}(赋|赋予|设|分配)[给]{thickness:size}[的](厚|厚度)",
        f"{_TAKE}{{where:cells}}(设为|改为|改成|设成|取){{thickness:size}}厚",
    ),
    "rect": (f"[梁|用|采用|梁的|梁用][截面{_IS}]矩形[截面]{_IS}{{size:sizes}}", "{size:sizes}[的]矩形截面"),
    "circ": (
        f"[梁|用|采用|梁用](圆|圆形|实心圆)截面[,]半径{_IS}{{radius:size}}",
        f"[梁|用|采用|梁用](圆|圆形|实心圆)截面[,]直径{_IS}{{diameter:size}}",
    ),
    "pipe": (
        f"[梁|用|采用|梁用](圆管|管|管形)[截面][,][外]半径{_IS}{{radius:size}}[,|、](壁厚|厚){_IS}{{wall:size}}",
        f"[梁|用|采用|梁用](圆管|管|管形)[截面][,][外]直径{_IS}{{diameter:size}}[,|、](壁厚|厚){_IS}{{wall:size}}",
    ),
    "boxed": (f"[梁|用|采用|梁用](箱形|箱型|方管|矩形管)[截面]{_IS}{{size:sizes}}[,|、](壁厚|厚){_IS}{{wall:size}}",),
    "n1": (
        "[截面|梁|梁截面][的](方向|第一轴|第一轴方向|n1|n1方向|截面方向)[为|沿|取|=|:|是]{value:direction}",
        "n1={value:direction}",
    ),
    "fix": (
        f"{_ON}{{place:spots}}{_MEND}{_ALL}(固定|固支|夹支|夹紧|嵌固|刚固|全固定)[住|死|支承|约束]",
        f"(固定|夹支|夹紧|固支|嵌固)[住]{{place:spots}}{_MEND}",
        f"[在]{{place:spots}}{_MEND}{_PUT}(固定|固支|夹支)(约束|支承|边界|边界条件)",
    ),
    "pin": (
        f"{_ON}{{place:spots}}{_MEND}{_ALL}(铰支|简支|铰接)[住|支承|约束]",
        f"(铰支|简支|铰接)[住]{{place:spots}}{_MEND}",
        f"[在]{{place:spots}}{_MEND}{_PUT}(铰支|简支|铰接)(约束|支承|边界|边界条件)",
    ),
    "hold": (
        f"{_ON}{{place:spots}}{_MEND}[只|仅](限制|约束|固定){{axes:axes}}[向|方向|轴方向|轴向][的][位移|平移]",
        f"[只|仅](限制|约束|固定){{place:spots}}{_MEND}{{axes:axes}}(向|方向|轴方向|轴向)[的][位移|平移]",
    ),
    "symmetry": (
        "[关于|对|以|在]{axis:axis}={at:length}[平面|面|处|上|的面|平面上|的平面](为|是|取|设为|用|加|施加|设|作为|做)[一个]对称(面|约束|边界|边界条件|条件|平面)",
        "[关于|对|以|在]{axis:axis}={at:length}[平面|面|处|上|的面|平面上|的平面]对称(面|约束|边界|边界条件|条件)",
        "对称面[为|是|在|取|:]{axis:axis}={at:length}",
        "结构关于{axis:axis}={at:length}[平面|面]对称",
    ),
    "remove_support": ("(删除|删掉|去掉|移除|解除)(支承|约束|支座|边界|边界条件){name:name}",),
    "remove_load": ("(删除|删掉|去掉|移除)(载荷|荷载){name:name}",),
    "pressure": (
        f"{_PUT}[均布](面压|压力|压强|面压力|面载荷|均布压力|均布面压|均布载荷){_IS}{{magnitude:pressure}}",
        f"{_ON}{{where:cells}}[上|的上面]{_PUT}[均布](面压|压力|压强|面压力|均布压力|均布面压){_IS}{{magnitude:pressure}}",
        f"(面压|压力|压强|均布压力|均布面压){_IS}{{magnitude:pressure}}[,](作用在|作用于|加在|施加在|施加于|在){{where:cells}}[上]",
        "[施加|加|承受|受]{magnitude:pressure}[的][均布](面压|压力|压强|均布压力|均布面压)",
        "[在|对|给]{where:cells}[上](施加|加|作用|承受|受){magnitude:pressure}[的][均布](面压|压力|压强|均布压力|均布面压)",
    ),
    "force": (
        f"{_ON}{{place:spots}}{_MEND}{_PUT}[一个](总力|合力|总载荷|总的力){_IS}{{components:forces}}",
        f"{_PUT}(总力|合力){_IS}{{components:forces}}[,](作用在|作用于|加在|施加在|在){{place:spots}}{_MEND}",
    ),
    "force_each": (f"{_ON}{{place:spots}}{_MEND}{_PUT}每[个]节点[力|上|的力|施加|受力]{_IS}{{components:forces}}",),
    "force_plain": (
        f"{_ON}{{place:spots}}{_MEND}{_PUT}[一个](力|集中力|集中载荷|拉力|载荷|荷载){_IS}{{components:forces}}",
        f"{_PUT}[一个](力|集中力){_IS}{{components:forces}}[,](作用在|作用于|加在|施加在|在){{place:spots}}{_MEND}",
    ),
    "force_along": (
        f"{_ON}{{place:spots}}{_MEND}{_PUT}{{magnitude:force}}[,|的][沿|向|朝]{{signed:signed}}[轴|方向|向|轴方向][的](总力|合力|力|集中力|载荷)",
        f"{_ON}{{place:spots}}{_MEND}{_PUT}(总力|合力|力|集中力){_IS}{{magnitude:force}}[,](沿|向|朝|方向){{signed:signed}}[轴|方向|向|轴方向]",
    ),
    "gravity": (
        "[加|加上|施加|计入|计及](重力|自重|重力载荷)",
        "[加|加上|施加|计入|计及](重力|自重)[,](沿|向|朝|方向为|方向|方向沿){signed:signed}[轴|方向|向]",
        f"[加|加上|施加](重力|重力加速度|加速度){_IS}{{components:acceleration}}",
    ),
    "solve": (
        "[并|再|做|进行|运行|提交](求解|计算|静力求解|静力分析|静力计算|求解器|线性静力分析)[一下|一次|它]",
        "求解[静力|静力问题|算例|模型|部件]",
    ),
    "solve_accurately": (
        "[用|以|采用](二阶单元|二阶|s8r|高阶单元|s8r单元)求解",
        "(精确|高精度|更精确|精细)[地]求解",
        "求解[,][要|用|采用|取](二阶单元|二阶|s8r|高精度|更精确|精确|精确些)",
    ),
}
