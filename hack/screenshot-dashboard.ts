// Writes docs/images/dashboard.png from a running dashboard: make demo, then node hack/screenshot-dashboard.ts [URL [FILE]]. It needs
// Chromium (Debian: apt-get install chromium); CHROMIUM sets another binary.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from './screenshot/find-chromium.ts';
import { withBrowserPage } from './screenshot/browser-page.ts';

const [url = 'http://127.0.0.1:9090/', file = join(import.meta.dirname, '..', 'docs', 'images', 'dashboard.png')] = process.argv.slice(2);
const options = { browser: findChromium(), url, width: 1280, height: 1080, timeoutMs: 60_000 };
/** Expression that is true when each card of the page has loaded its data. */
const IS_COMPLETE = "document.querySelector('[aria-busy]') !== null && document.querySelector('.bone, [aria-busy=true]') === null";

const png = await withBrowserPage(options, async (page) => {
  await page.waitFor(IS_COMPLETE);
  return page.screenshot();
});
writeFileSync(file, png);
console.log(`${file}: ${Math.ceil(png.length / 1000)} kB`);
