/** Straight to a number of the chain. */
import { useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { useShortcuts } from '../../layout/shortcuts.ts';
import '../../components/field.css';

export function JumpBox({ last, onJump }: { last: number; onJump: (org_seq: number) => void }) {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useShortcuts({ '/': { does: 'Go to a number', run: () => input.current?.focus() } });
  const wanted = /^#?\d{1,15}$/.test(text.trim()) ? Number(text.trim().replace('#', '')) : null;
  return (
    <form
      className="jump"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted === null) return input.current?.focus();
        onJump(Math.min(wanted, last));
        input.current?.blur();
      }}
    >
      <input
        ref={input}
        className="input"
        inputMode="numeric"
        aria-label="Number of a receipt"
        placeholder={`0 to ${last}`}
        autoComplete="off"
        maxLength={16}
        value={text}
        aria-invalid={(text !== '' && (wanted === null || wanted > last)) || undefined}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && input.current?.blur()}
      />
      <Button type="submit">Go</Button>
    </form>
  );
}
