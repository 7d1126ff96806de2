/** The vectors of witnesses: cosigned checkpoints under policies, policies that are refused, and what a witness answers. */
import { toBase64, toHex } from '../packages/proof/src/log/bytes.ts';
import { formatVerifierKey, verifierKey } from '../packages/proof/src/log/verifier-key.ts';
import { type Cosigner, logOf, type Signer, signerNamed } from '../test/kit/signed-log.ts';

const ORIGIN = 'ledger.example/org/org_1';
const TIME = 1_790_000_000;

/** @param texts the chain of six */
export async function witnessVectors(texts: string[]): Promise<Record<string, object>> {
  return {
    'policy--met-and-not': cosigned(texts),
    'policy--refused': refused(texts),
    'cosignature--raw-bytes': raw(texts),
    'witness--what-it-answers': await submissions(texts),
  };
}

const named = (name: string) => signerNamed(`${name}.witness.example`, 4);
const [ONE, TWO, THREE] = ['one', 'two', 'three'].map(named) as [Signer, Signer, Signer];
const at = (signer: Signer, time = TIME): Cosigner => ({ signer, time });

/** `cosigned`: names of the policy's witnesses whose lines hold, in its order; else `refused`, the code. */
function cosigned(texts: string[]): object {
  const log = logOf(texts, ORIGIN);
  const policy = [
    `log ${log.signer.vkey}`,
    `witness a ${ONE.vkey}`,
    `witness b ${TWO.vkey}`,
    `witness c ${THREE.vkey}`,
    'group some 2 a b',
    'group all-of-them all some c',
    'quorum all-of-them',
    '',
  ].join('\n');
  const one = policy.replace('group some 2', 'group some any').replace('quorum all-of-them', 'quorum some');
  const none = policy.replace('quorum all-of-them', 'quorum none');
  const by = (...cosigners: Cosigner[]) => log.checkpoint(6, cosigners);
  const namesake = signerNamed(ONE.key.name, 4, 'another');
  const forged = { ...ONE, sign: TWO.sign };
  // The line says another time than the one that was signed.
  const lines = by(at(ONE)).trimEnd().split('\n');
  const [other_time] = by(at(ONE, TIME + 1)).trimEnd().split('\n').slice(-1);
  const bytes = Uint8Array.from(atob(lines.at(-1)!.split(' ').at(-1)!), (c) => c.charCodeAt(0));
  bytes.set(Uint8Array.from(atob(other_time!.split(' ').at(-1)!), (c) => c.charCodeAt(0)).subarray(0, 12));
  const postdated = [...lines.slice(0, -1), `\u2014 ${ONE.key.name} ${toBase64(bytes)}`, ''].join('\n');
  const cases: [story: string, policy: string, note: string, answer: object][] = [
    ['all of them', policy, by(at(ONE), at(TWO), at(THREE)), { quorum_met: true, cosigned: ['a', 'b', 'c'] }],
    ['in another order, with another time each', policy, by(at(THREE, TIME - 60), at(TWO), at(ONE, TIME + 60)), { quorum_met: true, cosigned: ['a', 'b', 'c'] }],
    ['one of a group of two is missing', policy, by(at(ONE), at(THREE)), { quorum_met: false, cosigned: ['a', 'c'] }],
    ['the one beside the group is missing', policy, by(at(ONE), at(TWO)), { quorum_met: false, cosigned: ['a', 'b'] }],
    ['nobody has cosigned', policy, by(), { quorum_met: false, cosigned: [] }],
    ['nobody has to', none, by(), { quorum_met: true, cosigned: [] }],
    ['any of a group', one, by(at(TWO)), { quorum_met: true, cosigned: ['b'] }],
    ['one outside the quorum', one, by(at(THREE)), { quorum_met: false, cosigned: ['c'] }],
    ['one of them twice counts once', policy, by(at(ONE), at(ONE, TIME + 1), at(THREE)), { quorum_met: false, cosigned: ['a', 'c'] }],
    ['a namesake with another key is passed over', policy, by(at(namesake), at(TWO), at(THREE)), { quorum_met: false, cosigned: ['b', 'c'] }],
    ['a stranger is passed over', one, by(at(named('stranger')), at(ONE)), { quorum_met: true, cosigned: ['a'] }],
    ['the signature of another under a known id', policy, by(at(forged), at(TWO), at(THREE)), { refused: 'bad_signature' }],
    ['another time than the one that was signed', one, postdated, { refused: 'bad_signature' }],
    ['the cosignatures of a smaller tree', one, log.checkpoint(6) + lastLine(log.checkpoint(5, [at(ONE)])), { refused: 'bad_signature' }],
    ['cosignatures alone', one, `${by().split('\n\n')[0]}\n\n${lastLine(by(at(ONE)))}`, { refused: 'bad_signature' }],
    ['a log that the policy does not name', one, logOf(texts, 'ledger.example/org/org_2').checkpoint(6, [at(ONE)]), { refused: 'unknown_log' }],
    ['a log of that name and another key', one, logOf(texts, ORIGIN, signerNamed(ORIGIN, 1, 'another')).checkpoint(6, [at(ONE)]), { refused: 'bad_signature' }],
  ];
  return cases.map(([story, of, note, answer]) => ({ story, policy: of, note, ...answer }));
}

