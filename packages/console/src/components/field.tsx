/** Form fields: a label, a control, and below it a hint or what is wrong with it. */
import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { Icon } from './icon.tsx';
import './field.css';

interface Wording {
  label: string;
  hint?: ReactNode;
  /** What the service says about this field: `errorAt(act.error, 'title')`. */
  error?: string | undefined;
  /** Shown beside the label of what may be left out. */
  optional?: boolean | undefined;
  /** The label is for screen readers alone: the page already says it. */
  labelHidden?: boolean | undefined;
}

interface Wired {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/** Wires any control to its words: `<Field label="…">{(wired) => <input {...wired} />}</Field>`. */
export function Field({
  label,
  hint,
  error,
  optional,
  labelHidden,
  children,
}: Wording & { children: (wired: Wired) => ReactNode }) {
  const id = useId();
  const words = error ?? hint;
  return (
    <div className="field">
      <label htmlFor={id} className={labelHidden ? 'visually-hidden' : undefined}>
        {label}
        {optional && <span className="optional"> optional</span>}
      </label>
      {children({
        id,
        'aria-describedby': words ? `${id}-words` : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {words && (
        <p id={`${id}-words`} className={error ? 'field-error' : 'field-hint'}>
          {words}
        </p>
      )}
    </div>
  );
}

type With<Props> = Wording & Omit<Props, keyof Wired | keyof Wording | 'className'>;

export function TextField({ mono, ...given }: { mono?: boolean } & With<InputHTMLAttributes<HTMLInputElement>>) {
  const { wording, control } = parted(given);
  return (
    <Field {...wording}>
      {(wired) => (
        <input type="text" autoComplete="off" {...control} {...wired} className={mono ? 'input mono' : 'input'} />
      )}
    </Field>
  );
}

export function TextAreaField({
  mono,
  ...given
}: { mono?: boolean } & With<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  const { wording, control } = parted(given);
  return (
    <Field {...wording}>
      {(wired) => (
        <textarea rows={4} spellCheck={!mono} {...control} {...wired} className={mono ? 'input mono' : 'input'} />
      )}
    </Field>
  );
}

export function SelectField({ children, ...given }: With<SelectHTMLAttributes<HTMLSelectElement>>) {
  const { wording, control } = parted(given);
  return (
    <Field {...wording}>
      {(wired) => (
        <span className="select">
          <select {...control} {...wired} className="input">
            {children}
          </select>
          <Icon name="down" />
        </span>
      )}
    </Field>
  );
}

/** What is said about a control, and the rest, which is the control's own. */
function parted<Given extends Wording>({ label, hint, error, optional, labelHidden, ...control }: Given) {
  return { wording: { label, hint, error, optional, labelHidden }, control };
}

/** On or off, at once: for settings. `label` stands beside it. */
export function Switch({
  label,
  hint,
  on,
  disabledReason,
  onChange,
}: {
  label: string;
  hint?: ReactNode;
  on: boolean;
  disabledReason?: string | null;
  onChange: (on: boolean) => void;
}) {
  const id = useId();
  const words = disabledReason ?? hint;
  return (
    <div className="switch-field">
      <button
        type="button"
        role="switch"
        id={id}
        className="switch"
        aria-checked={on}
        aria-labelledby={`${id}-label`}
        aria-describedby={words ? `${id}-words` : undefined}
        aria-disabled={disabledReason ? true : undefined}
        onClick={() => disabledReason || onChange(!on)}
      />
      <div>
        <label id={`${id}-label`} htmlFor={id}>
          {label}
        </label>
        {words && (
          <p id={`${id}-words`} className="field-hint">
            {words}
          </p>
        )}
      </div>
    </div>
  );
}
