// How Prometheus, or whatever speaks its API (Thanos, Mimir, VictoriaMetrics), is reached, from settings or options.

import { readFileSync } from 'node:fs';
import { HTTP_HEADER } from '../../runtime/options/http-header.ts';
import { LABEL_MATCHER, LABEL_MATCHER_EXAMPLE } from '../../runtime/options/label-matcher.ts';

export interface PrometheusAddress {
  readonly url: string;
  /** File with a bearer token, read for each query: it may be renewed. Empty: none. */
  readonly tokenFile: string;
  /** PEM file with the authority of the server's certificate. Empty: those that Node.js knows. */
  readonly caFile: string;
  /** Further headers, each `Name: value`. */
  readonly headers: readonly string[];
  /** Sent as X-Scope-OrgID. Empty: none. */
  readonly tenant: string;
  /** Label matchers that every query is narrowed by, each as PromQL writes it. */
  readonly matchers: readonly string[];
}

export interface PrometheusConnection {
  /** With the path that comes before `/api/v1`, without a slash at its end. */
  readonly base: URL;
  /** For people: without user and password. */
  readonly shown: string;
  readonly ca: string | null;
  /** With commas between, as PromQL writes them; empty: none. */
  readonly matchers: string;
  /** Headers of the next request. Throws where the token cannot be read. */
  headers(): Readonly<Record<string, string>>;
}

/** Throws with what is wrong and what to write instead; no message holds a secret. @param what how the user calls the address */
export function connectPrometheus(address: PrometheusAddress, what: string): PrometheusConnection {
  const { url, tokenFile, caFile, headers, tenant, matchers } = address;
  if (!URL.canParse(url)) throw new Error(`${what} is not a URL: write http://HOST:9090, or https://HOST/PATH`);
  const base = new URL(url);
  if (base.protocol !== 'http:' && base.protocol !== 'https:') {
    throw new Error(`${what} begins with ${base.protocol}//: write http:// or https://`);
  }
  const fixed: Record<string, string> = {};
  for (const header of headers) {
    const [, name, value] = new RegExp(HTTP_HEADER).exec(header) ?? [];
    if (name === undefined || value === undefined) throw new Error(`a header for ${what} is not written as "Name: value"`);
    fixed[name.toLowerCase()] = value;
  }
  if (!matchers.every((matcher) => new RegExp(LABEL_MATCHER).test(matcher))) {
    throw new Error(`the matchers for ${what} must be label matchers such as ${LABEL_MATCHER_EXAMPLE}`);
  }
  if (tenant !== '') fixed['x-scope-orgid'] = tenant;
  if (base.username !== '') {
    const credential = `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`;
    fixed['authorization'] = `Basic ${Buffer.from(credential).toString('base64')}`;
  }
  [base.username, base.password, base.search, base.hash] = ['', '', '', ''];
  base.pathname = base.pathname.replace(/\/+$/, '');
  return {
    base,
    shown: base.href,
    ca: caFile === '' ? null : readOrExplain(caFile, `the certificates of ${what}`),
    matchers: matchers.map((matcher) => matcher.trim()).join(','),
    headers: () =>
      tokenFile === '' ? fixed : { ...fixed, authorization: `Bearer ${readOrExplain(tokenFile, `the token for ${what}`).trim()}` },
  };
}

function readOrExplain(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`reading ${what} from ${path} failed: mount a file there that may be read`, { cause });
  }
}
