/** Which members of a new Run are private: its receipt then holds a digest of each. */
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { mayBePrivate } from './lane-fields.ts';

interface PrivateMembersProps {
  lane: LaneName;
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

export function PrivateMembers({ lane, chosen, onChange }: PrivateMembersProps) {
  const members = mayBePrivate(lane);
  if (members.length === 0) return null;
  return (
    <fieldset className="field">
      <legend>
        Private<span className="optional"> optional</span>
      </legend>
      {members.map(({ path, label }) => (
        <label key={path} className="check-field">
          <input
            type="checkbox"
            checked={chosen.includes(path)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, path] : chosen.filter((other) => other !== path))
            }
          />
          {label}
        </label>
      ))}
      <p className="field-hint">
        The receipt holds a digest of what is private, not the words. Later you choose whether its link shows them, and
        they can be erased. This cannot be changed once the Run is open.
      </p>
    </fieldset>
  );
}
