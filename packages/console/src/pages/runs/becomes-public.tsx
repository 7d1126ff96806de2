/** What of a decision will be public before it is: the same lines that the receipt's page will show. */
import type { Session } from '@rcpt/contract/ledger/people.ts';
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { signerOf } from '@rcpt/contract/signer.ts';
import { Description, DescriptionList } from '../../components/description-list.tsx';
import { SignedBy } from '../../components/signer.tsx';
import { labelOfPath } from '../../format/path-label.ts';
import './becomes-public.css';
import { LANE_SEALS } from './lane-fields.ts';
import { mailboxPlaces } from './mailboxes.ts';

export function BecomesPublic({ run, session, note }: { run: Run; session: Session; note: string }) {
  const own = { name: session.public_name ?? session.name, id: session.id };
  const { approval } = LANE_SEALS[run.lane];
  if (approval !== 'signed')
    return (
      <section className="becomes-public" aria-label="What becomes public of this decision">
        <h3>Public, for ever</h3>
        <p>
          {approval === 'stated'
            ? 'That it was approved. Not by whom, when, or with which note.'
            : 'Nothing of this decision: a receipt of this lane does not say who approved it.'}{' '}
          Your name, <SignedBy signer={own} />, the time and the note stay with the Run, for members.
        </p>
        {approval === 'stated' && <DecidedByHand run={run} />}
        <Mailboxes run={run} note="" />
        <Committed run={run} />
      </section>
    );
  return (
    <section className="becomes-public" aria-label="What becomes public of this decision">
      <h3>Public, for ever</h3>
      <DescriptionList>
        <Description label="Approved by">
          <SignedBy signer={own} />
        </Description>
        <Description label="Id">
          <code>{own.id}</code>
        </Description>
        <Description label="Note">
          {run.private?.includes('/note') ? (
            <span className="muted">Private: a digest of it is sealed</span>
          ) : note === '' ? (
            <span className="muted">None</span>
          ) : (
            note
          )}
        </Description>
        <Description label="Time">When you approve, to the millisecond</Description>
      </DescriptionList>
      <Mailboxes run={run} note={note} />
      <Committed run={run} />
    </section>
  );
}

/** What is bound to the receipt and stands beside it: not public until somebody discloses it. */
function Committed({ run }: { run: Run }) {
  const paths = run.private ?? [];
  return (
    <>
      {paths.length > 0 && (
        <>
          <h3>Committed, not public</h3>
          <p>
            {paths.map((path, place) => (
              <span key={path}>
                {place > 0 && ', '}
                {labelOfPath(path)} <small className="muted">{path}</small>
              </span>
            ))}
            . The receipt seals a digest of each. Nobody can tell the words from it; whoever is shown them can check
            that they match.
          </p>
        </>
      )}
      <h3>Shown by the link</h3>
      <p className="muted">
        Nothing beside the receipt itself: output, evidence and what is private are withheld until an approver or owner
        discloses them on the receipt’s page.
      </p>
    </>
  );
}

/** The ledger adds no e-mail address; what was typed into the work is sealed as it was typed. */
function Mailboxes({ run, note }: { run: Run; note: string }) {
  const places = mailboxPlaces(run, note);
  if (places.length === 0) return <p className="muted">Your e-mail address does not become public.</p>;
  return (
    <p className="becomes-public-warning" role="status">
      There is an e-mail address in {places.join(', ')}. It may become public with the receipt.
    </p>
  );
}

/** Findings that people or keys decided are sealed with their names. */
function DecidedByHand({ run }: { run: Run }) {
  const signers = new Map(
    run.checks
      .map(({ decided_by }) => signerOf(decided_by))
      .filter((signer) => signer !== null)
      .map((signer) => [signer.id, signer]),
  );
  if (signers.size === 0) return null;
  return (
    <p>
      Beside each finding that was decided by hand, who decided:{' '}
      {[...signers.values()].map((signer, place) => (
        <span key={signer.id}>
          {place > 0 && ', '}
          <SignedBy signer={signer} />
        </span>
      ))}
      .
    </p>
  );
}
