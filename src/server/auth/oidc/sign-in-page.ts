// Pages of sign-in and sign-out that are no part of the dashboard: what happened, and what the user can do.

import { escapeHtml } from '../../page/escape-html.ts';

export interface SignInPage {
  readonly title: string;
  readonly message: string;
  /** A link, or a form that is sent with POST. */
  readonly action: { readonly kind: 'link' | 'form'; readonly href: string; readonly label: string };
  /** For the log; null: nothing is logged. */
  readonly requestId: string | null;
}

/** The page at `/auth/…`; paths are relative to that. */
export function signInPageHtml({ title, message, action, requestId }: SignInPage): string {
  const [href, label] = [escapeHtml(action.href), escapeHtml(action.label)];
  const button =
    action.kind === 'link'
      ? `<a class="btn" href="${href}">${label}</a>`
      : `<form method="post" action="${href}"><button class="btn" type="submit">${label}</button></form>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Evenkeel</title>
<link rel="icon" href="../assets/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="../assets/evenkeel.css">
</head>
<body>
<main class="main">
<section class="card sign-in" aria-labelledby="title"><header><h1 id="title">${escapeHtml(title)}</h1></header><div class="body">
<p>${escapeHtml(message)}</p>
${requestId === null ? '' : `<p class="t3 small">Request ${escapeHtml(requestId)}</p>\n`}${button}
</div></section>
</main>
</body>
</html>
`;
}
