/** Inline style sheet of the reference page, with the dashboard's colours under the same names. */
export const DOCS_STYLE = `
:root { color-scheme: dark light; --bg: #0d1217; --surface: #141a20; --line: #272e35; --text: #eef1f3; --text-2: #b3bbc2; --text-3: #929ba3; --accent: #4fd8c0; --critical: #ff7d66; }
@media (prefers-color-scheme: light) { :root { --bg: #f4f6f8; --surface: #fff; --line: #dde2e6; --text: #171d24; --text-2: #47525c; --text-3: #626c76; --accent: #0c7368; --critical: #b8301d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: 400 14px/22px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
.page { display: grid; grid-template-columns: 260px minmax(0, 860px); gap: 40px; max-width: 1240px; margin: 0 auto; padding: 24px; }
nav { position: sticky; top: 24px; align-self: start; max-height: calc(100vh - 48px); overflow: auto; font-size: 13px; }
nav a { display: block; color: var(--text-2); padding: 2px 0; text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { color: var(--text); }
nav h2 { font-size: 12px; color: var(--text-3); margin: 16px 0 4px; font-weight: 500; }
h1 { font-size: 22px; margin: 0 0 8px; }
main h2 { font-size: 18px; margin: 40px 0 8px; }
section { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 16px; margin: 0 0 16px; overflow-x: auto; }
section h3 { font-size: 15px; margin: 0 0 4px; }
h4 { font-size: 12px; color: var(--text-3); font-weight: 500; margin: 16px 0 4px; }
p { margin: 4px 0; color: var(--text-2); }
code, .path { font: 400 13px/20px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.method { color: var(--accent); font-weight: 600; margin-right: 8px; }
.who { color: var(--text-3); font-size: 12px; }
table { width: 100%; border-collapse: collapse; font-size: 13px; }
th { text-align: left; font-weight: 500; color: var(--text-3); font-size: 12px; }
th, td { padding: 4px 12px 4px 0; border-top: 1px solid var(--line); vertical-align: top; }
tr:first-child th { border-top: 0; }
td:first-child code { white-space: nowrap; }
a { color: inherit; }
.required { color: var(--critical); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 860px) { .page { grid-template-columns: minmax(0, 1fr); padding: 16px; gap: 16px; } nav { position: static; max-height: 40vh; border-bottom: 1px solid var(--line); } section td:first-child code { white-space: normal; } }
`;
