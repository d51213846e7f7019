import { escapeHtml } from './escape-html.ts';

/** How users can sign in. */
export interface SignInChoices {
  readonly hasPassword: boolean;
  /** Name of the OpenID Connect issuer; null: none is set. */
  readonly issuer: string | null;
}

/** The initial page: empty cards with headings. @param script module that fills them */
export function pageHtml(script: string, { hasPassword, issuer }: SignInChoices): string {
  return `<!doctype html>
<html lang="en" data-theme="dark" data-local-sign-in="${hasPassword}"${issuer === null ? '' : ` data-issuer="${escapeHtml(issuer)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evenkeel</title>
<link rel="icon" href="assets/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="assets/evenkeel.css">
<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<svg width="0" height="0" aria-hidden="true"><defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-a" width="5" height="5"/><path class="hatch-b" d="M0 0v5"/></pattern></defs></svg>
<header class="top">
<div class="brand"><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M2 10.5h20M4 10.5c0 5 3.5 8.5 8 8.5s8-3.5 8-8.5M12 3.5v18"/></svg>Evenkeel</div>
<h1 class="crumb" id="cluster-name"></h1>
<span class="grow"></span>
<span id="mode" class="hide-s"></span>
<span class="asof" id="asof" role="status"></span>
<span id="user"></span>
<button class="btn bare sq" id="theme" type="button" aria-label="Switch theme"><svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2.2a5.8 5.8 0 1 0 0 11.6zM8 2.2a5.8 5.8 0 0 1 0 11.6"/></svg></button>
</header>
<div class="shell" id="shell">
<main class="main" id="content">
<div class="banner" id="banner" role="alert" hidden></div>
<div class="grid">
<section class="card c12" id="access-requests" aria-labelledby="h-access" hidden><header><h2 id="h-access">Access requests</h2><span class="t3 small">oldest last</span></header><div class="body" id="access-requests-rows"></div></section>
<section class="card c7" data-admin aria-labelledby="h-run"><header><h2 id="h-run">Run rate</h2><span class="t3 small">USD per month, at current prices</span></header><div class="body" id="run-rate"></div></section>
<section class="card c5 wide" data-admin aria-labelledby="h-savings"><header><h2 id="h-savings">Savings</h2><span class="t3 small">USD per month</span></header><div class="body" id="savings"></div></section>
<section class="card c12" aria-labelledby="h-rec"><header><h2 id="h-rec">Recommendations</h2><span class="t3 small" id="recommendations-line"></span><span class="grow"></span><span class="legend hide-s"><span><i class="sw f-req"></i>requested</span><span><i class="sw f-used"></i>used</span><span><i class="tick"></i>recommended</span><span><i class="tick lim"></i>limit</span></span><input class="search" id="search" type="search" placeholder="Filter by name" aria-label="Filter by name"><span class="seg" role="group" aria-label="Filter by state"><button type="button" data-show="all" aria-pressed="true">All</button><button type="button" data-show="open" aria-pressed="false">Open</button><button type="button" data-show="applied" aria-pressed="false">Applied</button></span><a class="btn sm hide-s" href="api/v1/recommendations?format=csv&amp;limit=1000" download>CSV</a></header><div id="recommendations"></div></section>
<section class="card c12" data-admin aria-labelledby="h-nodes"><header><h2 id="h-nodes">Nodes</h2><span class="t3 small" id="nodes-line"></span><span class="grow"></span><span class="legend hide-s"><span><i class="sw f-used"></i>used</span><span><i class="sw f-req"></i>requested</span><span><i class="sw f-idle"></i>idle</span><span class="spot"><svg class="i s" viewBox="0 0 12 12" aria-hidden="true"><path d="M6 1.5 10.5 6 6 10.5 1.5 6z" fill="currentColor" stroke="none"/></svg>spot</span></span></header><div class="body" id="nodes"></div></section>
<section class="card c4" data-admin aria-labelledby="h-cpu"><header><h2 id="h-cpu">CPU</h2><span class="t3 small">cores</span><span class="grow"></span><span class="seg" role="group" aria-label="Period"><button type="button" data-span="1h" aria-pressed="false">1 h</button><button type="button" data-span="24h" aria-pressed="true">24 h</button><button type="button" data-span="7d" aria-pressed="false">7 d</button></span></header><div class="body" id="plot-cpu"></div></section>
<section class="card c4" data-admin aria-labelledby="h-memory"><header><h2 id="h-memory">Memory</h2><span class="t3 small">GiB</span></header><div class="body" id="plot-memory"></div></section>
<section class="card c4 wide" data-admin aria-labelledby="h-health"><header><h2 id="h-health">Health</h2><span class="t3 small">weighted mean of its parts</span><span class="grow"></span><span id="health-score" class="nowrap"></span></header><div class="body" id="health"></div></section>
<section class="card c12" aria-labelledby="h-river"><header><h2 id="h-river">Recent changes</h2><span class="t3 small">latest first</span></header><div class="body" id="river"></div></section>
</div>
</main>
<aside class="drawer" id="drawer" aria-labelledby="drawer-title" hidden></aside>
</div>
<footer class="foot" id="foot"><span id="facts"></span><a href="api/v1/docs">API reference</a><a href="api/v1/health">Health</a><span id="keys" hidden>j k rows · / filter · Esc closes</span></footer>
<div class="toast" id="toast" role="status" hidden></div>
<noscript><p class="foot">The page needs JavaScript. The same data is at <a href="api/v1/docs">api/v1</a>.</p></noscript>
</body>
</html>
`;
}

/** The logo: a waterline, a hull and a keel. */
export const MARK_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#14a38b" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="M2 10.5h20M4 10.5c0 5 3.5 8.5 8 8.5s8-3.5 8-8.5M12 3.5v18"/></svg>
`;
