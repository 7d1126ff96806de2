/** In place of what only owners see: who one is here, what one may, and whom to ask. */
import { useSession } from '../../api/queries.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import type { IconName } from '../../components/icon.tsx';
import { ROLE_IN_WORDS, ROLE_WORD } from './roles.ts';

export function OwnersOnly({ icon, what }: { icon: IconName; what: string }) {
  const { role, organization } = useSession();
  return (
    <div className="panel">
      <EmptyState icon={icon} title={`Owners manage ${what}`}>
        <p>
          Your role in {organization.name} is <strong>{ROLE_WORD[role].toLowerCase()}</strong>. {ROLE_IN_WORDS[role]}{' '}
          Ask an owner for more.
        </p>
      </EmptyState>
    </div>
  );
}
