/** Writes a new sheet, or a new version of one: a form or JSON on one side, a submission to try it on beside it. */
import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ledger } from '../../../api/clients.ts';
import { useIdempotentMutation } from '../../../api/idempotent-mutation.ts';
import { KEYS } from '../../../api/keys.ts';
import { useSession } from '../../../api/queries.ts';
import { Button } from '../../../components/button.tsx';
import { Confirm } from '../../../components/dialog.tsx';
import { SegmentedControl } from '../../../components/segmented-control.tsx';
import { StatusBadge, type StatusIconName, type Tone } from '../../../components/status-badge.tsx';
import { count } from '../../../format/numbers.ts';
import { deniedReason } from '../../../format/permissions.ts';
import { Page, Section } from '../../../layout/page.tsx';
import { toast } from '../../../layout/toasts.tsx';
import { sheetQuery } from '../queries.ts';
import { useLeavingWarning } from '../unsaved-changes.ts';
import { type Checked, useCheck } from './check.ts';
import { type Draft, draftOf, emptyDraft, freeVersion, sheetOf } from './draft.ts';
import { forgetDraft, keepDraft, keptDraft } from './draft-storage.ts';
import { SheetForm } from './sheet-form.tsx';
import { SheetJson } from './sheet-json.tsx';
import { addressOf } from './sheet-list.tsx';
import { EMPTY_SUBMISSION } from './submission.ts';
import { Trial } from './trial.tsx';

const VIEWS = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const;

/** `from`: the sheet one starts from; its next version. `published`: what is taken, as `name@version`. */
export function Editor({ from, published }: { from: FlightSheet | null; published: ReadonlySet<string> }) {
  const { organization, id, role } = useSession();
  const keptAs = `${organization.id} ${id} ${from ? `${from.name}@${from.version}` : ''}`;
  const [begun] = useState(() => keptDraft(keptAs));
  const start = () =>
    from ? { ...draftOf(from), version: freeVersion(from.name, from.version, published) } : emptyDraft();
  const [draft, setDraft] = useState<Draft>(() => begun?.draft ?? start());
  const [submission, setSubmission] = useState(begun?.submission ?? EMPTY_SUBMISSION);
  const [changed, setChanged] = useState(begun !== undefined);
  /** The text while it is edited as JSON; null in the form. */
  const [json, setJson] = useState<{ text: string; sound: boolean } | null>(null);
  const [publishing, setPublishing] = useState(false);
  const [strict, setStrict] = useState(false);
  const publish = () => {
    if (checked.faults.length === 0) return setPublishing(true);
    setStrict(true);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.editor [aria-invalid]')?.focus());
  };
  const checked = useCheck(draft, submission, { may: deniedReason(role, 'work') === null, strict, published });
  const done = useRef(false);
  useLeavingWarning(changed);
  useEffect(() => {
    if (changed && !done.current) keepDraft(keptAs, { draft, submission });
  }, [changed, draft, submission, keptAs]);

  const write = (to: Draft) => {
    setDraft(to);
    setChanged(true);
  };
  const startOver = () => {
    forgetDraft(keptAs);
    setDraft(start());
    setSubmission(EMPTY_SUBMISSION);
    setChanged(false);
    setStrict(false);
    setJson(null);
  };
  const unsound = json?.sound === false ? 'The JSON is not finished.' : null;
  return (
    <Page
      title={from ? `New version of ${from.name}` : 'New flight sheet'}
      up={{ href: '/settings/flight-sheets', label: 'Flight sheets' }}
      beside={<CheckStatus checked={checked} unsound={unsound} />}
      actions={
        <>
          {changed && (
            <Button kind="quiet" onClick={startOver}>
              Start over
            </Button>
          )}
          <Button kind="primary" disabledReason={deniedPublishing(role, checked, unsound)} onClick={publish}>
            Publish
          </Button>
        </>
      }
    >
      <div className="editor">
        <div>
          <div className="editor-view">
            <SegmentedControl
              label="How to write the sheet"
              options={VIEWS}
              value={json ? 'json' : 'form'}
              onChange={(view) => {
                if (view === 'json') setJson({ text: JSON.stringify(sheetOf(draft), null, 2), sound: true });
                else if (unsound) toast('Finish the JSON first: the form cannot show half of it', 'bad');
                else setJson(null);
              }}
            />
          </div>
          {json ? (
            <SheetJson
              text={json.text}
              draft={draft}
              checked={checked}
              onChange={(text, to) => {
                setJson({ text, sound: to !== null });
                if (to) write(to);
              }}
            />
          ) : (
            <SheetForm draft={draft} checked={checked} isNew={from === null} onChange={write} />
          )}
        </div>
        <aside className="editor-trial" aria-label="Trial">
          <Section title="Try it" beside="Nothing is stored">
            <div className="panel">
              <Trial submission={submission} checked={checked} onChange={setSubmission} />
            </div>
          </Section>
        </aside>
      </div>
      {publishing && (
        <Publish
          sheet={sheetOf(draft)}
          onDone={() => {
            done.current = true;
            forgetDraft(keptAs);
          }}
          onClose={() => setPublishing(false)}
        />
      )}
    </Page>
  );
}

function CheckStatus({ checked, unsound }: { checked: Checked; unsound: string | null }) {
  const [mark, tone, words] = standingOf(checked, unsound);
  return (
    <span role="status" className="standing">
      <StatusBadge mark={mark} tone={tone}>
        {words}
      </StatusBadge>
    </span>
  );
}

function standingOf(
  { faults, checking, problem, strict }: Checked,
  unsound: string | null,
): [StatusIconName, Tone, string] {
  if (unsound) return ['warning', 'caution', 'Not JSON yet'];
  const wrong = faults.filter(({ missing }) => strict || !missing);
  if (wrong.length > 0) return ['warning', 'caution', `${count(wrong.length, 'thing')} to put right`];
  if (checking) return ['ring', 'neutral', 'Checking …'];
  if (problem) return ['cross', 'bad', 'Could not be checked'];
  return faults.length > 0 ? ['half', 'neutral', 'Unfinished'] : ['tick', 'good', 'Compiles'];
}

function deniedPublishing(
  role: Parameters<typeof deniedReason>[0],
  { faults, checking, problem }: Checked,
  unsound: string | null,
) {
  const disabledReason = deniedReason(role, 'administer') ?? unsound;
  if (disabledReason !== null) return disabledReason;
  // Pressed all the same, it shows where.
  if (faults.length > 0) return null;
  if (checking) return 'The ledger is still looking at it.';
  return problem ? 'The ledger could not check it.' : null;
}

function Publish({ sheet, onDone, onClose }: { sheet: FlightSheet; onDone: () => void; onClose: () => void }) {
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const act = useIdempotentMutation(ledger.publishFlightSheet, {
    onSuccess(published) {
      onDone();
      cache.setQueryData(sheetQuery(published.name, published.version).queryKey, published);
      void cache.invalidateQueries({ queryKey: KEYS.settings('flight-sheets') });
      toast(`${published.name} ${published.version} published`);
      navigate(addressOf(published));
    },
  });
  return (
    <Confirm
      title={`Publish ${sheet.name} ${sheet.version}?`}
      action="Publish"
      mutation={act}
      onConfirm={() => act.mutate(sheet)}
      onClose={onClose}
    >
      <p>
        A published version never changes and cannot be taken back: receipts name it, and its{' '}
        {count(sheet.rules.length, 'rule')} must say later what they say today. What is put right later is a new
        version.
      </p>
      <p>Runs may name it at once. Earlier versions stay as they are.</p>
    </Confirm>
  );
}
