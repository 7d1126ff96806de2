/** JSON somebody else shaped, as names and values, or raw for whoever wants it exactly. */
import type { Json } from '@rcpt/contract/wire.ts';
import { type ReactNode, useState } from 'react';
import { Section } from '../frame/page.tsx';
import { amount } from '../words/numbers.ts';
import { IconButton } from './button.tsx';
import { copy } from './copy.tsx';
import { Fact, Facts } from './facts.tsx';
import { Choice } from './tabs.tsx';
import './readable.css';

const VIEWS = [
  { value: 'readable', label: 'Readable' },
  { value: 'raw', label: 'JSON' },
] as const;
const LONG = 600;

type View = (typeof VIEWS)[number]['value'];

interface ReadableProps {
  value: { readonly [name: string]: Json };
  /** The section's heading, and in words what can be shown in two ways: `Inputs`. */
  title: string;
}

/** A section of a page. */
export function ReadableSection({ value, title }: ReadableProps) {
  const [view, setView] = useState<View>('readable');
  return (
    <Section
      title={title}
      beside={<Choice small label={`How to show: ${title}`} options={VIEWS} value={view} onChange={setView} />}
    >
      {view === 'raw' ? (
        <RawJson value={value} />
      ) : (
        <div className="sheet">
          <Members value={value} />
        </div>
      )}
    </Section>
  );
}

/** The same inside something that has its own heading; `what` names it for screen readers. */
export function Readable({ value, what }: { value: ReadableProps['value']; what: string }) {
  const [view, setView] = useState<View>('readable');
  return (
    <div>
      <div className="readable-head">
        <Choice small label={`How to show: ${what}`} options={VIEWS} value={view} onChange={setView} />
      </div>
      {view === 'raw' ? <RawJson value={value} /> : <Members value={value} />}
    </div>
  );
}

/** In the order they were sent; the members of nested objects get dotted names. */
function Members({ value }: Pick<ReadableProps, 'value'>) {
  const members = flatten(value);
  if (members.length === 0) return <p className="muted">Nothing was said here.</p>;
  return (
    <Facts>
      {members.map(([name, member]) => (
        <Fact key={name} label={name}>
          {shown(member)}
        </Fact>
      ))}
    </Facts>
  );
}

export function RawJson({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div className="raw">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <IconButton icon="copy" label="Copy JSON" small onClick={() => void copy(text, 'JSON')} />
    </div>
  );
}

function flatten(value: { readonly [name: string]: Json }, prefix = ''): (readonly [string, Json])[] {
  return Object.entries(value).flatMap(([name, member]) =>
    isObject(member) && Object.keys(member).length > 0
      ? flatten(member, `${prefix}${name}.`)
      : [[`${prefix}${name}`, member] as const],
  );
}

function shown(value: Json): ReactNode {
  if (typeof value === 'number') return amount(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null || value === '') return <span className="muted">—</span>;
  if (typeof value === 'string') return value.length > LONG ? <LongText text={value} /> : value;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ') || '—';
  return <RawJson value={value} />;
}

function LongText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  return (
    <>
      {whole ? text : `${text.slice(0, LONG).trimEnd()} … `}
      <button type="button" className="inline-button" aria-expanded={whole} onClick={() => setWhole(!whole)}>
        {whole ? 'Show less' : 'Show all'}
      </button>
    </>
  );
}

function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
