/** What tells of the whole pack, made last: what was wrong, how to check it, and what it is. */
import { readFileSync } from 'node:fs';
import { oneLine } from '@rcpt/proof/one-line.ts';
import type { Packing } from './packing.ts';
import type { ZipEntry } from './zip.ts';

const CHECK = readFileSync(new URL('./check.sh', import.meta.url), 'utf8');

export function* readmeEntries(packing: Packing): Generator<ZipEntry> {
  const { problems, period } = packing;
  const at = period.taken_at;
  yield { path: 'check.sh', at, content: CHECK };
  if (problems.count > 0) yield { path: 'PROBLEMS.txt', at, content: problems.text() };
  yield { path: 'README.txt', at, content: readme(packing) };
}

function readme(packing: Packing): string {
  const parts = [heading, problemsIn, contents, byVerifier, byCommand, byTools, limits];
  return `${parts.map((part) => part(packing).trim()).join('\n\n\n')}\n`;
}

function heading({ organization, period, included, anchors, ledger }: Packing): string {
  const { from, before, from_at, to_at, taken_at } = period;
  const places =
    before - from > 1
      ? `${before - from}, numbered ${from} to ${before - 1}`
      : from === before
        ? 'none'
        : `1, numbered ${from}`;
  return `
AUDIT PACK

Organization   ${oneLine(organization.name)} (${organization.id})
Ledger         ${ledger.base_url}
Period         from ${from_at}, before ${to_at} (UTC, the ledger's own clock)
Receipts       ${places}${included.missing > 0 ? `; ${included.missing} of them MISSING` : ''}
Made           ${taken_at}
Log            ${anchors.newest === null ? 'nothing is signed yet' : anchors.newest.checkpoint.split('\n')[0]}

A receipt is a record of one piece of work: what was done, on which evidence, checked how, approved by whom. Each is a small JSON file that holds
its own SHA-256 and that of the receipt before it. All receipts of an organization are also the leaves of a hash tree, as Certificate Transparency
has it (RFC 6962). The ledger signs the number of receipts and the root of that tree: a checkpoint. Who holds one checkpoint can show any later
change, removal or insertion of a receipt that it counts. You can check all of it on your own machine, without asking anybody.`;
}

function problemsIn({ problems }: Packing): string {
  if (problems.count === 0)
    return 'PROBLEMS\n\nThe ledger found nothing wrong with these receipts while it made this pack. Check it yourself, as described below.';
  return `PROBLEMS: ${problems.count}

PROBLEMS.txt names what the ledger itself found wrong while it made this pack. A receipt that was altered is in receipts/ as it is stored now;
its proof is of what was minted at its place, so the two do not fit together. Ask the organization what happened.`;
}

