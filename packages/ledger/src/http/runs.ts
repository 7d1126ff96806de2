import { AssertionOptions } from '@rcpt/contract/ledger/passkeys.ts';
import {
  ApprovalDecision,
  ApprovalQuestion,
  CheckDecision,
  CheckList,
  NewRun,
  Run as PublicRun,
  RunList,
  RunQuery,
} from '@rcpt/contract/ledger/runs.ts';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { JsonObject } from '@rcpt/contract/wire.ts';
import { Approval, Check, Verdict } from '@rcpt/contract/work.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { askToSign, prepareDecision } from '../passkeys/approve.ts';
import { recordApproval } from '../runs/approval.ts';
import { loadUndecided, recordChecks } from '../runs/checks.ts';
import { executionOf, inputsOf } from '../runs/parse-body.ts';
import { runJson, runListJson } from '../runs/run-json.ts';
import { decideCheck, giveVerdict, loadExecutable, openRun, postExecution } from '../runs/stages.ts';
import { listRuns } from '../store/run-list.ts';
import { loadShownRun } from '../store/runs.ts';
import { countDocument } from '../store/storage.ts';
import { changeAndSend, createAndSend, IdempotencyHeader, NOTHING_CREATED } from './idempotent.ts';
import { sendText } from './stored.ts';

/** What is prepared where the bytes of a body were left to a thread. */
const inThread = <T>(body: unknown, read: (bytes: Uint8Array) => Promise<T>) =>
  body instanceof Uint8Array ? () => read(body) : undefined;

const RunParams = z.object({ id: z.string() });

