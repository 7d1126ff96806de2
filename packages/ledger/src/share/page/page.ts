import { instant } from '@rcpt/contract/lanes/printed.ts';
import { ANSWER_TITLES } from '@rcpt/proof/answers/answer.ts';
import { CARD } from '../card-size.ts';
import { MARK_OF_TONE } from '../marks.ts';
import { pathOf, qrOf } from '../qr.ts';
import { type ReceiptView, type Rendered, viewOf } from '../view.ts';
import {
  ALTERED,
  ALTERED_DETAIL,
  commandByHand,
  fileName,
  isFirst,
  placeInChain,
  plainLine,
  titleOf,
  UNCHECKED,
  UNCHECKED_CONSENT,
} from '../words.ts';
import { besideSection } from './beside.ts';
import { boundedPrint } from './bounds.ts';
import { comparison } from './compare.ts';
import { type Html, html, shown, within } from './html.ts';
import { facts, leftOut, mark, section, signed, titled, tone } from './sections.ts';

/** Nothing inline, nothing from elsewhere: what an attacker might get into a receipt has nothing to run with. */
export const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** To be sent with `PAGE_CSP`. Its links are relative, so a ledger behind a path prefix works. */
export function renderPage(input: Rendered): string {
  const whole = viewOf(input);
  const print = boundedPrint(whole.print);
  const view = { ...whole, print };
  const title = plainLine(titleOf(print));
  const token = tokenOf(input.share_url);
  return html`<!doctype html>
<html lang="en" data-download="./${token}/download"${input.approval ? html` data-approval="./${token}/approval"` : null} data-proof="./${token}/proof" data-key="./${token}/key" data-witnesses="./${token}/witnesses">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${input.verified ? '' : 'Altered: '}${title} · ${plainLine(view.receipt_id)}</title>
<meta name="description" content="${describe(view, input.verified)}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="Receipt ledger">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${describe(view, input.verified)}">
<meta property="og:url" content="${input.share_url}">
<meta property="og:image" content="${input.share_url}/card.png">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${CARD.width}">
<meta property="og:image:height" content="${CARD.height}">
<meta property="og:image:alt" content="${describe(view, input.verified)}">
<meta name="twitter:card" content="summary_large_image">
<link rel="preload" href="../assets/page/inter.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="../assets/page/page.css">
<link rel="icon" href="../assets/page/icon.svg" type="image/svg+xml">
<script type="module" src="../assets/page/verify.ts"></script>
</head>
<body>
<a class="skip" href="#receipt">Skip to the receipt</a>
${input.verified ? '' : banner()}
<div class="document">
<header class="top">
<p class="issuer" dir="auto">${shown(view.organization.name, 'line')}</p>
<nav aria-label="This receipt">
<button class="button" id="copy" type="button" hidden>Copy link</button>
<a class="button" href="./${token}/pdf">PDF</a>
<a class="button" href="./${token}/download">JSON</a>
<a class="button" href="./${token}/proof">Proof</a>
</nav>
</header>
<main id="receipt">
${opening(view, input.share_url)}
${verdict(view)}
${verification(view, input)}
${comparison(view.sealed, input.verified, fileName(view))}
${besideSection(view.disclosures, input.verified, token)}
${print.outcome ? null : titledApproval(view)}
${print.sections.map(section)}${leftOut(print.left_out, 'section')}
${chain(view, input.share_url)}
</main>
<footer class="bottom">
<p class="hash">${shown(view.receipt_id, 'line')}</p>
<p>This page shows what the receipt states. It is a rendering; the JSON is the receipt.</p>
</footer>
</div>
</body>
</html>
`.markup;
}

function banner(): Html {
  return html`<div class="altered" role="alert">${mark('cross', 'bad')}<div><strong>${ALTERED}</strong><p>${ALTERED_DETAIL}</p></div></div>`;
}

function opening(view: ReceiptView, share_url: string): Html {
  return html`<div class="opening">
<div>
<p class="kind">${within(view.print.kind)} receipt</p>
<h1 dir="auto"${view.private_title && html` id="private-title" data-path="${view.private_title}"`}>${shown(titleOf(view.print), 'line')}</h1>
<p class="sealed">Sealed <time datetime="${view.created_at}">${within(instant(view.created_at))}</time></p>
</div>
${qr(share_url)}
</div>`;
}

function qr(link: string): Html | null {
  const code = qrOf(link);
  if (!code) return null;
  const size = code.side + 8;
  return html`<figure class="qr">
<svg viewBox="-4 -4 ${size} ${size}" role="img" aria-label="QR code of this page's link" shape-rendering="crispEdges"><path class="paper" d="M-4 -4h${size}v${size}h-${size}z"/><path d="${pathOf(code)}"/></svg>
</figure>`;
}

function verdict(view: ReceiptView): Html | null {
  const { outcome } = view.print;
  if (!outcome) return null;
  return html`<section class="verdict ${tone(outcome.tone)}" aria-labelledby="verdict">
<h2 id="verdict">${mark(MARK_OF_TONE[outcome.tone] ?? 'dash', outcome.tone)}<span>${within(outcome.word)}</span></h2>
${outcome.score_100 === null ? null : html`<p class="score"><strong>${outcome.score_100}</strong> / 100</p>`}
<p class="summary prose" dir="auto">${shown(outcome.summary)}</p>
${approval(view)}
</section>`;
}

