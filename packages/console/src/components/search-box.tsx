/** A search that follows one's typing after a breath; `/` leads to it, Esc empties it. */
import { useEffect, useRef, useState } from 'react';
import { useShortcuts } from '../layout/shortcuts.ts';
import { Icon } from './icon.tsx';
import './search-box.css';

const BREATH_MS = 250;

export function SearchBox({
  label,
  value,
  onSearch,
}: {
  label: string;
  value: string;
  onSearch: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useShortcuts({ '/': { does: label, run: () => input.current?.focus() } });
  // What comes from elsewhere, such as a cleared filter, is shown; one's own words come back unchanged.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => latest.current(text.trim()), BREATH_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <span className="search-box">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        className="input"
        aria-label={label}
        placeholder={label}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (text === '') input.current?.blur();
          setText('');
        }}
      />
      <kbd title="Press / to search">/</kbd>
    </span>
  );
}
