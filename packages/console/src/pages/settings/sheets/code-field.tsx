/** A field for CEL or JSON: grows with its text, and marks where something is wrong in it. */
import { type ReactNode, useEffect, useRef } from 'react';
import { Field } from '../../../components/field.tsx';
import { sentence } from '../../../format/vocabulary.ts';
import { lineAndColumn, type TextFault } from './json-places.ts';
import './code-field.css';

interface CodeFieldProps {
  label: string;
  labelHidden?: boolean;
  optional?: boolean;
  hint?: ReactNode;
  value: string;
  placeholder?: string;
  /** The first thing that is wrong; its offset is in `value`. */
  fault: TextFault | null;
  /** Tall texts scroll inside. */
  tall?: boolean;
  rows?: number;
  /** Each time it changes, the caret goes to the fault. */
  go?: number;
  onChange: (value: string) => void;
}

export function CodeField({ fault, value, tall, rows = 2, go = 0, placeholder, onChange, ...wording }: CodeFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const goThere = () => {
    if (fault === null || fault.offset === null || area.current === null) return;
    area.current.focus({ preventScroll: true });
    area.current.setSelectionRange(fault.offset, fault.offset + markedLength(value, fault.offset));
    area.current.parentElement?.querySelector('mark')?.scrollIntoView({ block: 'center' });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when one asks to go there
  useEffect(() => {
    if (go > 0) goThere();
  }, [go]);
  return (
    <div className="code-field">
      <Field {...wording} {...(fault ? { error: wordsOf(value, fault) } : {})}>
        {(wired) => (
          <div className={tall ? 'code tall' : 'code'}>
            <pre aria-hidden="true">
              <Marked value={value} offset={fault?.offset ?? null} />
            </pre>
            <textarea
              {...wired}
              ref={area}
              rows={rows}
              value={value}
              placeholder={placeholder}
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              onChange={(event) => onChange(event.target.value)}
            />
          </div>
        )}
      </Field>
      {go === 0 && fault?.offset != null && value.length > 400 && (
        <button type="button" className="inline-button go-to" onClick={goThere}>
          Go there
        </button>
      )}
    </div>
  );
}

/** The same text below the field, invisible but for its mark. The last line break would collapse without a character after it. */
function Marked({ value, offset }: { value: string; offset: number | null }) {
  if (offset === null) return <span data-as-typed>{`${value}\u200b`}</span>;
  const end = offset + markedLength(value, offset);
  return (
    <span data-as-typed>
      {value.slice(0, offset)}
      <mark data-as-typed>{value.slice(offset, end).replace(/^\n?$/, ' ')}</mark>
      {value.slice(offset, end) === '\n' && '\n'}
      {value.slice(end)}
      {'\u200b'}
    </span>
  );
}

/** A word, or one character. */
function markedLength(value: string, offset: number): number {
  return /^\w+/.exec(value.slice(offset, offset + 80))?.[0].length ?? Math.min(1, value.length - offset);
}

function wordsOf(value: string, { message, offset }: TextFault): string {
  if (offset === null) return sentence(message);
  const { line, column } = lineAndColumn(value, offset);
  return `${value.includes('\n') ? `Line ${line}, column` : 'Column'} ${column}: ${message}`;
}
