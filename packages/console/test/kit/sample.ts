/**
 * Pieces of work at every stage and in several lanes, taken there over the API, so that the console has something to show.
 * Everything about them is said by this file; nothing is measured.
 */
import { type LedgerClient, ledgerClient } from '@rcpt/contract/client/ledger.ts';
import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { Run } from '@rcpt/contract/ledger/runs.ts';

export interface SampleKeys {
  ledger_url: string;
  owner_key: string;
  agent_key: string;
}

/** The Runs by where they stand. */
export interface Sample {
  inputs: string;
  evidence: string;
  execution: string;
  open_checks: string;
  verdict: string;
  failed_verdict: string;
  rejected: string;
  approved: string;
  sealed: string;
}

const SHEET: FlightSheet = {
  name: 'roof-survey',
  version: '1.2.0',
  title: 'Roof survey report',
  assignment: {
    title: 'Report on a roof survey',
    instructions: 'List each finding with its severity; total the cost.',
  },
  output_schema: {
    type: 'object',
    required: ['findings', 'total_eur'],
    properties: { findings: { type: 'array' }, total_eur: { type: 'number' } },
  },
  rules: [
    {
      id: 'has-findings',
      label: 'There is a finding',
      category: 'structure',
      severity: 'high',
      expr: 'size(submission.findings) > 0',
    },
    {
      id: 'total-adds-up',
      label: 'The total is the sum of the findings',
      category: 'math',
      severity: 'high',
      expr: 'submission.total_eur == sum(submission.findings.map(f, f.cost_eur))',
    },
    {
      id: 'within-budget',
      label: 'The total is within the budget',
      category: 'policy',
      severity: 'medium',
      expr: 'submission.total_eur <= inputs.budget_eur',
    },
    {
      id: 'photos-attached',
      label: 'The photos are attached',
      category: 'evidence',
      severity: 'low',
      expr: 'size(evidence) >= 2',
    },
    {
      id: 'photos-match',
      label: 'The photos show what the findings say',
      category: 'evidence',
      severity: 'medium',
      checklist: true,
    },
    {
      id: 'tone-fits-client',
      label: 'The wording fits the client',
      category: 'policy',
      severity: 'low',
      checklist: true,
    },
  ],
  pass_threshold: 80,
  fail_threshold: 50,
};

export async function makeSample({ ledger_url, owner_key, agent_key }: SampleKeys): Promise<Sample> {
  const owner = ledgerClient({ base_url: ledger_url, token: owner_key });
  const agent = ledgerClient({ base_url: ledger_url, token: agent_key });
  await owner.publishFlightSheet(SHEET);
  const survey = await openSurvey(agent, 'Roof survey, Harbour Street 12');
  await agent.runChecks(survey.id);
  const waiting = await toVerdict(agent, 'Visit notes of the Mill Lane site', NOTES);
  const failed = await toVerdict(agent, 'Quarterly energy figures', WRONG_TOTAL);
  const rejected = await toVerdict(agent, 'Draft of the tenants’ letter', {
    ...NOTES,
    output: 'TODO: write this letter',
  });
  await owner.approve(rejected.id, 'rejected', 'The letter is not written yet.');
  const approved = await toVerdict(agent, 'Inventory of the east store', NOTES);
  await owner.approve(approved.id, 'approved', 'Counted again by hand: agrees.');
  const sealed = await toVerdict(agent, 'Condition report of the bell tower', NOTES);
  await owner.approve(sealed.id, 'approved', 'Read and compared with the notes.');
  await owner.mint(sealed.id);
  await sealedSeries(owner);
  return {
    inputs: (await openGeneric(agent, 'Minutes of the site meeting')).id,
    evidence: (await withNotes(agent, await openGeneric(agent, 'Comparison of three insulation offers'))).id,
    execution: (await executed(agent, 'Translation of the maintenance manual', NOTES)).id,
    open_checks: survey.id,
    verdict: waiting.id,
    failed_verdict: failed.id,
    rejected: rejected.id,
    approved: approved.id,
    sealed: sealed.id,
  };
}

