/** A question that waits for its answer: the browser's own dialog, which holds the focus and closes on Esc. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button, type ButtonKind, IconButton } from './button.tsx';
import { Problem } from './problem.tsx';
import './dialog.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  wide?: boolean | undefined;
  children: ReactNode;
}

/** Shown for as long as it is rendered: `{open && <Dialog …/>}`. */
export function Dialog({ title, onClose, wide, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Who opened a form wants to fill it; else the focus stays where the browser put it.
    shown?.querySelector<HTMLElement>('form :is(input, select, textarea)')?.focus();
    return () => shown?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it; the click is one on the ground behind it
    <dialog
      ref={dialog}
      className={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="dialog-body">
        <header>
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label="Close" small onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface Mutation {
  isPending: boolean;
  error: unknown;
}

interface DialogFormProps {
  /** The verb on the button that sends it. */
  action: string;
  kind?: ButtonKind;
  mutation: Mutation;
  /** One sentence why it cannot be sent now. */
  disabledReason?: string | null | undefined;
  onSend: (form: HTMLFormElement) => void;
  onClose: () => void;
  children: ReactNode;
}

/** What a dialog asks for, what became of it, and the two ways out. It is not sent twice. */
export function DialogForm({
  action,
  kind = 'primary',
  mutation: { isPending: busy, error },
  disabledReason,
  onSend,
  onClose,
  children,
}: DialogFormProps) {
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onSend(event.currentTarget);
      }}
    >
      {children}
      {error ? <Problem error={error} /> : null}
      <div className="form-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={kind} type="submit" busy={busy} disabledReason={disabledReason}>
          {action}
        </Button>
      </div>
    </form>
  );
}

/** A form in a dialog of its own. */
export function FormDialog({ title, wide, ...form }: { title: string; wide?: boolean } & DialogFormProps) {
  return (
    <Dialog title={title} wide={wide} onClose={form.onClose}>
      <DialogForm {...form} />
    </Dialog>
  );
}

/** Asks before it does: the words say what will have happened afterwards, and whether it can be taken back. */
export function Confirm({
  children,
  onConfirm,
  ...form
}: Omit<Parameters<typeof FormDialog>[0], 'onSend'> & { onConfirm: () => void }) {
  return (
    <FormDialog {...form} onSend={onConfirm}>
      <div className="dialog-words">{children}</div>
    </FormDialog>
  );
}
