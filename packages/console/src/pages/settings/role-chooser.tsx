/** One of the four roles, each with what it may. */

import type { Role } from '@rcpt/contract/vocabulary.ts';
import { useId } from 'react';
import { ROLE_IN_WORDS, ROLE_WORD, ROLES_OFFERED } from './roles.ts';
import './role-chooser.css';

export function RoleChooser({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  const name = useId();
  return (
    <fieldset className="roles">
      <legend>Role</legend>
      {ROLES_OFFERED.map((each) => (
        <label key={each} className="role">
          <input type="radio" name={name} value={each} checked={each === role} onChange={() => onChange(each)} />
          <span>
            <strong>{ROLE_WORD[each]}</strong>
            <small>{ROLE_IN_WORDS[each]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
