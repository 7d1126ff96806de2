/** The sections of the page: facts, checks, evidence, running text. */
import type { Fact, PrintedCheck, PrintedEvidence, PrintedSigner } from '@rcpt/contract/lanes/lane.ts';
import { sentence } from '@rcpt/contract/lanes/printed.ts';
import { MARKS, type Mark, markOfCheck } from '../marks.ts';
import { leftOutInWords, safeHref, toneOfCheck } from '../words.ts';
import type { BoundedSection } from './bounds.ts';
import { type Html, html, raw, shown, within } from './html.ts';

export function section(section: BoundedSection): Html | null {
  switch (section.kind) {
    case 'facts':
      if (section.facts.length === 0) return null;
      return titled(section.title, html`${facts(section.facts)}${leftOut(section.left_out, 'member')}`);
    case 'checks': {
      const { title, checks: list, left_out } = section;
      return titled(title, html`${checks(list)}${leftOut(left_out, 'check')}`, section.tally);
    }
    case 'evidence': {
      const { title, evidence: list, left_out = 0 } = section;
      return titled(title, html`${evidence(list)}${leftOut(left_out, 'item')}`, count(list.length + left_out));
    }
    case 'text':
      return titled(section.title, html`<div class="prose" dir="auto">${shown(section.text)}</div>`);
  }
}

export function titled(title: string, body: Html, note = ''): Html {
  return html`<section>
<div class="heading"><h2>${within(title)}</h2>${note ? html`<p>${note}</p>` : null}</div>
${body}
</section>`;
}

export function facts(list: (Fact & { id?: string })[]): Html {
  return html`<dl>${list.map((fact) => {
    const href = safeHref(fact.href);
    const value = fact.value === '' ? '—' : shown(fact.value);
    return html`<div><dt dir="auto">${shown(fact.label, 'line')}</dt><dd dir="auto"${fact.mono ? raw(' class="hash"') : null}${fact.id ? raw(` id="${fact.id}"`) : null}>${
      href ? html`<a href="${href}" rel="noopener noreferrer nofollow">${value}</a>` : value
    }</dd></div>`;
  })}</dl>`;
}

export function leftOut(left_out = 0, what: Parameters<typeof leftOutInWords>[1]): Html | null {
  return left_out === 0 ? null : html`<p class="none">${leftOutInWords(left_out, what)} in the JSON.</p>`;
}

function checks(list: PrintedCheck[]): Html {
  if (list.length === 0) return html`<p class="none">No check was recorded.</p>`;
  return html`<table class="checks">
<thead><tr><th scope="col">Status</th><th scope="col">Check</th><th scope="col">Category</th><th scope="col">Severity</th></tr></thead>
<tbody>${list.map(
    (check) => html`<tr>
<td class="status ${tone(toneOfCheck(check))}">${mark(markOfCheck(check), toneOfCheck(check))}<span>${within(sentence(check.status))}</span></td>
<th scope="row"><p dir="auto">${shown(check.label, 'line')}</p>${decided(check)}${check.detail && check.detail !== '—' ? html`<p class="detail" dir="auto">${shown(check.detail)}</p>` : null}</th>
<td class="minor">${within(sentence(check.category))}</td>
<td class="minor">${within(sentence(check.severity))}</td>
</tr>`,
  )}</tbody>
</table>`;
}

function decided({ decided_by: by }: PrintedCheck): Html | null {
  if (by === null || by === 'rule') return null;
  return html`<p class="detail">Decided by ${signed(by)} <span class="hash">${within(by.id)}</span></p>`;
}

function evidence(list: PrintedEvidence[]): Html {
  if (list.length === 0) return html`<p class="none">No evidence was attached.</p>`;
  const sized = list.some(({ size }) => size !== null);
  return html`<table class="evidence">
<thead><tr><th scope="col">Kind</th><th scope="col">Evidence and SHA-256 of its bytes</th>${sized && raw('<th scope="col">Size</th>')}</tr></thead>
<tbody>${list.map(
    (piece) => html`<tr>
<td class="minor">${within(sentence(piece.kind))}</td>
<th scope="row"><p dir="auto">${shown(piece.label, 'line')}</p><p class="hash">${shown(piece.sha256, 'line')}</p></th>
${sized && html`<td class="minor size">${within(piece.size ?? '—')}</td>`}
</tr>`,
  )}</tbody>
</table>`;
}

/** `Ada Okafor (person)`. */
export function signed({ name, kind }: PrintedSigner): Html {
  return html`${within(name)}${kind && ` (${kind})`}`;
}

export function mark(name: Mark, of: string): Html {
  const { solid, cut, line } = MARKS[name];
  return html`<svg class="mark ${tone(of)}" viewBox="0 0 16 16" aria-hidden="true">${solid ? html`<path class="solid" d="${solid}"/>` : null}${
    cut ? html`<path class="cut" d="${cut}"/>` : null
  }${line ? html`<path class="line" d="${line}"/>` : null}</svg>`;
}

export function tone(of: string): string {
  return ['good', 'caution', 'bad'].includes(of) ? of : 'neutral';
}

function count(items: number): string {
  return items === 1 ? '1 item' : `${items} items`;
}
