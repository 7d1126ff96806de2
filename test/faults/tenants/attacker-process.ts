/** One attack in a process of its own: prepares when told whom to attack, then attacks from each `begin` to the next `end`. */
import { boundTo, callerOf } from '../../../packages/ledger/test/kit/running.ts';
import type { Said, Told, Word } from './attacker.ts';
import type { Attack, Attacker, Prepare } from './victim.ts';

process.once('message', (told: Told) => {
  attacking(told).catch((error: Error) => say({ is: 'failed', why: error.stack ?? String(error) }));
});

async function attacking({ file, url, pid, organization_id, keys }: Told): Promise<void> {
  const statuses: Record<string, number> = {};
  const answered = (status: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const plain = callerOf(url);
  const call: Attacker['call'] = async (...asked) => {
    const answer = await plain(...asked);
    answered(answer.status);
    return answer;
  };
  const attacker: Attacker = { url, pid, call, answered, tenant: boundTo(plain, { organization_id, keys }) };
  const { attack, prepare } = (await import(file)) as { attack: Attack; prepare?: Prepare };
  const prepared = await prepare?.(attacker);
  say({ is: 'ready' });
  for (;;) {
    await word('begin');
    const stop = new AbortController();
    const attacked = attack({ ...attacker, signal: stop.signal, prepared }).then(
      () => (stop.signal.aborted ? null : new Error('it ended before it was told to')),
      (error: Error) => (stop.signal.aborted ? null : error),
    );
    say({ is: 'begun' });
    const early = await Promise.race([attacked, word('end')]);
    if (early instanceof Error) throw early;
    stop.abort();
    await attacked;
    say({ is: 'ended', statuses });
  }
}

function word(wanted: Word['is']): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', function hear(message: Word) {
      if (message.is !== wanted) return;
      process.off('message', hear);
      resolve();
    });
  });
}

function say(said: Said): void {
  process.send!(said);
}
