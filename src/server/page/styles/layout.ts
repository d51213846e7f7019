/** Style sheet of shell, cards, controls, figures and tables. */
export const LAYOUT = `
*, *::before, *::after { box-sizing: border-box; }
html { background: var(--bg); }
body { margin: 0; color: var(--text); background: var(--bg); font: var(--t-body); font-variant-numeric: tabular-nums; -webkit-font-smoothing: antialiased; }
a { color: inherit; }
h1, h2, h3, p, ul, ol, dl, dd { margin: 0; padding: 0; }
ul, ol { list-style: none; }
svg { display: block; }
button, input, select { font: inherit; color: inherit; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: var(--r1); }
[hidden] { display: none !important; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; } .skip:focus { left: var(--s4); top: var(--s2); z-index: 30; background: var(--raised); padding: var(--s2) var(--s3); }
.i { width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; flex: none; }
.i.s { width: 12px; height: 12px; }
.t2 { color: var(--text-2); } .t3 { color: var(--text-3); }
.num { text-align: right; white-space: nowrap; } .nowrap { white-space: nowrap; }
.save { color: var(--accent); } .crit { color: var(--critical); } .warn { color: var(--warning); } .infoc { color: var(--info); } .okc { color: var(--ok); } .spot { color: var(--spot); }
.small { font: var(--t-small); } .micro { font: var(--t-micro); } .strong { font-weight: 600; }
.row { display: flex; align-items: center; gap: var(--s2); } .row.wrap { flex-wrap: wrap; } .row.at-start { align-items: start; } .grow { flex: 1; min-width: 0; }

.top { display: flex; align-items: center; gap: var(--s3); height: 48px; padding: 0 var(--s6); border-bottom: 1px solid var(--line); background: var(--bg); position: sticky; top: 0; z-index: 5; }
.brand { display: flex; align-items: center; gap: var(--s2); font: 600 15px/24px var(--font); letter-spacing: -0.01em; }
.brand svg { width: 22px; height: 22px; color: var(--accent); }
h1.crumb { font: 600 13px/20px var(--font); } .crumb { color: var(--text-2); min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .crumb:not(:empty)::before { content: "/"; color: var(--text-3); margin-right: var(--s2); }
.asof { display: flex; align-items: center; gap: 6px; font: var(--t-small); color: var(--text-2); white-space: nowrap; }
.dot { width: 7px; height: 7px; border-radius: 50%; background: var(--ok); flex: none; }
.asof.late { color: var(--warning); } .asof.late .dot { background: var(--warning); border-radius: 1px; }
.shell { display: grid; grid-template-columns: minmax(0, 1fr); } .shell.open { grid-template-columns: minmax(0, 1fr) var(--drawer); }
.main { padding: var(--s5) var(--s6) var(--s8); display: grid; gap: var(--s4); align-content: start; max-width: 1480px; width: 100%; margin: 0 auto; }
.foot { color: var(--text-3); font: var(--t-small); padding: 0 var(--s6) var(--s6); max-width: 1480px; margin: 0 auto; width: 100%; display: flex; flex-wrap: wrap; gap: var(--s1) var(--s4); }

.btn { display: inline-flex; align-items: center; justify-content: center; gap: 6px; height: var(--control); padding: 0 var(--s3); border-radius: var(--r2); border: 1px solid var(--control-line); background: var(--surface); color: var(--text); font: 500 13px/20px var(--font); white-space: nowrap; cursor: pointer; text-decoration: none; transition: background var(--fast) var(--ease); }
.btn:hover { background: var(--raised); } .btn:disabled { opacity: .5; cursor: default; }
.btn.go { background: var(--accent-fill); border-color: transparent; color: var(--on-accent); font-weight: 600; }
.btn.bare { border-color: transparent; background: none; color: var(--text-2); } .btn.bare:hover { background: var(--raised); }
.btn.sq { width: var(--control); padding: 0; } .btn.sm { height: 24px; padding: 0 var(--s2); font: 500 12px/16px var(--font); }
.seg { display: inline-flex; border: 1px solid var(--control-line); border-radius: var(--r2); overflow: hidden; background: var(--surface); }
.seg button { border: 0; border-left: 1px solid var(--line); background: none; padding: 0 10px; height: 24px; font: 500 12px/24px var(--font); color: var(--text-2); cursor: pointer; white-space: nowrap; }
.seg button:first-child { border-left: 0; } .seg button:focus-visible { outline-offset: -2px; }
.seg [aria-pressed="true"] { background: var(--raised); color: var(--text); box-shadow: inset 0 -2px 0 var(--text-2); }
.chip { display: inline-flex; align-items: center; gap: 5px; height: 20px; padding: 0 7px; border-radius: var(--r1); font: var(--t-micro); background: var(--raised); color: var(--text-2); white-space: nowrap; }
.chip.save { background: var(--accent-wash); color: var(--accent); } .chip.warn { background: var(--warning-wash); color: var(--warning); } .chip.crit { background: var(--critical-wash); color: var(--critical); } .chip.infoc { background: var(--info-wash); color: var(--info); }
.field { display: grid; gap: var(--s1); font: var(--t-micro); color: var(--text-3); }
.field input, .field select, .search { border: 1px solid var(--control-line); border-radius: var(--r2); padding: 0 10px; height: var(--control); color: var(--text); background: var(--bg); font: var(--t-body); min-width: 0; }
.search { height: 24px; width: 168px; font: var(--t-small); }

.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--r3); box-shadow: var(--shadow-1); min-width: 0; }
.card > header { display: flex; align-items: center; gap: var(--s2) var(--s3); min-height: 44px; padding: var(--s2) var(--s4); flex-wrap: wrap; }
.card > header h2 { font: var(--t-head); }
.card > .body { padding: 0 var(--s4) var(--s4); }
.card.sign-in { width: 100%; max-width: 24rem; margin: 10vh auto 0; }
.sign-in form, .sign-in .stack, .sign-in .body { display: grid; gap: var(--s3); justify-items: stretch; }
.sign-in p:empty, .request p:empty { display: none; } .sign-in a.btn { display: flex; }
.request { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2); padding: var(--s1) 0; } .request span { flex: 1 1 20rem; overflow-wrap: anywhere; }
.user { display: flex; align-items: center; gap: var(--s2); min-width: 0; }
.grid { display: grid; gap: var(--s4); grid-template-columns: repeat(12, minmax(0, 1fr)); }
.c4 { grid-column: span 4; } .c5 { grid-column: span 5; } .c7 { grid-column: span 7; } .c8 { grid-column: span 8; } .c12 { grid-column: span 12; }
.banner { display: flex; align-items: center; gap: var(--s2); padding: var(--s2) var(--s4); border-radius: var(--r2); background: var(--warning-wash); color: var(--text-2); font: var(--t-small); } .banner .i { color: var(--warning); }
.banner.infob { background: var(--info-wash); } .banner.infob .i { color: var(--info); }
.trouble { display: grid; justify-items: start; gap: var(--s2); padding: var(--s3) 0; color: var(--text-2); } .trouble .row { color: var(--critical); font-weight: 500; }
.empty { padding: var(--s4) 0; color: var(--text-2); display: grid; gap: var(--s1); } .data + .empty, .scroll + .empty { padding: var(--s4); }
.bone { border-radius: var(--r1); background: var(--raised); height: 14px; margin: 6px 0; } .bone.tall { height: 40px; width: 180px; } .bone.half { width: 50%; }

.figure { font: var(--t-figure); letter-spacing: -0.022em; } .fig2 { font: 600 22px/28px var(--font); letter-spacing: -0.015em; }
.sub { font: var(--t-small); color: var(--text-3); }
.why { display: inline-block; position: relative; }
.why > summary { list-style: none; cursor: help; text-decoration: underline dotted var(--text-3) 1px; text-underline-offset: 5px; }
.why > summary::-webkit-details-marker { display: none; }
.pop { position: absolute; z-index: 20; top: calc(100% + 8px); left: 0; width: 408px; max-height: 420px; overflow: auto; padding: var(--s3) var(--s4); border-radius: var(--r2); background: var(--raised); box-shadow: var(--shadow-2); font: var(--t-small); letter-spacing: 0; color: var(--text); }
.pop .note { color: var(--text-3); padding-top: var(--s2); }
.sum { width: 100%; border-collapse: collapse; font: var(--t-small); }
.sum td { padding: 3px 0; vertical-align: baseline; } .sum td + td { text-align: right; white-space: nowrap; padding-left: var(--s3); } .sum td:first-child { color: var(--text-2); }
.sum tr.tot td { border-top: 1px solid var(--line-strong); font-weight: 600; padding-top: 6px; color: var(--text); }

table.data { width: 100%; border-collapse: collapse; } .scroll { overflow-x: auto; position: relative; }
.data th { font: var(--t-micro); color: var(--text-3); text-align: left; padding: 0 var(--cell-x); height: 28px; border-bottom: 1px solid var(--line); white-space: nowrap; }
.data td { padding: 0 var(--cell-x); height: var(--row); border-bottom: 1px solid var(--line); white-space: nowrap; }
.data td.two { height: 56px; }
.data tbody tr:last-child td { border-bottom: 0; }
.data tbody tr:hover td { background: var(--raised); } .data tbody tr[aria-selected="true"] td { background: var(--accent-wash); }
.data th:first-child, .data td:first-child { padding-left: var(--s4); } .data th:last-child, .data td:last-child { padding-right: var(--s4); }
.data th.num, .data td.num { text-align: right; }
.data tfoot td { font-weight: 600; border-top: 1px solid var(--line-strong); border-bottom: 0; }
.name { background: none; border: 0; padding: 0; font: 600 13px/20px var(--font); color: var(--text); cursor: pointer; text-align: left; max-width: 100%; overflow: hidden; text-overflow: ellipsis; } .name:hover { text-decoration: underline; text-underline-offset: 3px; }
[data-stale="true"] .figure, [data-stale="true"] .fig2 { color: var(--text-2); }
@media print { .top .btn, .btn, .seg, .search { display: none; } .card { break-inside: avoid; box-shadow: none; } }
`;
