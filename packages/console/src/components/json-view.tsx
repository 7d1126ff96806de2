/** JSON of any shape, as names and values, or raw. */
import { inJson, membersOf } from '@rcpt/contract/members.ts';
import { fitting } from '@rcpt/contract/shown.ts';
import type { Json } from '@rcpt/contract/wire.ts';
import { type ReactNode, useMemo, useState } from 'react';
import { Section } from '../layout/page.tsx';
import { Shown } from '../shown/shown.ts';
import { IconButton } from './button.tsx';
import { copy } from './copy.tsx';
import { Description, DescriptionList, LeftOut } from './description-list.tsx';
import { SegmentedControl } from './segmented-control.tsx';
import './json-view.css';

const VIEWS = [
  { value: 'readable', label: 'Readable' },
  { value: 'raw', label: 'JSON' },
] as const;
const LONG = 600;
/** The JSON beside has them all. */
const MOST_MEMBERS = 200;

type View = (typeof VIEWS)[number]['value'];

interface JsonViewProps {
  value: { readonly [name: string]: Json };
  /** The section's heading, and in words what can be shown in two ways: `Inputs`. */
  title: string;
}

/** A section of a page. */
export function JsonSection({ value, title }: JsonViewProps) {
  const [view, setView] = useState<View>('readable');
  return (
    <Section
      title={title}
      beside={
        <SegmentedControl small label={`How to show: ${title}`} options={VIEWS} value={view} onChange={setView} />
      }
    >
      {view === 'raw' ? (
        <RawJson value={value} />
      ) : (
        <div className="panel">
          <Members value={value} />
        </div>
      )}
    </Section>
  );
}

/** In the order they were sent. */
function Members({ value }: Pick<JsonViewProps, 'value'>) {
  const { members, left_out } = useMemo(() => membersOf(value, MOST_MEMBERS), [value]);
  if (members.length === 0) return <p className="muted">Nothing was said here.</p>;
  return (
    <>
      <DescriptionList>
        {members.map(({ path, value: said }) => (
          <Description key={path} label={path}>
            {shown(said)}
          </Description>
        ))}
      </DescriptionList>
      <LeftOut members={left_out} />
    </>
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

function shown(value: Json): ReactNode {
  if (Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null))
    return <RawJson value={value} />;
  const said = inJson(value);
  return said.length > LONG && fitting(said, LONG) < said.length ? <LongText text={said} /> : said;
}

function LongText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  return (
    <>
      <span className="written" dir="auto">
        <Shown text={whole ? text : text.slice(0, fitting(text, LONG))} place="text" />
      </span>
      {!whole && ' … '}
      <button type="button" className="inline-button" aria-expanded={whole} onClick={() => setWhole(!whole)}>
        {whole ? 'Show less' : 'Show all'}
      </button>
    </>
  );
}
