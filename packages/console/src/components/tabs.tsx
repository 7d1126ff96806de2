/** Pages side by side, each with an address of its own. For views inside one page there is `Choice`. */
import { Link, useLocation } from 'wouter';
import './tabs.css';

export function Tabs({ label, tabs }: { label: string; tabs: readonly { href: string; label: string }[] }) {
  const [path] = useLocation();
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} aria-current={path === tab.href ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}

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
