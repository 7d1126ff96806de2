/** All keys that do something on this page. */
import { useEffect, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { hearKeys, useKnownShortcuts, useShortcuts } from './shortcuts.ts';

let show: () => void = () => {};

export function showKeyboardHelp(): void {
  show();
}

export function KeyboardHelp() {
  const [open, setOpen] = useState(false);
  const shortcuts = useKnownShortcuts();
  show = () => setOpen(true);
  useEffect(hearKeys, []);
  useShortcuts({ '?': { does: 'This help', run: () => setOpen(true) } });
  if (!open) return null;
  return (
    <Dialog title="Keyboard" onClose={() => setOpen(false)}>
      <dl className="keys">
        {[...shortcuts, ['Esc', 'Close a dialog or menu'] as const].map(([keys, does]) => (
          <div key={keys}>
            <dt>{does}</dt>
            <dd>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