const NOTES = {
  agent_name: 'scribe',
  model_name: 'small-1',
  provider: 'local',
  output: 'Visit notes: two tiles to replace on the north side, the gutter can stay.',
};
const WRONG_TOTAL = { agent_name: 'clerk', model_name: 'small-1', output: { items: [120, 80, 55], total: 275 } };

function openGeneric(client: LedgerClient, title: string): Promise<Run> {
  const task = 'Summarize what was seen on site, with every defect and what is to be done about it.';
  return client.openRun({
    lane: 'generic',
    title,
    inputs: { task, kind: 'agent', site: { city: 'Utrecht', visits: 2 } },
  });
}

async function withNotes(client: LedgerClient, run: Run): Promise<Run> {
  await client.attachEvidence(run.id, {
    kind: 'file',
    label: 'Visit notes',
    content: 'Two tiles are broken. The gutter is sound.',
    content_type: 'text/plain',
  });
  await client.attachEvidence(run.id, {
    kind: 'url',
    label: 'Plan of the roof',
    content: 'https://plans.example.org/roof-12.pdf',
  });
  await client.attachEvidence(run.id, { kind: 'log', label: 'Drone flight log', sha256: 'b7c1'.repeat(16) });
  return run;
}

async function executed(client: LedgerClient, title: string, execution: object): Promise<Run> {
  const run = await withNotes(client, await openGeneric(client, title));
  await client.postExecution(run.id, execution as never);
  return run;
}

async function toVerdict(client: LedgerClient, title: string, execution: object): Promise<Run> {
  const run = await executed(client, title, execution);
  await client.runChecks(run.id);
  await client.giveVerdict(run.id);
  return run;
}

async function openSurvey(client: LedgerClient, title: string): Promise<Run> {
  const flight_sheet = { name: SHEET.name, version: SHEET.version };
  const run = await withNotes(
    client,
    await client.openRun({ lane: 'eval', title, inputs: { flight_sheet, budget_eur: 1500 } }),
  );
  const findings = [
    { where: 'north side', what: 'two broken tiles', severity: 'high', cost_eur: 340 },
    { where: 'ridge', what: 'loose mortar', severity: 'medium', cost_eur: 620 },
  ];
  await client.postExecution(run.id, {
    agent_name: 'surveyor',
    model_name: 'vision-2',
    provider: 'local',
    output: { findings, total_eur: 960 },
  });
  return run;
}

/** A pin, a grant and an incident: lanes whose work is their inputs. */
async function sealedSeries(owner: LedgerClient): Promise<void> {
  const series = [
    {
      lane: 'model-pin',
      title: 'Pin of acme/support-chat 8B',
      inputs: {
        slug: 'acme/support-chat-8b',
        name: 'Support Chat 8B',
        base: 'acme/base-8b',
        params_b: 8,
        card: { license: 'apache-2.0' },
        declaration: 'Used for first answers only.',
      },
    },
    {
      lane: 'dataset-download',
      title: 'Roof photos for the insurer',
      inputs: {
        slug: 'roof-photos',
        name: 'Roof photos',
        version: '2026.1',
        sha256: 'a3'.repeat(32),
        size_bytes: 48_200_112,
        row_count: 1_204,
        granted_to: 'insurer@example.org',
        purpose: 'Claims of 2026',
        expires_at: '2027-06-30T00:00:00Z',
      },
    },
    {
      lane: 'incident',
      title: 'An agent asked for a paid tool',
      inputs: {
        kind: 'budget_overrun',
        tier: 'medium',
        detail: 'It tried three times within a minute.',
        lane: 'generic',
        response: ['lane_locked', 'human_approval_required'],
      },
    },
  ] as const;
  for (const { lane, title, inputs } of series) {
    const run = await owner.openRun({ lane, title, inputs: inputs as never });
    await owner.postExecution(run.id, { agent_name: 'keeper', model_name: 'small-1' });
    const { checks } = await owner.runChecks(run.id);
    if (checks.some(({ status }) => status === 'open')) continue;
    await owner.giveVerdict(run.id);
    await owner.approve(run.id, 'approved');
    await owner.mint(run.id);
  }
}
