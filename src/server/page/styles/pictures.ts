/** Style sheet of charts, bars and the drawer, and rules for narrow screens. */
export const PICTURES = `
.split { display: flex; height: 36px; gap: 2px; border-radius: var(--r1); overflow: hidden; margin-top: var(--s5); } .split i { display: block; height: 100%; min-width: 2px; }
.f-used { background: var(--used); } .f-req { background: var(--requested-fill); } .f-acc { background: var(--accent-fill); }
.f-idle { background: repeating-linear-gradient(135deg, var(--idle) 0 1px, transparent 1px 5px) var(--idle-wash); box-shadow: inset 0 0 0 1px var(--idle); }
.keys { display: grid; grid-template-columns: repeat(auto-fit, minmax(118px, 1fr)); gap: var(--s2) var(--s4); margin-top: var(--s3); }
.keys dt { display: flex; align-items: center; gap: 6px; font: var(--t-small); color: var(--text-2); white-space: nowrap; }
.keys dd { font: 600 14px/20px var(--font); } .keys dd small { font: var(--t-small); color: var(--text-3); }
.sw { width: 10px; height: 10px; border-radius: 2px; flex: none; display: inline-block; }
.legend { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s4); font: var(--t-small); color: var(--text-2); } .legend span { display: inline-flex; align-items: center; gap: 6px; white-space: nowrap; }
.tick { width: 2px; height: 12px; background: var(--accent); } .tick.lim { background: none; border-left: 2px dotted var(--limit); }

.then { display: grid; gap: var(--s3); margin-top: var(--s4); }
.then .bar { position: relative; height: 14px; display: flex; border-radius: var(--r1); overflow: hidden; }
.then .bar i { height: 100%; display: block; } .then .words span { white-space: nowrap; } .then .words { display: flex; flex-wrap: wrap; gap: var(--s2); justify-content: space-between; font: var(--t-small); color: var(--text-2); margin-bottom: 4px; } .then .words b { font-weight: 600; color: var(--text); }

.plot { position: relative; margin: var(--s2) 104px 22px 40px; height: 128px; outline-offset: 6px; }
.plot > svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.plot path, .plot line { vector-effect: non-scaling-stroke; fill: none; stroke-width: 1.5; }
.plot .g { stroke: var(--line); stroke-width: 1; } .plot .l-requested { stroke: var(--requested); } .plot .l-recommended { stroke: var(--accent); stroke-width: 2; stroke-dasharray: 6 4; } .plot .l-used { stroke: var(--used); }
.plot .a-used { fill: var(--used-wash); stroke: none; } .plot .a-idle { fill: url(#hatch); stroke: none; opacity: .8; }
.plot .gap { fill: var(--raised); stroke: none; }
.plot .hair { stroke: var(--text-3); stroke-width: 1; }
.yl, .xl, .tag { position: absolute; font: var(--t-micro); color: var(--text-3); white-space: nowrap; }
.yl { right: calc(100% + 8px); transform: translateY(-50%); } .xl { top: calc(100% + 4px); transform: translateX(-50%); } .xl.first { transform: none; }
.tag { left: calc(100% + 8px); transform: translateY(-50%); font-weight: 600; } .tag em { font-style: normal; font-weight: 400; color: var(--text-2); }
.tag.used { color: var(--info); } .tag.recommended { color: var(--accent); } .tag.requested { color: var(--text); }
.readout { position: absolute; z-index: 4; top: -4px; padding: 6px 10px; border-radius: var(--r2); background: var(--raised); box-shadow: var(--shadow-2); font: var(--t-micro); pointer-events: none; display: grid; gap: 1px; white-space: nowrap; }
.hatch-a { fill: var(--idle-wash); } .hatch-b { stroke: var(--idle); stroke-width: 1; }

.bullet { width: 132px; height: 14px; overflow: visible; } .bullet .rq { fill: var(--requested-fill); } .bullet .us { fill: var(--used); } .bullet .pr { fill: var(--accent); } .bullet .li { stroke: var(--limit); stroke-width: 2; stroke-dasharray: 1.5 2; }
.strip { display: grid; grid-template-columns: repeat(auto-fit, minmax(38px, 88px)); gap: 4px; }
.cell { position: relative; height: 34px; border-radius: var(--r1); background: repeating-linear-gradient(135deg, var(--idle) 0 1px, transparent 1px 5px) var(--idle-wash); overflow: hidden; border: 1px solid var(--line-strong); }
.cell i, .cell b { position: absolute; inset: auto 0 0; } .cell i { background: var(--requested-fill); } .cell b { background: var(--used); }
.cell.spotn::after { content: ""; position: absolute; top: 3px; right: 3px; width: 6px; height: 6px; transform: rotate(45deg); background: var(--spot); box-shadow: 0 0 0 1.5px var(--surface); }
.cell.down { outline: 1.5px solid var(--critical); } .cell.held { outline: 1.5px solid var(--warning); }
.nodes { columns: 2; column-gap: var(--s6); margin-top: var(--s3); } .nodes li { display: flex; gap: var(--s2); font: var(--t-small); color: var(--text-2); padding: 2px 0; break-inside: avoid; }
.parts { display: grid; gap: 7px; } .parts li { display: grid; grid-template-columns: 112px 1fr 28px; gap: 0 var(--s3); align-items: center; font: var(--t-small); }
.parts .bar { height: 6px; border-radius: 3px; background: var(--raised); overflow: hidden; } .parts .bar i { display: block; height: 100%; border-radius: 3px; background: var(--text-3); } .parts .bar i.lo { background: var(--warning); }
.parts p { grid-column: 1 / -1; color: var(--text-3); }

.river li { display: grid; grid-template-columns: 132px 16px minmax(0, 1fr) auto; gap: var(--s2); padding: 7px 0; border-top: 1px solid var(--line); font: var(--t-small); align-items: baseline; } .river li:first-child { border-top: 0; } .river .i { align-self: center; } .river b { font-weight: 600; }

.drawer { border-left: 1px solid var(--line); background: var(--surface); box-shadow: var(--shadow-3); position: sticky; top: 48px; align-self: start; height: calc(100vh - 48px); display: flex; flex-direction: column; min-width: 0; }
.drawer > header { display: flex; align-items: center; gap: var(--s2); padding: var(--s4) var(--s5) var(--s3); } .drawer > header h2 { font: 600 15px/24px var(--font); overflow: hidden; text-overflow: ellipsis; }
.drawer .in { padding: 0 var(--s5) var(--s4); display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--s4); overflow: auto; flex: 1; align-content: start; }
.drawer > footer { padding: var(--s3) var(--s5) var(--s4); border-top: 1px solid var(--line); display: grid; gap: var(--s2); }
.drawer h3 { font: var(--t-head); } .drawer h4 { font: var(--t-micro); color: var(--text-3); margin: 0; }
.diff { width: 100%; border-collapse: collapse; } .diff th { font: var(--t-micro); color: var(--text-3); text-align: right; padding: 2px 0; } .diff th:first-child { text-align: left; }
.diff td { padding: 4px 0; text-align: right; border-top: 1px solid var(--line); white-space: nowrap; } .diff td:first-child { text-align: left; } .diff td.ar { color: var(--text-3); padding: 4px 8px; } .diff .old { color: var(--text-3); } .diff .new { color: var(--accent); font-weight: 600; }
.steps { display: grid; counter-reset: s; } .steps li { counter-increment: s; display: grid; grid-template-columns: 18px minmax(0, 1fr) auto; gap: var(--s2); padding: 5px 0; border-top: 1px solid var(--line); font: var(--t-small); } .steps li:first-child { border-top: 0; }
.steps li::before { content: counter(s); color: var(--text-3); } .steps .v { font-weight: 600; text-align: right; white-space: nowrap; } .steps .n { color: var(--text-3); font-weight: 400; display: block; } .steps li.end .v { color: var(--accent); font-size: 14px; } .steps .v .n { font-size: 12px; }
.notes li { font: var(--t-small); color: var(--text-2); padding: 3px 0 3px 14px; position: relative; } .notes li::before { content: ""; position: absolute; left: 2px; top: 11px; width: 5px; height: 1px; background: var(--text-3); }
.toast { position: fixed; left: 50%; bottom: var(--s6); transform: translateX(-50%); z-index: 25; background: var(--raised); box-shadow: var(--shadow-2); border-radius: var(--r2); padding: var(--s2) var(--s4); font: var(--t-body); max-width: calc(100vw - 32px); }

#plot-cpu, #plot-memory { container-type: inline-size; } @container (max-width: 340px) { .xl.odd { display: none; } }
.shell.open .less, .shell.open .acts { display: none; }
@media (max-width: 1180px) { .shell.open { grid-template-columns: minmax(0, 1fr); } .drawer { position: fixed; inset: 48px 0 0 auto; width: min(var(--drawer), 100%); z-index: 10; } }
@media (max-width: 1100px) { .less { display: none; } }
@media (max-width: 1000px) { .c4, .c5 { grid-column: span 6; } .c7, .c8 { grid-column: span 12; } .c5.wide { grid-column: span 12; } .c4.wide { grid-column: span 12; } .wide-only { display: none; } }
@media (max-width: 760px) {
  .top { padding: 0 var(--s4); gap: var(--s2); } .hide-s { display: none !important; } .top .btn.sq { width: 44px; height: 44px; }
  .main { padding: var(--s3) var(--s3) var(--s6); gap: var(--s3); } .grid { grid-template-columns: minmax(0, 1fr); gap: var(--s3); } .grid > * { grid-column: 1 / -1 !important; }
  .keys { grid-template-columns: 1fr 1fr; } .pop { width: min(388px, calc(100vw - 56px)); } .nodes { columns: 1; } .nodes li { flex-wrap: wrap; gap: 0 var(--s2); padding: 4px 0; }
  .plot { margin-right: 64px; } .tag em { display: none; } .xl.odd { display: none; }
  .stackable thead { display: none; } .stackable tbody tr, .stackable tfoot tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; padding: 10px var(--s4); border-bottom: 1px solid var(--line); gap: 2px var(--s3); } .stackable tbody tr:last-child { border-bottom: 0; }
  .stackable td, .stackable td.two { height: auto; border: 0 !important; padding: 0 !important; white-space: normal; align-self: center; background: none !important; } .stackable .opt { display: none; } .stackable tfoot tr { border-top: 1px solid var(--line-strong); }
  .stackable td:nth-child(1) { grid-area: 1 / 1; } .stackable td:nth-child(4) { grid-area: 2 / 1; } .stackable td:nth-child(7) { grid-area: 1 / 2 / span 2; } .stackable tfoot td:nth-child(7) { grid-area: 1 / 2; }
  .stackable td.acts { grid-column: 1 / -1; justify-self: start; padding-top: 6px !important; } .stackable td.acts:empty { display: none; }
  .btn { height: 44px; } .btn.sm { height: 32px; position: relative; } .btn.sm::after { content: ""; position: absolute; inset: -6px 0; } .seg button { height: 36px; line-height: 36px; } .search { height: 36px; flex: 1 1 100%; }
  .name { padding: 6px 0; }
  .river li { grid-template-columns: 16px minmax(0, 1fr); } .river li > .mk { grid-area: 1 / 1; } .river li > .what { grid-area: 1 / 2; } .river li > .when { grid-area: 2 / 2; } .river li > .how { grid-area: 3 / 2; }
}
`;