/** The script writes into the answers; without scripts they stay as they are and say how to check by hand. */
function verification(view: ReceiptView, input: Rendered): Html {
  const file = fileName(view);
  const token = tokenOf(input.share_url);
  return html`<section class="verification" aria-labelledby="check">
<h2 id="check">Verification</h2>
<ul class="findings" aria-live="polite">
${ANSWER_TITLES.map(
  ([
    name,
    title,
  ]) => html`<li id="${name}" class="neutral"><strong>${title}</strong><div><p class="finding">${UNCHECKED[name]}</p><p class="advice"></p>${name === 'time' ? html`<p class="advice cosigned"></p>` : null}<p class="found hash"></p></div></li>
`,
)}${input.approval ? consent() : null}</ul>
<details>
<summary>Check it by hand</summary>
<ol class="steps">
<li>Download <a href="./${token}/download">${file}</a>. It is the receipt as stored.</li>
<li>In a terminal, in the folder of that file, run this line (or <code>rcpt verify</code>):<pre class="command" tabindex="0"><code>${commandByHand(input.bytes, view.receipt_sha256, file)}</code></pre></li>
<li>It has to print <span class="hash">${shown(view.receipt_sha256)}</span></li>
<li>For the other answers, download <a href="./${token}/proof">its proof</a>, ask the organization for its key, and run this line:<pre class="command" tabindex="0"><code>rcpt verify ${file} --proof PROOF --key KEY</code></pre></li>
${
  input.approval
    ? html`<li>For the approver’s signature, download <a href="./${token}/approval" download="approval.json">their approval</a>, and run this line (the specification has one for <code>openssl</code>):<pre class="command" tabindex="0"><code>rcpt verify ${file} --approval approval.json</code></pre></li>
`
    : null
}<li>Or save <a href="../assets/verify.html" download="verify-receipts.html">one page that verifies without a network</a>, and open it from your disk.</li>
</ol>
</details>
</section>`;
}

/** Where a passkey signed: a fifth answer. */
function consent(): Html {
  return html`<li id="consent" class="neutral"><strong>Consent</strong><div><p class="finding">${UNCHECKED_CONSENT}</p><p><button class="button" id="check-consent" type="button" hidden>Check the signature in this browser</button></p><p class="advice"></p><p class="found hash"></p></div></li>
`;
}

function approval(view: ReceiptView): Html | null {
  const { approval } = view.print;
  if (!approval) return null;
  const { decision, by, at } = approval;
  return html`<div class="approval"><p>${within(decision)}${by && html` by ${signed(by)}`}${at && html`, ${within(instant(at))}`}</p>
${
  by?.id
    ? html`<p class="hash">${shown(by.id, 'line')}</p>
`
    : null
}${approval.note ? html`<p class="note prose" dir="auto">${shown(approval.note)}</p>` : null}</div>`;
}

function titledApproval(view: ReceiptView): Html | null {
  const body = approval(view);
  return body && titled('Approval', body);
}

function chain(view: ReceiptView, share_url: string): Html {
  return titled('Place in the chain', html`${links(view)}${facts(placeInChain(view, share_url))}`);
}

/** The neighbours by what binds them: each receipt states the hash of the one before. */
function links(view: ReceiptView): Html {
  const { receipt_id, org_seq, parent_hash, receipt_sha256 } = view;
  const first = isFirst(view);
  const short = (hash: string) => html`<span class="hash">${within(hash.slice(0, 16))}…</span>`;
  return html`<ol class="links" aria-label="Its neighbours">
<li class="neighbour"><strong class="neighbour-name">${first ? 'Nothing before it' : 'The receipt before'}</strong><p>${first ? 'The chain begins here.' : short(parent_hash)}</p></li>
<li class="neighbour this"><strong class="neighbour-name">This receipt, number ${within(org_seq)}</strong><p>${first ? 'states that it is the first' : html`states the hash of the one before`}, and has the hash ${short(receipt_sha256)}</p></li>
<li class="neighbour"><strong class="neighbour-name">The receipt after</strong><p>will state that hash: ${within(receipt_id)} cannot change unnoticed.</p></li>
</ol>`;
}

function describe(view: ReceiptView, verified: boolean): string {
  if (!verified) return `${ALTERED}.`;
  const { outcome, kind } = view.print;
  const score = outcome?.score_100 == null ? '' : `, ${outcome.score_100} of 100`;
  const said = outcome ? `${outcome.word}${score}. ${outcome.summary}` : '';
  return plainLine(`${kind} receipt ${view.receipt_id} of ${view.organization.name}. ${said}`);
}

/** The last part of the link, as a path part of its own. */
function tokenOf(share_url: string): string {
  return encodeURIComponent(share_url.split(/[?#]/)[0]?.split('/').at(-1) ?? '');
}
