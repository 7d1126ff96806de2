/** What a conforming verifier answers for every vector of the signed log: written by make.ts into `expected.json`. */
import { readdirSync, readFileSync } from 'node:fs';
import { ANSWER_TITLES, type Answers } from '../packages/proof/src/answers/answer.ts';
import { answersOfExport, checkpointIn, ExportTree } from '../packages/proof/src/answers/export.ts';
import { policyToTrust } from '../packages/proof/src/answers/policy.ts';
import { answersOfReceipt } from '../packages/proof/src/answers/receipt.ts';
import type { Trust } from '../packages/proof/src/answers/signer.ts';
import { ChainVerifier } from '../packages/proof/src/chain.ts';
import { parseConsistency } from '../packages/proof/src/log/consistency-file.ts';
import { parsePolicy } from '../packages/proof/src/log/policy.ts';
import { parseVerifierKeys } from '../packages/proof/src/log/verifier-key.ts';
import type { AnswersVector } from './make-proofs.ts';

/** By path, in the order of the paths. Lists of cases hold their answers themselves. */
export async function expectedProofs(folder: URL): Promise<Record<string, object>> {
  const answers: Record<string, object> = {};
  for (const name of readdirSync(folder).sort()) {
    const read_as = name.split('--')[0]!;
    if (read_as !== 'answers') answers[`proofs/${name}`] = { read_as };
    else {
      const vector = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as AnswersVector;
      answers[`proofs/${name}`] = { read_as, ...inShort(await answersOfVector(vector)) };
    }
  }
  return answers;
}

/** State and code of each; the wording is every verifier's own. */
export function inShort(answers: Answers): object {
  const four = ANSWER_TITLES.map(([name]) => [name, `${answers[name].state}: ${answers[name].code}`]);
  return { about: answers.about, ...Object.fromEntries(four) };
}

export async function answersOfVector(vector: AnswersVector): Promise<Answers> {
  const trust = trustOf(vector);
  if (vector.export === undefined)
    return answersOfReceipt(new TextEncoder().encode(vector.receipt), vector.proof ?? null, trust);
  const chain = new ChainVerifier();
  const checkpoint = vector.checkpoint ?? null;
  const tree = new ExportTree(checkpoint, trust);
  for (const line of vector.export.split('\n').filter((text) => text !== '')) {
    chain.push(line);
    tree.push(new TextEncoder().encode(line));
  }
  return answersOfExport(chain.finish(), tree, checkpoint, trust);
}

function trustOf({ keys = '', keys_beside = '', policy, consistency, remembered }: AnswersVector): Trust {
  const trust: Trust = { expected: parseVerifierKeys(keys), beside: parseVerifierKeys(keys_beside) };
  const asks = policy === undefined ? undefined : policyToTrust(parsePolicy(policy));
  if (asks !== undefined) trust.policy = asks;
  if (consistency !== undefined) trust.consistency = parseConsistency(consistency);
  if (remembered !== undefined) trust.remembered = checkpointIn(remembered);
  return trust;
}
