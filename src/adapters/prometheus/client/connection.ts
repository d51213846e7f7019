// Parses the address of Prometheus or a server with its API (Thanos, Mimir, VictoriaMetrics).

import { readFileSync } from 'node:fs';
import { HTTP_HEADER } from '../../../runtime/options/http-header.ts';
import { LABEL_MATCHER, LABEL_MATCHER_EXAMPLE } from '../../../runtime/options/label-matcher.ts';

export interface PrometheusAddress {
  readonly url: string;
  /** Path of a bearer token, read for each query since it may be rotated. Empty: none. */
  readonly tokenFile: string;
  /** Path of a PEM file with the server's CA. Empty: the CAs of Node.js. */
  readonly caFile: string;
  /** Additional headers, each `Name: value`. */
  readonly headers: readonly string[];
  /** Tenant, sent as X-Scope-OrgID. Empty: none. */
  readonly tenant: string;
  /** Label matchers in PromQL, added to every selector. */
  readonly matchers: readonly string[];
}

export interface PrometheusConnection {
  /** URL including the path before `/api/v1`, without a trailing slash. */
  readonly base: URL;
  /** For display: without user and password. */
  readonly shown: string;
  /** PEM; null: the CAs of Node.js. */
  readonly ca: string | null;
  /** Comma-separated, as in PromQL; empty: none. */
  readonly matchers: string;
  /** Headers of the next request. @throws Error where the token cannot be read */
  headers(): Readonly<Record<string, string>>;
}

/**
 * Validates the address. @throws Error with the problem and the remedy, without secrets
 * @param what name of the address in messages, such as the setting
 */
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
    if (name === undefined || value === undefined) throw new Error(`a header for ${what} is not of the form "Name: value"`);
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
    throw new Error(`reading ${what} from ${path} failed: mount a readable file there`, { cause });
  }
}
