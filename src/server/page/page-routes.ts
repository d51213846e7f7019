import { Router, type RequestHandler } from 'express';
import { contentSecurityPolicy } from '../guards/security-headers.ts';
import { FixedText } from '../fixed-text.ts';
import { readClientModules } from './client-modules.ts';
import { MARK_SVG, pageHtml, type SignInChoices } from './page-html.ts';
import { LAYOUT } from './styles/layout.ts';
import { PICTURES } from './styles/pictures.ts';
import { TOKENS } from './styles/tokens.ts';

const ASSETS = '/assets/';

export interface PageRoutesOptions {
  /** Checks before each answer. */
  readonly guards: readonly RequestHandler[];
  readonly signIn: SignInChoices;
  /** Where the form to sign out may be sent, redirects included; none while authentication is off. */
  readonly formTargets: () => readonly string[];
}

/** Serves the page at `/` and its assets. Everything comes from this server, so it works without internet access. */
export function pageRoutes({ guards, signIn, formTargets }: PageRoutesOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { main, sourceByPath } = readClientModules();
  const html = new FixedText('text/html; charset=utf-8', pageHtml(`assets/${main}`, signIn));
  const assets = new Map(
    [['evenkeel.css', [TOKENS, LAYOUT, PICTURES].join('\n')] as const, ['mark.svg', MARK_SVG] as const, ...sourceByPath].map(
      ([name, text]) => [name, new FixedText(typeOf(name), text)],
    ),
  );

  router.get('/', ...guards, (request, response) => {
    response.setHeader('Content-Security-Policy', contentSecurityPolicy(undefined, formTargets()));
    response.setHeader('Cache-Control', 'no-cache');
    html.send(request, response);
  });
  router.get(`${ASSETS}*path`, ...guards, (request, response, next) => {
    const asset = assets.get(request.path.slice(ASSETS.length));
    if (asset === undefined) {
      next();
      return;
    }
    response.setHeader('Cache-Control', 'no-cache');
    asset.send(request, response);
  });
  return router;
}

function typeOf(name: string): string {
  if (name.endsWith('.css')) return 'text/css; charset=utf-8';
  return name.endsWith('.svg') ? 'image/svg+xml' : 'text/javascript; charset=utf-8';
}
