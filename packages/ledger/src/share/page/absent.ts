/** What people see behind a link that leads to no receipt. It says nothing of any. */
import { html } from './html.ts';

const WORDS = {
  410: [
    'This link has been switched off',
    'The organization that shared a receipt here no longer shares it by this link.',
    'If you need the receipt, ask the person who sent you the link: they can give you the document itself, or switch the link on again.',
  ],
  404: [
    'No receipt is shared under this link',
    'Perhaps a part of the link was lost on its way, or something was added to its end.',
    'Ask the person who sent it to you for the whole link.',
  ],
} as const;

/** @param root the way back to the service's own root, e.g. `../`; to be sent with `PAGE_CSP` and the status */
export function renderAbsent(status: keyof typeof WORDS, root: string): string {
  const [title, reason, advice] = WORDS[status];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="stylesheet" href="${root}assets/page/page.css">
<link rel="icon" href="${root}assets/page/icon.svg" type="image/svg+xml">
</head>
<body>
<main class="document absent">
<h1>${title}</h1>
<p>${reason}</p>
<p>${advice}</p>
</main>
</body>
</html>
`.markup;
}