export function runRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['runs'], security: [{ bearer: [] }] };
  const work = { may: 'work' } as const;
  const post = { may: 'work', reads_in_thread: true } as const;
  const storage_bytes = ledger.config.organization_storage_bytes;

  app.post(
    '/runs',
    {
      config: post,
      schema: {
        ...common,
        summary: 'Inputs: open a Run',
        description:
          '`inputs` depend on the lane; `inputs.notify` lists e-mail addresses that are sent the receipt, 20 at most. Beyond what an hour takes, of an organization or to a mailbox, a mail waits for a later hour.',
        headers: IdempotencyHeader,
        body: NewRun,
        response: { 201: PublicRun },
      },
    },
    (request, reply) =>
      createAndSend(
        ledger,
        request,
        reply,
        async (tx, parsed = inputsOf(request.body)) => {
          const run = await openRun(tx, request.principal, parsed, ledger.now());
          await countDocument(tx, request.principal.organization_id, run.inputs, storage_bytes);
          return { body: runJson(run), is_text: true, location: `/runs/${run.id}` };
        },
        inThread(request.body, (bytes) => ledger.deciders.run('inputs', request.principal.organization_id, bytes)),
      ),
  );

  app.get(
    '/runs',
    {
      config: { may: 'read', in_turn: true },
      schema: {
        ...common,
        summary: 'Runs, newest first',
        description:
          'At most `limit`, and fewer when they are large or when `search` or `outcome` has read a stretch: page on with `after` until `next_after` is null, also after an empty page.',
        querystring: RunQuery,
        response: { 200: RunList },
      },
    },
    async (request, reply) => {
      const { runs, next_after } = await listRuns(ledger.db, request.principal.organization_id, request.query);
      return sendText(reply, `{"runs":[${await runListJson(runs)}],"next_after":${JSON.stringify(next_after)}}`);
    },
  );

  app.get(
    '/runs/:id',
    {
      config: { may: 'read', in_turn: true },
      schema: { ...common, summary: 'One Run', params: RunParams, response: { 200: PublicRun } },
    },
    async (request, reply) =>
      sendText(reply, runJson(await loadShownRun(ledger.db, request.principal.organization_id, request.params.id))),
  );

  app.post(
    '/runs/:id/execution',
    {
      config: post,
      schema: {
        ...common,
        summary: 'Execution: post the work done',
        description: 'A Run at Inputs passes Evidence with none attached, and its checks say so.',
        headers: IdempotencyHeader,
        params: RunParams,
        body: JsonObject,
        response: { 200: PublicRun },
      },
    },
    (request, reply) =>
      createAndSend(
        ledger,
        request,
        reply,
        async (tx, parsed) => {
          const read = (lane: LaneName) => parsed ?? executionOf(lane, request.body);
          const run = await postExecution(tx, request.principal, request.params.id, read, ledger.now());
          await countDocument(tx, request.principal.organization_id, run.execution!, storage_bytes);
          return { body: runJson(run), is_text: true, location: NOTHING_CREATED };
        },
        inThread(request.body, (bytes) =>
          ledger.deciders.run('execution', request.principal.organization_id, async () => ({
            lane: await loadExecutable(ledger.db, request.principal, request.params.id),
            bytes,
          })),
        ),
      ),
  );

  app.post(
    '/runs/:id/checks',
    {
      config: work,
      schema: {
        ...common,
        summary: 'Checks: run the lane’s checks',
        description:
          'The lane’s checks, with those of the flight sheet, are decided on the Run as it is, and stored; the Run is then at Checks. Rules of a checklist are left open, for a person to decide. An organization’s checks are decided one after the other: 429 `rate_limited` while too many of them wait. A Run that changed while its checks were decided is refused: 409 `run_stage_conflict`. Checks that take longer than 20 seconds are ended: 503 `overloaded`. In each case nothing is stored.',
        headers: IdempotencyHeader,
        params: RunParams,
        response: { 200: CheckList },
      },
    },
    (request, reply) =>
      changeAndSend(
        ledger,
        request,
        reply,
        async (tx, decided) => ({
          checks: await recordChecks(tx, request.principal, request.params.id, decided, ledger.now()),
        }),
        () =>
          ledger.deciders.run('check', request.principal.organization_id, () =>
            loadUndecided(ledger.db, request.principal, request.params.id, ledger.prices.rows),
          ),
      ),
  );

  app.patch(
    '/runs/:id/checks/:key',
    {
      config: { may: 'approve' },
      schema: {
        ...common,
        summary: 'Decide a checklist rule that is open',
        description:
          '`decided_by` names who did, by public name and id, and is sealed; the caller’s `detail` is their words behind it. A person without a public name is refused with 409 `public_name_needed`. Where the organization wants four eyes, the credential that posted the execution is refused: 403 `four_eyes`.',
        params: z.object({ id: z.string(), key: z.string() }),
        body: CheckDecision,
        response: { 200: Check },
      },
    },
    ({ principal, params, body }) => decideCheck(ledger, principal, params.id, params.key, body),
  );

  app.post(
    '/runs/:id/verdict',
    {
      config: work,
      schema: {
        ...common,
        summary: 'Verdict: 409 while a check is open',
        headers: IdempotencyHeader,
        params: RunParams,
        response: { 200: Verdict },
      },
    },
    (request, reply) =>
      changeAndSend(ledger, request, reply, (tx) =>
        giveVerdict(tx, request.principal, request.params.id, ledger.now()),
      ),
  );

  app.post(
    '/runs/:id/approval/options',
    {
      config: { may: 'approve' },
      schema: {
        ...common,
        summary: 'What the browser is asked to sign with a passkey: `navigator.credentials.get`',
        description:
          'In WebAuthn’s JSON form. The challenge is the SHA-256 of the block that approving with this decision and note would fix; it counts once, for five minutes, for this session. Nothing is decided by this call. 409 `passkeys_off`, `passkey_missing`, `passkey_address`; else as the approval itself.',
        params: RunParams,
        body: ApprovalQuestion,
        response: { 200: AssertionOptions },
      },
    },
    (request) => askToSign(ledger, request, request.params.id, request.body),
  );

  app.post(
    '/runs/:id/approval',
    {
      config: { may: 'approve' },
      schema: {
        ...common,
        summary: 'Approval: approve or reject, which is final',
        description:
          '`approved_by` is the person’s public name or the key’s label, `approver_id` says which of the two it was: `user_…` or `key_…`. A person without a public name is refused with 409 `public_name_needed`. Where the organization wants four eyes, the credential that posted the execution is refused: 403 `four_eyes`. With `assertion`, what a passkey signed is compared with what would be fixed and kept beside it: 422 `assertion_invalid` where it does not hold. Where the organization requires it, 409 `passkey_required` without one.',
        headers: IdempotencyHeader,
        params: RunParams,
        body: ApprovalDecision,
        response: { 200: Approval },
      },
    },
    (request, reply) =>
      changeAndSend(
        ledger,
        request,
        reply,
        (tx, prepared) => recordApproval(tx, request.principal, request.params.id, prepared),
        () => prepareDecision(ledger, request, request.params.id, request.body),
      ),
  );
}
