// One page of a headless Chromium over the DevTools protocol: a page that fetches what it shows is complete only some time after it has loaded.

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

/** Calls `use` with a page that shows the URL; ends the browser and removes its profile afterwards. */
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
  if (browser.exitCode !== null) throw new Error(`${name} ended with exit code ${browser.exitCode}`);
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

  /** @param condition an expression of JavaScript in the page */
  async waitFor(condition: string): Promise<void> {
    // A page that navigates has no context to evaluate in: the condition is not true yet.
    await until(
      () =>
        this.#evaluate(condition).then(
          (value) => value === true,
          () => false,
        ),
      condition,
      this.#timeoutMs,
    );
  }

  async screenshot(): Promise<Buffer> {
    const { data } = await this.#call('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(String(data), 'base64');
  }

  async #evaluate(expression: string): Promise<unknown> {
    const { result } = await this.#call('Runtime.evaluate', { expression, returnByValue: true });
    return (result as { readonly value?: unknown } | undefined)?.value;
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
