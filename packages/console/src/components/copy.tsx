/** Texts one takes along: hashes and ids, shell commands, and secrets that are shown once. */
import { useState } from 'react';
import { toast } from '../layout/toasts.tsx';
import { Button, IconButton } from './button.tsx';
import './copy.css';

/** Says so when the browser does not let us: over plain HTTP from another machine there is no clipboard. */
export async function copy(text: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied`);
    return true;
  } catch {
    toast('The browser did not allow copying: select the text instead', 'bad');
    return false;
  }
}

/** A hash or an id, whole for screen readers and the clipboard; `short` shows its beginning. */
export function Hash({ value, what = 'Hash', short = false }: { value: string; what?: string; short?: boolean }) {
  return (
    <span className="hash">
      <code title={short ? value : undefined}>{short ? `${value.slice(0, 12)}…` : value}</code>
      <IconButton icon="copy" label={`Copy ${what.toLowerCase()}`} small onClick={() => void copy(value, what)} />
    </span>
  );
}

/** Commands for a shell. */
export function Command({ text }: { text: string }) {
  return (
    <div className="command">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <IconButton icon="copy" label="Copy command" small onClick={() => void copy(text, 'Command')} />
    </div>
  );
}

/** A secret that is shown once. It can be copied; the dialog goes on only after the person confirms that it is kept. */
export function CopyOnce({
  secret,
  what,
  onKept,
  onCopied,
}: {
  secret: string;
  what: string;
  onKept: () => void;
  onCopied?: () => void;
}) {
  const [copied, setCopied] = useState(false);
  return (
    <div className="copy-once">
      <p>
        This is shown <strong>once</strong>. Keep it where secrets are kept; only its hash stays here.
      </p>
      <div className="secret">
        <code>{secret}</code>
        <Button
          icon={copied ? 'check' : 'copy'}
          onClick={async () => {
            if (!(await copy(secret, what))) return;
            setCopied(true);
            onCopied?.();
          }}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </div>
      <div className="form-end">
        <Button kind="primary" onClick={onKept}>
          I have kept it
        </Button>
      </div>
    </div>
  );
}