function contents(packing: Packing): string {
  const { included, anchors, period, with_pdfs } = packing;
  const { before, end, newest } = anchors;
  const rows: [string, string, boolean][] = [
    ['receipts.csv', LIST, true],
    [
      'receipts/',
      `${counted(included.receipts, 'receipt')}, each exactly as stored, byte by byte. The date of a file is the instant that its receipt states.`,
      included.receipts > 0,
    ],
    [
      'proofs/',
      `${counted(included.proofs, 'proof file')} (C2SP tlog-proof): that the receipt stands at its place in the tree of ${end === null ? 'checkpoints/newest.txt' : 'checkpoints/end.txt'}.`,
      included.proofs > 0,
    ],
    [
      'approvals/',
      `${counted(included.approvals, 'approval')} that a person signed with a passkey.`,
      included.approvals > 0,
    ],
    [
      'disclosures/',
      `Beside ${counted(included.decided, 'receipt')}: list.json says what is disclosed, withheld and erased; ${counted(included.disclosed, 'file')} ${included.disclosed === 1 ? 'is' : 'are'} what is disclosed. Only of receipts whose public link is on.`,
      included.decided > 0,
    ],
    [
      'pdf/',
      `${counted(included.pdfs, 'receipt')} as PDF: ${included.pdfs === 1 ? 'a drawing' : 'drawings'} of the JSON, which alone counts.`,
      included.pdfs > 0,
    ],
    ['neighbours/', NEIGHBOURS, period.from > 0 || (newest?.size ?? 0) > period.before],
    [
      'checkpoints/before.txt',
      `The signed tree of the ${counted(period.from, 'receipt')} before the period.`,
      before !== null,
    ],
    [
      'checkpoints/end.txt',
      `The signed tree of the ${counted(period.before, 'receipt')} up to the end of the period.`,
      end !== null,
    ],
    [
      'checkpoints/newest.txt',
      'The last one that was signed. It carries the signatures of witnesses, if the organization has any: parties that sign only what continues what they saw before.',
      newest !== null,
    ],
    [
      'checkpoints/before-to-end.txt',
      'The proof that the tree at the end begins with the one before.',
      before !== null && end !== null,
    ],
    [
      'checkpoints/end-to-newest.txt',
      'The proof that the newest tree begins with the one at the end.',
      end !== null && newest !== null,
    ],
    [
      'timestamp/',
      'The first checkpoint that counts all receipts of the period and that a time-stamp authority (RFC 3161) stamped, its answer, and the proof that it continues checkpoints/end.txt.',
      included.timestamps > 0,
    ],
    [
      'keys/',
      `The keys that sign checkpoints, the newest first${included.successions > 0 ? ', and how each handed over to the next' : ''}.`,
      true,
    ],
    [
      'activity/',
      `What administrators did, ${counted(included.activity ?? 0, 'line')}, the whole chain and not the period alone: keys, members, roles, links, erasures, exports. Its own checkpoint.`,
      included.activity !== null,
    ],
    ['verify.html', 'The offline verifier: a page for your browser that works without a network.', included.verifier],
    ['check.sh', 'The checks of this pack for sh and openssl.', true],
  ];
  const left_out = with_pdfs
    ? ''
    : '\n\nThere are no PDFs in this pack: it was made with pdfs=false, or without saying so for more than 1,000 receipts.';
  const listed = rows.filter(([, , is_there]) => is_there).map(([name, what]) => `${name}\n${wrapped(what)}`);
  return `WHAT IS IN IT\n\n${listed.join('\n')}${left_out}`;
}

const LIST =
  'All receipts of the period, a line each, in UTF-8: also those that were altered or are missing, as its column "state" says. "file_sha256" is what sha256sum prints of the file in receipts/. "verdict" and "approver" are empty where that kind of receipt seals none. A cell that a spreadsheet could take for a formula begins with an apostrophe. "share_url" opens a receipt for everybody who has it, while "share_state" is on: treat the list accordingly.';
const NEIGHBOURS =
  'The receipts right before and right after the period. That they state instants outside of it, and have the next numbers, shows that the list is not short at its ends.';

function byVerifier({ included }: Packing): string {
  if (!included.verifier) return 'CHECK IT WITH A BROWSER\n\nThis ledger was built without the offline verifier.';
  return `CHECK IT WITH A BROWSER

Disconnect, open verify.html, and drop on it together:
  one file of receipts/ and the file of the same name in proofs/${included.pdfs > 0 ? '; or one PDF' : ''}${included.approvals > 0 ? '; and the one in approvals/' : ''}
Paste the key that you have from the organization by another way than this pack. It gives four answers, each by itself.`;
}

