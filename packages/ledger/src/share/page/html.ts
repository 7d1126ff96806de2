/** HTML by template: every value is escaped unless it is HTML made here. */
import { type Place, runsLeft, stretchesOf } from '@rcpt/contract/shown.ts';

declare const made_here: unique symbol;
/** Markup that only `html` and `raw` make; a string is never mistaken for it. */
export interface Html {
  readonly markup: string;
  readonly [made_here]?: true;
}

type Value = Html | string | number | null | undefined | false | Value[];

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  let markup = parts[0] ?? '';
  values.forEach((value, i) => {
    markup += render(value) + (parts[i + 1] ?? '');
  });
  return { markup };
}

/** For markup that holds nothing from outside. */
export function raw(markup: string): Html {
  return { markup };
}

/** Text from outside, as the content of a block of its own with `dir="auto"`, never as an attribute. */
export function shown(text: string, place?: Place): Html {
  const parts = stretchesOf(text, place).map((stretch) =>
    stretch.coded ? `<span class="code-point">${stretch.text}</span>` : escaped(stretch.text),
  );
  return raw(parts.join(''));
}

/** The same within a line of ours: where letters run from right to left they turn nothing around beside them. */
export function within(text: string): Html {
  const line = shown(text, 'line');
  return runsLeft(text) ? html`<bdi>${line}</bdi>` : line;
}

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.map(render).join('');
  return typeof value === 'object' ? value.markup : escaped(String(value));
}

function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
