/** What a running ledger serves over HTTP: an organization with receipts beyond a full tile, asked by the tools as any client would. */
import { join } from 'node:path';
import { fromBase64, toBase64 } from '@rcpt/proof/log/bytes.ts';
import { parseCheckpointText } from '@rcpt/proof/log/checkpoint.ts';
import { parseProofFile } from '@rcpt/proof/log/proof-file.ts';
import { parseNote } from '@rcpt/proof/log/signed-note.ts';
import { type RunningTest, running, type Tenant } from '../../packages/ledger/test/kit/running.ts';
import { mintedReceipt } from '../../packages/ledger/test/kit/story.ts';
import {
  lacksOpenssl,
  startAuthority,
  type TimeStampAuthority,
} from '../../packages/ledger/test/kit/time-stamp-authority.ts';
import { until } from '../kit/until.ts';
import type { GoCase } from './go.ts';
import { policyOf } from './go-cases.ts';
import type { OpensslCase } from './openssl.ts';
import type { SigstoreCase } from './sigstore.ts';

const RECEIPTS = 300;
const AT_ONCE = 10;

export interface Served {
  sumdb: GoCase[];
  torchwood: GoCase[];
  openssl: OpensslCase[];
  sigstore: SigstoreCase[];
  close(): Promise<void>;
}

export async function serve(folder: string): Promise<Served> {
  const authority = lacksOpenssl() === false ? await startAuthority() : null;
  // Without an authority the setting counts as unset.
  const stamping = { LEDGER_TSA_URL: authority?.url ?? '', LEDGER_TSA_INTERVAL_SECONDS: '1' };
  const ledger = await running({ url: `sqlite:${join(folder, 'ledger.db')}` }, stamping);
  const tenant = await ledger.tenant();
  while ((await mintSome(tenant)) < RECEIPTS);
  const asked = await askAll(ledger, tenant);
  return {
    ...goCases(asked),
    openssl: await opensslCases(asked, authority),
    sigstore: sigstoreCases(asked),
    async close() {
      await ledger.close();
      await authority?.close();
    },
  };
}

async function mintSome(tenant: Tenant): Promise<number> {
  const minted = await Promise.all(Array.from({ length: AT_ONCE }, () => mintedReceipt(tenant)));
  return Math.max(...minted.map(({ org_seq }) => org_seq)) + 1;
}

type Asked = Awaited<ReturnType<typeof askAll>>;