/** Each with the line that is wrong; 0 where one is missing. */
function refused(texts: string[]): object {
  const log = logOf(texts, ORIGIN).signer;
  const renamed = formatVerifierKey(verifierKey('renamed.example', 4, ONE.key.key));
  const cases: [story: string, line: number, policy: string][] = [
    ['no quorum', 0, `log ${log.vkey}\n`],
    ['two quorums', 2, 'quorum none\nquorum none\n'],
    ['a quorum before what it names', 1, `quorum a\nwitness a ${ONE.vkey}\n`],
    ['a group of itself', 1, 'group g any g\nquorum g\n'],
    ['a group of nobody', 1, 'group g all\nquorum g\n'],
    ['a threshold of none', 2, `witness a ${ONE.vkey}\ngroup g 0 a\nquorum g\n`],
    ['a threshold that nobody meets', 2, `witness a ${ONE.vkey}\ngroup g 2 a\nquorum g\n`],
    ['a threshold with a leading zero', 2, `witness a ${ONE.vkey}\ngroup g 01 a\nquorum g\n`],
    ['a member twice', 2, `witness a ${ONE.vkey}\ngroup g 2 a a\nquorum g\n`],
    ['a member of two groups', 3, `witness a ${ONE.vkey}\ngroup g any a\ngroup h any a\nquorum h\n`],
    ['a witness under two names', 2, `witness a ${ONE.vkey}\nwitness b ${ONE.vkey}\nquorum a\n`],
    ['a witness under two names of its key', 2, `witness a ${ONE.vkey}\nwitness b ${renamed}\nquorum a\n`],
    ['a name twice', 2, `witness a ${ONE.vkey}\nwitness a ${TWO.vkey}\nquorum a\n`],
    ['a witness named none', 1, `witness none ${ONE.vkey}\nquorum none\n`],
    ['the key of a log for a witness', 1, `witness a ${log.vkey}\nquorum a\n`],
    ['the key of a witness for a log', 1, `log ${ONE.vkey}\nquorum none\n`],
    ['a key whose id is another', 1, `log ${log.vkey.replace(/\+[0-9a-f]{8}\+/, '+00000000+')}\nquorum none\n`],
    ['a word too many', 1, 'quorum none none\n'],
    ['an unknown word', 1, 'quorums none\n'],
    ['carriage returns', 1, 'quorum none\r\n'],
  ];
  return cases.map(([story, line, policy]) => ({ story, line, policy }));
}

