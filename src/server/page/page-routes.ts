import { Router } from 'express';
import { contentSecurityPolicy } from '../guards/security-headers.ts';
import { sendText } from '../send-text.ts';
import { readClientModules } from './client-modules.ts';
import { MARK_SVG, pageHtml } from './page-html.ts';
import { LAYOUT } from './styles/layout.ts';
import { PICTURES } from './styles/pictures.ts';
import { TOKENS } from './styles/tokens.ts';

/** The first page at `/` and what it is made of. Everything comes from this server, so it works without the internet. */
export function pageRoutes(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { main, sourceByName } = readClientModules();
  const html = pageHtml(`assets/${main}`);
  const style = [TOKENS, LAYOUT, PICTURES].join('\n');

  router.get('/', (request, response) => {
    response.setHeader('Content-Security-Policy', contentSecurityPolicy());
    response.setHeader('Cache-Control', 'no-cache');
    sendText(request, response, 'text/html; charset=utf-8', html);
  });
  router.get('/assets/:name', (request, response, next) => {
    const { name } = request.params;
    const asset = name === 'evenkeel.css' ? style : name === 'mark.svg' ? MARK_SVG : sourceByName.get(name);
    if (asset === undefined) {
      next();
      return;
    }
    response.setHeader('Cache-Control', 'no-cache');
    sendText(request, response, typeOf(name), asset);
  });
  return router;
}

function typeOf(name: string): string {
  if (name.endsWith('.css')) return 'text/css; charset=utf-8';
  return name.endsWith('.svg') ? 'image/svg+xml' : 'text/javascript; charset=utf-8';
}
