/** Answers in short, and those of an export that is whole in memory. */
import { ANSWER_TITLES, type Answers } from '../../src/answers/answer.ts';
import { answersOfExport, ExportTree } from '../../src/answers/export.ts';
import type { Trust } from '../../src/answers/signer.ts';
import { ChainVerifier } from '../../src/chain.ts';

/** `holds unchanged`, and so on, in their order. */
export function inShort(answers: Answers): string[] {
  return ANSWER_TITLES.map(([name]) => `${answers[name].state} ${answers[name].code}`);
}

export function ofExport(receipts: readonly string[], checkpoint: string | null, trust: Trust = {}): Promise<Answers> {
  const chain = new ChainVerifier();
  const tree = new ExportTree(checkpoint, trust);
  for (const receipt of receipts) {
    chain.push(receipt);
    tree.push(new TextEncoder().encode(receipt));
  }
  return answersOfExport(chain.finish(), tree, checkpoint, trust);
}
