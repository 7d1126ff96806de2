/** HTML by template: every value is escaped unless it is HTML made here. */
import { codeOf, isUnseen } from './unseen.ts';

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

/**
 * Text from outside, as content (never as an attribute): what cannot be seen, or would turn around its neighbours, stands
 * there by its code, as on paper.
 */
export function shown(text: string): Html {
  let markup = '';
  let plain = '';
  for (const character of text.replaceAll('\r\n', '\n')) {
    if (character !== '\n' && character !== '\t' && isUnseen(character) && !joins(character)) {
      markup += `${escaped(plain)}<span class="code-point">${codeOf(character)}</span>`;
      plain = '';
    } else plain += character;
  }
  return raw(markup + escaped(plain));
}

/** Variation selectors and joiners are part of how emoji and scripts are written; browsers draw those. */
function joins(character: string): boolean {
  return ['\u200c', '\u200d', '\ufe0e', '\ufe0f'].includes(character);
}

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.map(render).join('');
  return typeof value === 'object' ? value.markup : escaped(String(value));
}

function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