function byCommand({ included, anchors, period }: Packing): string {
  return `CHECK IT WITH ./rcpt

The command ./rcpt comes with the ledger's source code and needs Node.js and nothing else. KEY is the verifier key that you trust.

  ./rcpt verify receipts/                                           every receipt is what was sealed
  ./rcpt verify --proof proofs/ID.tlog-proof --key KEY receipts/ID.json${
    included.approvals > 0
      ? `\n  ./rcpt verify --approval approvals/ID.json --activity activity/activity.ndjson receipts/ID.json`
      : ''
  }${included.activity === null ? '' : `\n  ./rcpt verify --checkpoint activity/checkpoint.txt --key ACTIVITY_KEY activity/activity.ndjson`}${
    anchors.end === null || period.from > 0
      ? ''
      : `

This pack begins with the first receipt, so that it holds the whole chain up to its end. That none is left out:
  for file in receipts/*.json; do cat "$file"; echo; done > chain.ndjson
  ./rcpt verify --checkpoint checkpoints/end.txt --key KEY chain.ndjson`
  }${
    anchors.before === null
      ? ''
      : `\n\nIt remembers the last checkpoint of each ledger that it saw and tells when a later one does not continue it. Give it
--consistency checkpoints/before-to-end.txt where it saw checkpoints/before.txt last.`
  }

Of two packs of one ledger, the earlier one's checkpoints/end.txt and the later one's checkpoints/before.txt hold the same size and root where the
periods follow each other. If they do not, receipts were removed or changed in between, and both signed files prove it.`;
}

function byTools({ included, anchors }: Packing): string {
  return `CHECK IT WITH SHA256SUM AND OPENSSL ALONE

check.sh does what follows for the whole pack (sh check.sh) or for some receipts (sh check.sh ID …), in a few seconds for ten. Step by step:

The file is the one in the list:
  sha256sum receipts/ID.json                    compare with file_sha256 in receipts.csv
The receipt is what was sealed; compare with its receipt_sha256:
  sed 's/,"receipt_sha256":"[0-9a-f]*"//' receipts/ID.json | tr -d '\\n' | sha256sum${
    anchors.end === null
      ? ''
      : `
A checkpoint is signed (KEY: a line of keys/receipts.txt, or better the one you have from elsewhere):
  (printf '\\060\\052\\060\\005\\006\\003\\053\\145\\160\\003\\041\\000'; printf %s "$KEY" | cut -d+ -f3- | openssl base64 -d -A | tail -c 32) |
    openssl pkey -pubin -inform DER -out key.pem
  sed '/^$/,$d' checkpoints/end.txt > text
  grep -F "— \${KEY%%+*} " checkpoints/end.txt | head -n 1 | cut -d ' ' -f 3 | openssl base64 -d -A | tail -c 64 > signature
  openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in text -sigfile signature
The receipt stands in the tree: start with the hash of a zero byte and the file; join it with each hash of the proof, from the left or from the
right as the bits of the index say, always behind a byte 1; the last one is the third line of the checkpoint. "included" in check.sh is that.`
  }${included.approvals > 0 ? '\nA passkey signed: "approved" in check.sh.' : ''}${
    included.timestamps > 0
      ? '\nThe time stamp, with the certificate of the authority, which you have from there:\n  openssl ts -verify -data timestamp/checkpoint.txt -in timestamp/timestamp.tsr -CAfile authority.pem'
      : ''
  }`;
}

function limits({ included, anchors }: Packing): string {
  return `WHAT IT DOES NOT SHOW

- That what a receipt says is true. It shows that it was said, when it was sealed by the ledger's clock, and that it was not changed since.
- That every piece of work has a receipt. The list is whole with regard to receipts that were minted, not to work that never was.
- Who the keys belong to, if you have them from this pack only: a key that comes with the papers shows that the papers agree with each other. Ask the
  organization for its verifier key by another way, once, and keep it.
- When something happened, beyond the word of the ledger; of witnesses whose signatures a checkpoint carries${
    included.timestamps > 0 ? ', and of the time-stamp authority' : ''
  }: by when.
- That nothing was cut off or rewritten before you held a first checkpoint. Keep checkpoints/${anchors.end === null ? 'newest' : 'end'}.txt: it is what the next pack is held against.
- That a checkpoint in this pack was signed at the end of the period: the ledger keeps the last one of each day, and signs one of an earlier size
  when a pack asks for it. Only what its signed tree begins with can be signed so.${
    included.decided > 0
      ? '\n- What is withheld or was erased. Its hash is in the receipt; the value is not in this pack.'
      : ''
  }`;
}

/** `1 receipt`, `2 receipts`. */
function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** At 100 characters, below its name. */
function wrapped(text: string): string {
  const rows: string[] = [];
  for (const word of text.split(' ')) {
    const last = rows.at(-1);
    if (last === undefined || last.length + word.length > 110) rows.push(word);
    else rows[rows.length - 1] = `${last} ${word}`;
  }
  return rows.map((row) => `    ${row}`).join('\n');
}