async function askAll(ledger: RunningTest, tenant: Tenant) {
  const text = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${ledger.url}${path}`, {
      headers: { authorization: `Bearer ${tenant.keys.auditor}`, ...headers },
    });
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  };
  const note = await text('/ledger/checkpoint');
  const { size, root } = parseCheckpointText(parseNote(note).text);
  const receipts = (await text('/ledger', { accept: 'application/x-ndjson' })).trim().split('\n');
  const older_proof = await text(`/ledger/consistency?from=257&to=${size}`);
  const index = 42;
  const link = new URL(JSON.parse(receipts[index]!).share_url).pathname;
  return {
    note,
    size,
    root: toBase64(root),
    key: (await text('/ledger/key')).trim(),
    receipts,
    index,
    link: `${ledger.url}${link}`,
    proof: await text(`${link}/proof`),
    statement: await text(`${link}/statement`),
    consistency: older_proof.trim().split('\n'),
    tiles: `${ledger.url}/ledger`,
    credential: tenant.keys.auditor,
  };
}

/** The older tree of the consistency proof is computed by the tool from the receipts alone. */
function goCases(asked: Asked): Pick<Served, 'sumdb' | 'torchwood'> {
  const { note, size, root, key, receipts, index, proof, tiles, credential } = asked;
  const records = receipts.map((receipt) => Buffer.from(receipt).toString('base64'));
  const { hashes, checkpoint } = parseProofFile(proof);
  const proved = hashes.map(toBase64);
  const signed = parseCheckpointText(parseNote(checkpoint).text);
  const inclusion = {
    kind: 'inclusion',
    index,
    size: signed.size,
    root: toBase64(signed.root),
    hashes: proved,
  } as const;
  const policy = policyOf(key);
  const served = { kind: 'entries', note, policy, tiles, credential } as const;
  return {
    sumdb: [
      { name: 'served: the checkpoint', holds: true, kind: 'note', note, key },
      { name: 'served: its root, of the exported receipts alone', holds: true, kind: 'root', size, root, records },
      {
        name: 'served: its root, of receipts in another order',
        holds: false,
        kind: 'root',
        size,
        root,
        records: records.toReversed(),
      },
      {
        name: 'served: all tiles over HTTP',
        holds: true,
        kind: 'tiles',
        size,
        root,
        index,
        hashes: proved,
        tiles,
        credential,
      },
      {
        name: 'served: tiles without a credential',
        holds: false,
        kind: 'tiles',
        size,
        root,
        index,
        hashes: proved,
        tiles,
      },
      { name: 'served: the inclusion in a receipt’s proof', holds: true, ...inclusion, record: records[index]! },
      { name: 'served: that inclusion, of the next receipt', holds: false, ...inclusion, record: records[index + 1]! },
      {
        name: 'served: the consistency from 257',
        holds: true,
        kind: 'grown',
        size,
        root,
        older_size: 257,
        hashes: asked.consistency,
        records,
      },
      {
        name: 'served: that consistency, from 256',
        holds: false,
        kind: 'grown',
        size,
        root,
        older_size: 256,
        hashes: asked.consistency,
        records,
      },
    ],
    torchwood: [
      { name: 'served: a receipt’s proof file', holds: true, kind: 'proof', proof, policy, record: records[index]! },
      {
        name: 'served: that proof file, of the next receipt',
        holds: false,
        kind: 'proof',
        proof,
        policy,
        record: records[index + 1]!,
      },
      { name: 'served: all entries over HTTP', holds: true, ...served, records },
      {
        name: 'served: all entries, one of them another',
        holds: false,
        ...served,
        records: records.with(7, records[8]!),
      },
    ],
  };
}

async function opensslCases(asked: Asked, authority: TimeStampAuthority | null): Promise<OpensslCase[]> {
  const { note, key, receipts, index, statement, link } = asked;
  const receipt = { 'statement.json': statement, 'receipt.json': receipts[index]! };
  const cases: OpensslCase[] = [
    { name: 'served: the checkpoint', holds: true, block: 'checkpoint', key, files: { checkpoint: note } },
    { name: 'served: the statement', holds: true, block: 'statement', key, files: receipt },
    {
      name: 'served: the statement, of the next receipt',
      holds: false,
      block: 'statement',
      key,
      files: { ...receipt, 'receipt.json': receipts[index + 1]! },
    },
  ];
  if (authority === null) return cases;
  const stamp = await until('time stamp', async () => {
    const answer = await fetch(`${link}/timestamp`);
    return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : null;
  });
  const proof = await (await fetch(`${link}/timestamp/proof`)).text();
  const files = { 'timestamp.tsr': stamp, 'receipt.tlog-proof': proof, 'authority.pem': authority.ca };
  const moved = proof.replace(/\n\n(\S+)\n(\d+)\n/, (_, origin, size) => `\n\n${origin}\n${Number(size) - 1}\n`);
  const other = await startAuthority();
  const stranger = other.ca;
  await other.close();
  return [
    ...cases,
    { name: 'served: the time stamp', holds: true, block: 'timestamp', key, files },
    {
      name: 'served: the time stamp, of another checkpoint',
      holds: false,
      block: 'timestamp',
      key,
      files: { ...files, 'receipt.tlog-proof': moved },
    },
    {
      name: 'served: the time stamp, of another authority',
      holds: false,
      block: 'timestamp',
      key,
      files: { ...files, 'authority.pem': stranger },
    },
  ];
}

function sigstoreCases({ statement, key }: Asked): SigstoreCase[] {
  const bundle = JSON.parse(statement);
  const payload = fromBase64(bundle.dsseEnvelope.payload)!;
  const altered = structuredClone(bundle);
  altered.dsseEnvelope.payload = toBase64(payload.with(100, payload[100]! ^ 1));
  return [
    { name: 'served: the statement', holds: true, bundle, key },
    { name: 'served: the statement, a bit of it another', holds: false, bundle: altered, key },
  ];
}
