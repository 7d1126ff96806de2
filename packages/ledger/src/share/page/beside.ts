/** What stands beside the receipt; `browser/beside.ts` checks it and says what it found. */
import { instant } from '@rcpt/contract/lanes/printed.ts';
import type { Beside } from '@rcpt/contract/ledger/disclosures.ts';
import { besideInWords } from '@rcpt/proof/disclosure-words.ts';
import { type Html, html, raw, shown } from './html.ts';

/** What a page lists; the rest is in the list itself. */
const MOST = 60;

/** Null where there is nothing. */
export function besideSection(list: Beside[], verified: boolean, token: string): Html | null {
  if (list.length === 0) return null;
  const more = list.length - MOST;
  return html`<section class="compare beside" aria-labelledby="beside-heading">
<h2 id="beside-heading">Beside this receipt</h2>
<p>The receipt is bound to these by digest or hash, and does not hold them. Its organization decides what this link shows.</p>
<p id="beside-state">${verified ? '' : 'The receipt itself does not verify, so nothing is compared with it.'}</p>
<ul class="answers" id="beside"${list.some(({ state }) => state === 'disclosed') && raw(' data-check="yes"')}>${list.slice(0, MOST).map((item) => entry(item, token))}</ul>
${more > 0 ? html`<p class="none">${more} more stand in <a href="./${token}/disclosures">the list</a>.</p>` : null}
</section>`;
}

function entry(item: Beside, token: string): Html {
  const { said } = besideInWords(item, null, instant);
  const file =
    item.state === 'disclosed' && html`<p><a href="./${token}/disclosures${encodeURI(item.path)}">Download it</a></p>`;
  return html`<li class="answer neutral"><strong class="laid">${shown(item.path, 'line')}</strong><p class="said" dir="auto">${shown(said, 'line')}</p>${file}</li>`;
}
