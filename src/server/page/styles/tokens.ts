/** Design tokens of both themes. Other style sheets use only these names. */
export const TOKENS = `
:root {
  color-scheme: dark light;
  --font: -apple-system, BlinkMacSystemFont, "Segoe UI Variable Text", "Segoe UI", Inter, Roboto, "Noto Sans", system-ui, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  /* type: size / line */
  --t-figure: 600 34px/40px var(--font);
  --t-title: 600 20px/28px var(--font);
  --t-head: 600 13px/20px var(--font);
  --t-body: 400 13px/20px var(--font);
  --t-small: 400 12px/16px var(--font);
  --t-micro: 500 11px/16px var(--font);
  --t-code: 400 12px/18px var(--mono);
  /* space: multiples of 4 */
  --s1: 4px; --s2: 8px; --s3: 12px; --s4: 16px; --s5: 20px; --s6: 24px; --s8: 32px; --s12: 48px;
  --r1: 3px; --r2: 6px; --r3: 10px; --r-full: 999px;
  /* density */
  --row: 36px; --control: 30px; --cell-x: 12px;
  /* motion */
  --fast: 120ms; --calm: 200ms; --ease: cubic-bezier(.2, 0, 0, 1);
  --rail: 208px; --drawer: 400px;
}
[data-density="compact"] { --row: 28px; --control: 26px; --cell-x: 8px; }
[data-density="roomy"] { --row: 44px; --control: 34px; --cell-x: 16px; }

:root, [data-theme="dark"] {
  color-scheme: dark;
  --bg: oklch(0.168 0.012 245);
  --surface: oklch(0.203 0.013 245);
  --raised: oklch(0.242 0.014 245);
  --sunken: oklch(0.150 0.011 245);
  --line: oklch(0.292 0.014 245);
  --line-strong: oklch(0.400 0.016 245);
  --control-line: oklch(0.560 0.016 245);
  --text: oklch(0.955 0.005 245);
  --text-2: oklch(0.775 0.012 245);
  --text-3: oklch(0.670 0.014 245);
  --accent: oklch(0.800 0.125 178);
  --accent-fill: oklch(0.760 0.125 178);
  --on-accent: oklch(0.180 0.030 190);
  --accent-wash: oklch(0.800 0.125 178 / 0.11);
  --focus: oklch(0.840 0.125 178);
  /* quantities */
  --used: oklch(0.720 0.125 248);
  --used-wash: oklch(0.720 0.125 248 / 0.34);
  --used-haze: oklch(0.720 0.125 248 / 0.14);
  --requested: oklch(0.920 0.006 245);
  --requested-fill: oklch(0.545 0.032 250);
  --proposed: var(--accent);
  --limit: oklch(0.740 0.150 350);
  --idle: oklch(0.545 0.014 245);
  --idle-wash: oklch(0.232 0.012 245);
  --system-fill: oklch(0.385 0.014 245);
  --other-fill: oklch(0.610 0.060 285);
  --spot: oklch(0.770 0.130 305);
  --on-demand: oklch(0.740 0.018 245);
  /* severity */
  --critical: oklch(0.720 0.165 30);
  --critical-wash: oklch(0.720 0.165 30 / 0.13);
  --warning: oklch(0.830 0.130 82);
  --warning-wash: oklch(0.830 0.130 82 / 0.12);
  --info: oklch(0.760 0.100 248);
  --info-wash: oklch(0.760 0.100 248 / 0.12);
  --ok: oklch(0.800 0.125 160);
  --shadow-1: 0 1px 0 oklch(1 0 0 / 0.03) inset;
  --shadow-2: 0 8px 24px oklch(0 0 0 / 0.45), 0 0 0 1px var(--line-strong);
  --shadow-3: -16px 0 48px oklch(0 0 0 / 0.42);
  --tile-0: oklch(0.330 0.040 250); --tile-1: oklch(0.405 0.065 250); --tile-2: oklch(0.490 0.090 250);
  --tile-3: oklch(0.620 0.110 249); --tile-4: oklch(0.720 0.120 248); --on-tile: oklch(0.160 0.020 250);
}
[data-theme="light"] {
  color-scheme: light;
  --bg: oklch(0.972 0.004 240);
  --surface: oklch(1 0 0);
  --raised: oklch(0.962 0.005 240);
  --sunken: oklch(0.950 0.005 240);
  --line: oklch(0.905 0.006 240);
  --line-strong: oklch(0.820 0.009 240);
  --control-line: oklch(0.620 0.014 240);
  --text: oklch(0.235 0.018 250);
  --text-2: oklch(0.440 0.018 250);
  --text-3: oklch(0.520 0.016 250);
  --accent: oklch(0.500 0.100 182);
  --accent-fill: oklch(0.490 0.098 182);
  --on-accent: oklch(0.990 0.005 180);
  --accent-wash: oklch(0.500 0.100 182 / 0.09);
  --focus: oklch(0.520 0.110 182);
  --used: oklch(0.530 0.150 252);
  --used-wash: oklch(0.560 0.150 252 / 0.30);
  --used-haze: oklch(0.560 0.150 252 / 0.12);
  --requested: oklch(0.270 0.018 250);
  --requested-fill: oklch(0.635 0.035 250);
  --proposed: var(--accent);
  --limit: oklch(0.520 0.190 352);
  --idle: oklch(0.630 0.012 245);
  --idle-wash: oklch(0.965 0.004 240);
  --system-fill: oklch(0.830 0.010 245);
  --other-fill: oklch(0.630 0.080 285);
  --spot: oklch(0.500 0.190 303);
  --on-demand: oklch(0.480 0.020 245);
  --critical: oklch(0.520 0.190 29);
  --critical-wash: oklch(0.520 0.190 29 / 0.08);
  --warning: oklch(0.520 0.110 72);
  --warning-wash: oklch(0.700 0.140 75 / 0.14);
  --info: oklch(0.510 0.130 252);
  --info-wash: oklch(0.510 0.130 252 / 0.08);
  --ok: oklch(0.500 0.110 158);
  --shadow-1: 0 1px 2px oklch(0.3 0.02 250 / 0.05);
  --shadow-2: 0 8px 24px oklch(0.3 0.02 250 / 0.14), 0 0 0 1px var(--line-strong);
  --shadow-3: -16px 0 40px oklch(0.3 0.02 250 / 0.12);
  --tile-0: oklch(0.925 0.022 250); --tile-1: oklch(0.860 0.050 250); --tile-2: oklch(0.775 0.085 250);
  --tile-3: oklch(0.655 0.120 250); --tile-4: oklch(0.530 0.150 252); --on-tile: oklch(1 0 0);
}
@media (prefers-reduced-motion: reduce) { :root { --fast: 0ms; --calm: 0ms; } }
`;
