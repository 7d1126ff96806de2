/** A flight sheet as the JSON it is. What is wrong is listed with its line, and marked where one asks for it. */
import { useState } from 'react';
import type { Checked } from './check.ts';
import { CodeField } from './code-field.tsx';
import { type Draft, type DraftFault, draftOf } from './draft.ts';
import { lineAndColumn, placeOf, readJson, type TextFault } from './json-places.ts';

interface SheetJsonProps {
  text: string;
  draft: Draft;
  checked: Checked;
  /** Without a draft: the text is no JSON yet. */
  onChange: (text: string, draft: Draft | null) => void;
}

export function SheetJson({ text, draft, checked, onChange }: SheetJsonProps) {
  const [chosen, setChosen] = useState(0);
  const [asked, setAsked] = useState(0);
  const { fault } = readJson(text);
  const faults: TextFault[] = fault
    ? [fault]
    : checked.faults.filter(({ missing }) => checked.strict || !missing).map((each) => inText(text, draft, each));
  const shown = faults[Math.min(chosen, faults.length - 1)] ?? null;
  return (
    <div className="panel sheet-json">
      <CodeField
        label="Flight sheet as JSON"
        labelHidden
        tall
        rows={20}
        go={asked}
        value={text}
        fault={shown}
        onChange={(to) => {
          const read = readJson(to);
          onChange(to, read.fault ? null : draftOf(read.value));
        }}
      />
      {faults.length > 1 && (
        <ul className="faults">
          {faults.map((each, index) => (
            <li key={`${each.message} ${each.offset}`}>
              <button
                type="button"
                className="inline-button"
                aria-pressed={each === shown}
                onClick={() => {
                  setChosen(index);
                  setAsked(asked + 1);
                }}
              >
                Line {lineAndColumn(text, each.offset ?? 0).line}
              </button>{' '}
              {each.message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function inText(text: string, draft: Draft, { path, message, offset }: DraftFault): TextFault {
  const rule = /^rules\.(\d+)\.expr$/.exec(path);
  const within = rule && offset !== null ? draft.rules[Number(rule[1])]!.expr.slice(0, offset) : null;
  return { message: `${path}: ${message}`, offset: placeOf(text, path, within) };
}
