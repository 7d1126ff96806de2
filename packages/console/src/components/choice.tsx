import './choice.css';

interface ChoiceProps<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
  small?: boolean;
}

/** One of a few, at once. */
export function Choice<Value extends string>({ label, options, value, onChange, small }: ChoiceProps<Value>) {
  return (
    <fieldset className={small ? 'choice small' : 'choice'}>
      <legend className="unseen">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
