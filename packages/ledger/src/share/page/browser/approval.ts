/** Runs in the visitor's browser when they ask whether the approver's passkey signed exactly the bytes behind this link. */
import { consentTo } from '@rcpt/proof/approval/answer.ts';
import { verifyReceipt } from '@rcpt/proof/receipt.ts';
import { root, spot, write } from './dom.ts';

const TONES = { holds: 'good', fails: 'bad', not_shown: 'neutral' };

const found = spot('#consent');
found?.setAttribute('aria-busy', 'true');
const [receipt, approval] = await Promise.all([loaded('download'), loaded('approval')]);
if (receipt === null || approval === null)
  write('#consent .finding', 'Not checked: the signature could not be loaded.');
else {
  const { state, text, advice, signed } = await consentTo(payloadOf(receipt), approval);
  if (found) found.className = TONES[state];
  write('#consent .finding', text);
  write('#consent .advice', advice);
  write('#consent .found', signed === null ? '' : `Passkey ${signed.credential_id}`);
}
found?.setAttribute('aria-busy', 'false');

function payloadOf(bytes: Uint8Array) {
  const { ok, payload } = verifyReceipt(bytes);
  return ok ? payload : null;
}

async function loaded(what: 'download' | 'approval'): Promise<Uint8Array | null> {
  try {
    const answer = await fetch(root().dataset[what] ?? '', { cache: 'no-store' });
    return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
  } catch {
    return null;
  }
}
