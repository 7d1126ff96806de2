import './segmented-control.css';

interface SegmentedControlProps<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
  small?: boolean;
}

/** One of a few, at once. */
export function SegmentedControl<Value extends string>({
  label,
  options,
  value,
  onChange,
  small,
}: SegmentedControlProps<Value>) {
  return (
    <fieldset className={small ? 'segmented-control small' : 'segmented-control'}>
      <legend className="visually-hidden">{label}</legend>
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
