"""How the report card's page looks: system fonts, little colour, light and dark, wide and narrow.

Text is at least 4.5 to 1 on its ground in both schemes; a test computes it from these very values.
"""

from __future__ import annotations

COLOURS = {
    "light": {
        "ground": "#fcfbf8",
        "raised": "#f4f2ec",
        "text": "#22262a",
        "quiet": "#5b6167",
        "rule": "#dedad0",
        "strong": "#1d5673",
        "middle": "#5c97b4",
        "soft": "#b3cfdc",
        "warm": "#b8562e",
        "leaf": "#6f8f5a",
        "grey": "#bdb9af",
        "other": "#dcd8ce",
    },
    "dark": {
        "ground": "#16191c",
        "raised": "#1f2427",
        "text": "#e3e5e6",
        "quiet": "#a2aab0",
        "rule": "#33393e",
        "strong": "#93cbe6",
        "middle": "#4c8fb0",
        "soft": "#2d5a73",
        "warm": "#e28d63",
        "leaf": "#8fb279",
        "grey": "#5d656b",
        "other": "#3d4448",
    },
}
TONES = ("strong", "middle", "soft", "warm", "leaf", "grey", "other")

_PAGE = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--text);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header,main,footer{max-width:70rem;margin:0 auto;padding:0 1rem}
header{padding-top:2.5rem}
h1{font-size:1.9rem;line-height:1.2;margin:0;font-weight:650;letter-spacing:-.01em}
h2{font-size:1.05rem;line-height:1.35;margin:0;font-weight:650}
p{margin:0 0 .75rem;max-width:44rem;overflow-wrap:anywhere}
.lede::first-letter,.note::first-letter,.claim span::first-letter{text-transform:uppercase}
.nb{white-space:nowrap}
.over{color:var(--quiet);margin:0 0 .35rem}
.window{color:var(--quiet);margin:.35rem 0 0}
.warning{border-left:3px solid var(--warm);padding-left:.75rem;margin:1rem 0 0}
.claim b{display:block;font-weight:400;font-size:1rem;color:var(--quiet)}
.claim span{display:inline-block}
.claim{font-size:1.15rem;line-height:1.45;margin:1.5rem 0 0;max-width:44rem}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:1rem 1.5rem;
margin:1.5rem 0 0}
.facts div{display:flex;flex-direction:column-reverse;justify-content:flex-end;
border-top:1px solid var(--rule);padding-top:.5rem}
.facts dt{color:var(--quiet);font-size:.875rem;line-height:1.35}
.facts dd{margin:0;font-size:1.5rem;line-height:1.3;font-variant-numeric:tabular-nums}
section{border-top:1px solid var(--rule);margin-top:2.25rem;padding-top:1.5rem}
section>h2{margin-bottom:.5rem}
.note{color:var(--quiet);font-size:.9rem;line-height:1.5}
.parts{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem 2.5rem;margin-top:1rem;align-items:start}
figure{margin:0;min-width:0}
figcaption{font-size:.9rem;font-weight:600;margin-bottom:.25rem}
.key{display:flex;flex-wrap:wrap;gap:.1rem 1rem;list-style:none;margin:0 0 .25rem;padding:0;font-size:.85rem;
color:var(--quiet)}
.key i{display:inline-block;width:.7rem;height:.7rem;border-radius:2px;margin-right:.4rem}
svg.chart{display:block;width:100%;max-width:30rem;height:auto;overflow:visible}
.chart text{font-size:12px;fill:var(--quiet)}
.chart .value{fill:var(--text);text-anchor:start}
.stacked .x .guide,.beside .x .guide{display:none}
.chart .x text{text-anchor:middle}
.chart .y text{text-anchor:end}
.chart .no_data{text-anchor:middle;fill:var(--quiet)}
.chart .line{stroke:var(--rule);stroke-width:1;fill:none}
.chart .axis.line{stroke:var(--quiet)}
.chart rect{stroke:var(--ground);stroke-width:.75}
.interval .tone-strong{stroke:var(--strong);stroke-width:3}
details{margin-top:.5rem;font-size:.9rem}
summary{cursor:pointer;color:var(--quiet);width:max-content;max-width:100%}
summary:focus-visible{outline:2px solid var(--strong);outline-offset:2px}
.wide{grid-column:1/-1}
table{border-collapse:collapse;font-size:.9rem;line-height:1.4;width:100%;font-variant-numeric:tabular-nums}
.beneath{margin-top:1rem}
caption{text-align:left;font-weight:600;padding-bottom:.35rem}
td,th{padding:.3rem 1.1rem .3rem 0;text-align:left;vertical-align:top;font-weight:400;
border-top:1px solid var(--rule);overflow-wrap:break-word}
.named tbody th,.named td:not(.n){overflow-wrap:anywhere;min-width:4.5rem}
.named td.state{white-space:nowrap;min-width:0}
thead th{color:var(--quiet);font-size:.8rem;border-top:0;vertical-align:bottom;overflow-wrap:normal}
.n{text-align:right;white-space:nowrap}
tr>:last-child{padding-right:0}
code{font:.8rem/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;
color:var(--quiet);white-space:nowrap}
.more{color:var(--quiet);font-size:.85rem;margin:.35rem 0 0}
.broken{color:var(--warm);font-weight:600}
footer{color:var(--quiet);font-size:.875rem;border-top:1px solid var(--rule);margin-top:2.5rem;
padding-top:1rem;padding-bottom:2.5rem}
@media (min-width:60rem){
.chart text{font-size:11px}
header,main,footer{padding-left:2rem;padding-right:2rem}
header{padding-top:3.5rem}
.parts{grid-template-columns:repeat(2,minmax(0,1fr))}
}
@media (max-width:40rem){
table.named thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table.named,table.named tbody,table.named caption{display:block}
table.named tr{display:flex;flex-wrap:wrap;gap:0 1rem;border-top:1px solid var(--rule);padding:.45rem 0}
table.named td,table.named th{border:0;padding:0;min-width:0}
table.named td:not(.n){min-width:0;max-width:100%}
table.named tbody th{flex:1 0 100%}
table.named td.n{text-align:left}
table.named td::before{content:attr(data-head) " ";color:var(--quiet)}
td,th{padding-right:.5rem}
}
@media print{section{break-inside:avoid}}
"""


def css() -> str:
    light, dark = (_variables(COLOURS[scheme]) for scheme in ("light", "dark"))
    tones = "".join(f".tone-{tone}{{fill:var(--{tone});background:var(--{tone})}}" for tone in TONES)
    dark = f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return f":root{{color-scheme:light dark;{light}}}{dark}{_PAGE}{tones}"


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())