/** To a witness that knows one log, in this order. `body` is posted to add-checkpoint; `answer` is the body of a 409. */
async function submissions(texts: string[]): Promise<object> {
  const log = logOf(texts, ORIGIN);
  const forked = logOf([...texts.slice(0, 3), texts[0]!, texts[1]!, texts[2]!], ORIGIN);
  const body = async (of: typeof log, old: number, size: number, hashes?: readonly Uint8Array[]) => {
    const proof = hashes ?? (old === 0 || old > size ? [] : await of.consistency(old, size));
    return `${[`old ${old}`, ...proof.map(toBase64)].join('\n')}\n\n${of.checkpoint(size)}`;
  };
  const sound = await body(log, 0, 2);
  const steps: [story: string, body: string, status: number, answer?: string][] = [
    ['no empty line', sound.replace('\n\n', '\n'), 400],
    ['an old size with a leading zero', sound.replace('old 0', 'old 00'), 400],
    ['a hash in base64 of another form', sound.replace('\n\n', `\n${'A'.repeat(43)}\n\n`), 400],
    ['64 hashes', await body(log, 0, 2, Array(64).fill(new Uint8Array(32))), 400],
    ['another log', await body(logOf(texts, 'ledger.example/org/org_2'), 0, 2), 404],
    ['another key of that name', await body(logOf(texts, ORIGIN, signerNamed(ORIGIN, 1, 'another')), 0, 2), 403],
    ['a proof from size 0', await body(log, 0, 2, [new Uint8Array(32)]), 422],
    ['the first checkpoint', sound, 200],
    ['the same again, from where it was', sound, 409, '2\n'],
    ['the same again', await body(log, 2, 2), 200],
    ['one that extends it', await body(log, 2, 4), 200],
    ['an old size beyond the checkpoint', await body(log, 4, 3), 400],
    ['the tail cut off', await body(log, 3, 3), 409, '4\n'],
    ['a fork, with the proof of a fork', await body(forked, 4, 6), 422],
    ['a fork, with the proof of the log', await body(forked, 4, 6, await log.consistency(4, 6)), 422],
    ['a fork, without a proof', await body(forked, 4, 6, []), 422],
    ['a fork of the same size', await body(forked, 4, 4), 422],
    ['a hash too many', await body(log, 4, 6, [...(await log.consistency(4, 6)), new Uint8Array(32)]), 422],
    ['the log itself, after all that', await body(log, 4, 6), 200],
  ];
  return {
    logs: [log.signer.vkey],
    steps: steps.map(([story, text, status, answer]) => ({ story, body: text, status, ...(answer && { answer }) })),
  };
}

/** The bytes of one signature line, the key's id and all: 76 of them. `time` is what a valid one says; else `refused`, the code. */
function raw(texts: string[]): object {
  const log = logOf(texts, ORIGIN);
  const note = log.checkpoint(6);
  const sound = Uint8Array.from(atob(lastLine(log.checkpoint(6, [at(ONE)])).trimEnd().split(' ').at(-1)!), (c) => c.charCodeAt(0));
  const changed = (index: number) => sound.map((byte, i) => (i === index ? byte ^ 1 : byte));
  const refused = { refused: 'bad_signature' };
  const cases: [story: string, bytes: Uint8Array, answer: object][] = [
    ['id, time and signature: 76 bytes', sound, { time: TIME }],
    ['a bit of the time changed', changed(11), refused],
    ['a time beyond 2^53', sound.map((byte, i) => (i >= 4 && i < 12 ? 0xff : byte)), refused],
    ['a bit of the signature changed', changed(75), refused],
    ['a byte less', sound.subarray(0, 75), refused],
    ['a byte more', Uint8Array.from([...sound, 0]), refused],
    ['without a time, as a log signs', Uint8Array.from([...sound.subarray(0, 4), ...sound.subarray(12)]), refused],
  ];
  return cases.map(([story, bytes, answer]) => ({ story, key: ONE.vkey, checkpoint: note, bytes: toHex(bytes), ...answer }));
}

function lastLine(note: string): string {
  return `${note.trimEnd().split('\n').at(-1)}\n`;
}
