// A page of a headless Chromium over the DevTools protocol, which can wait until the page has fetched its data.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const POLL_MS = 200;
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
  '--remote-debugging-address=127.0.0.1',
  '--remote-debugging-port=0',
];

interface Reply {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

export interface BrowserPageOptions {
  readonly browser: string;
  readonly url: string;
  readonly width: number;
  readonly height: number;
  readonly timeoutMs: number;
}

/** Calls `use` with a page of the URL; then ends the browser and removes its profile. */
export async function withBrowserPage<T>(options: BrowserPageOptions, use: (page: BrowserPage) => Promise<T>): Promise<T> {
  const profile = mkdtempSync(join(tmpdir(), 'evenkeel-browser-'));
  const size = `--window-size=${options.width},${options.height}`;
  const browser = spawn(options.browser, [...FLAGS, size, `--user-data-dir=${profile}`, options.url], { stdio: 'ignore' });
  try {
    return await use(await openPage(browser, profile, options));
  } finally {
    browser.kill();
    await exitOf(browser);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function openPage(
  browser: ChildProcess,
  profile: string,
  { browser: name, url, timeoutMs }: BrowserPageOptions,
): Promise<BrowserPage> {
  const portFile = join(profile, 'DevToolsActivePort');
  await until(
    () => browser.exitCode !== null || (existsSync(portFile) && readFileSync(portFile, 'utf8').includes('\n')),
    `${name} to start`,
    timeoutMs,
  );
  if (browser.exitCode !== null) throw new Error(`${name} exited with code ${browser.exitCode}`);
  const [port] = readFileSync(portFile, 'utf8').split('\n');
  const targets = (await (await fetch(`http://127.0.0.1:${port ?? ''}/json/list`)).json()) as readonly {
    type: string;
    webSocketDebuggerUrl: string;
  }[];
  const target = targets.find(({ type }) => type === 'page');
  if (target === undefined) throw new Error(`${name} has no page for ${url}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error(`connecting to the page of ${name} failed`)), { once: true });
  });
  return new BrowserPage(socket, timeoutMs);
}

export class BrowserPage {
  readonly #socket: WebSocket;
  readonly #timeoutMs: number;
  #lastId = 0;

  constructor(socket: WebSocket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
  }

  /** Waits until a condition holds. @param condition a JavaScript expression in the page */
  async waitFor(condition: string): Promise<void> {
    // A navigating page has no context for the evaluation: the condition counts as false.
    await until(
      () =>
        this.evaluate(condition).then(
          (value) => value === true,
          () => false,
        ),
      condition,
      this.#timeoutMs,
    );
  }

  /** Opens another address. */
  async open(url: string): Promise<void> {
    await this.#call('Page.navigate', { url });
  }

  /** The value of a JavaScript expression in the page, awaited where it is a promise. Rejects where it throws. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#call('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return (result as { readonly value?: unknown } | undefined)?.value;
  }

  async screenshot(): Promise<Buffer> {
    const { data } = await this.#call('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(String(data), 'base64');
  }

  #call(method: string, params: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const onMessage = ({ data }: MessageEvent): void => {
        const reply = JSON.parse(String(data)) as Reply;
        if (reply.id !== id) return;
        this.#socket.removeEventListener('message', onMessage);
        if (reply.error === undefined) resolve(reply.result ?? {});
        else reject(new Error(`${method}: ${reply.error.message}`));
      };
      this.#socket.addEventListener('message', onMessage);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}

async function until(condition: () => boolean | Promise<boolean>, what: string, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await setTimeout(POLL_MS);
  }
}

async function exitOf(browser: ChildProcess): Promise<void> {
  if (browser.exitCode !== null || browser.signalCode !== null) return;
  await new Promise((resolve) => browser.once('exit', resolve));
}
