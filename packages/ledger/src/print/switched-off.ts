/** What people see behind a link that its organization has switched off. It says nothing of the receipt. */
import { html } from './html.ts';

/** @param root the way back to the service's own root, e.g. `../`; to be sent with `PAGE_CSP` and 410 */
export function renderSwitchedOff(root: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>This link has been switched off</title>
<link rel="stylesheet" href="${root}assets/page/page.css">
<link rel="icon" href="${root}assets/page/icon.svg" type="image/svg+xml">
</head>
<body>
<main class="sheet switched-off">
<h1>This link has been switched off</h1>
<p>The organization that shared a receipt here no longer shares it by this link.</p>
<p>If you need the receipt, ask whoever sent you the link: they can give you the document itself, or switch the link on again.</p>
</main>
</body>
</html>
`.markup;
}
