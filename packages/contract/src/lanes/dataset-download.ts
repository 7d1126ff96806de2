/** The dataset-download lane: one dataset package, granted to one recipient, for a purpose, until a day. */
import { z } from 'zod';
import { Line, Sha256 } from '../wire.ts';
import { LANE_WORDS } from '../words.ts';
import type { Work } from '../work.ts';
import { agent, declaredAgent, Name, notify, optionalProse } from './body.ts';
import { EMPTY_SHA256, evidenceBytesKnown, evidenceDistinct } from './evidence-rules.ts';
import type { Lane } from './lane.ts';
import * as print from './printed.ts';
import { decide, flag, type LaneRule, pass, plural, quote, skip } from './rule.ts';
import { secretsIn } from './secrets.ts';

/** Any instant with an offset, kept as a ledger timestamp. */
const Expiry = z.iso.datetime({ offset: true }).transform((instant) => new Date(instant).toISOString());

const Inputs = z.object({
  slug: Name,
  name: Line,
  version: Line.max(100),
  sha256: Sha256,
  size_bytes: z.int().nonnegative(),
  row_count: z.int().nonnegative(),
  granted_to: Line,
  purpose: optionalProse,
  expires_at: Expiry.optional(),
  notify,
});
type Inputs = z.infer<typeof Inputs>;

const Execution = z.object(agent);
type Execution = z.infer<typeof Execution>;

type DownloadWork = Work<Inputs, Execution>;

const Blocks = z.strictObject({
  package: z.strictObject({
    slug: z.string(),
    name: z.string(),
    version: z.string(),
    sha256: Sha256,
    size_bytes: z.int().nonnegative(),
    row_count: z.int().nonnegative(),
    granted_to: z.string(),
    purpose: z.string(),
    /** `""` for a grant without an end. */
    expires_at: z.string(),
  }),
});

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 3660;
const SLUG = /^[a-z0-9]+(?:[._/-][a-z0-9]+)*$/;
const FLOATING = /^(?:latest|current|main|master|head|dev|nightly|stable)$/i;
const FIXED = /^v?\d+(?:[.-]\d+)*(?:[-+][0-9a-z.-]+)?$|^[0-9a-f]{7,64}$/i;
const EVERYONE = /^(?:\*|all|any|anyone|everyone|everybody|public|world)$/i;

const expiresLater: LaneRule<DownloadWork> = {
  key: 'expires_later',
  label: 'The grant ends after it begins',
  category: 'policy',
  severity: 'high',
  decide({ run, inputs: { expires_at } }) {
    if (expires_at === undefined) return skip('The grant has no end.');
    const days = (Date.parse(expires_at) - Date.parse(run.created_at)) / DAY_MS;
    if (days <= 0) return flag(`It ends at ${expires_at}, and the Run was opened at ${run.created_at}.`);
    return pass(
      `It ends at ${expires_at}, about ${plural(Math.max(1, Math.round(days)), 'day')} after the Run was opened.`,
    );
  },
};

const expiresSoonEnough: LaneRule<DownloadWork> = {
  key: 'expires_within_reason',
  label: 'The grant does not last for ever',
  category: 'policy',
  severity: 'low',
  decide({ run, inputs: { expires_at, purpose } }) {
    if (expires_at === undefined) {
      return purpose === ''
        ? flag('The grant has neither an end nor a purpose.')
        : skip('No end; the purpose has to bound it.');
    }
    const days = (Date.parse(expires_at) - Date.parse(run.created_at)) / DAY_MS;
    return days > LONGEST_DAYS
      ? flag(`It ends at ${expires_at}, more than ${LONGEST_DAYS} days after.`)
      : pass(`It ends at ${expires_at}.`);
  },
};

const sizeAndRows: LaneRule<DownloadWork> = {
  key: 'size_and_rows_fit',
  label: 'Size and number of rows fit together',
  category: 'math',
  severity: 'medium',
  decide({ inputs: { size_bytes, row_count } }) {
    if (row_count === 0 && size_bytes === 0) return flag('The package has no bytes and no rows.');
    if (row_count === 0) return skip('No rows are declared: the package may not be a table.');
    // Eight rows in one byte is beyond what packed formats reach on real data.
    if (size_bytes * 8 < row_count) return flag(`${row_count} rows cannot be in ${print.byteSize(size_bytes)}.`);
    return pass(`${row_count} rows in ${print.byteSize(size_bytes)}.`);
  },
};

const digestReal: LaneRule<DownloadWork> = {
  key: 'digest_of_something',
  label: 'The hash is of something',
  category: 'evidence',
  severity: 'high',
  decide({ inputs: { sha256, size_bytes } }) {
    if (sha256 === EMPTY_SHA256 && size_bytes === 0) return skip('The hash of nothing, for a package of no bytes.');
    if (sha256 === EMPTY_SHA256) return flag('This is the hash of no bytes at all.');
    if (/^(.)\1{63}$/.test(sha256)) return flag(`The hash is ${quote(sha256.slice(0, 8))} repeated: a placeholder.`);
    return pass(`The hash begins with ${sha256.slice(0, 12)}.`);
  },
};

const digestSeen: LaneRule<DownloadWork> = {
  key: 'digest_in_evidence',
  label: 'The package itself is among the evidence',
  category: 'evidence',
  severity: 'low',
  decide({ inputs: { sha256, size_bytes, slug }, evidence }) {
    const same = evidence.find((item) => item.sha256 === sha256);
    if (same && same.byte_size > 0 && same.byte_size !== size_bytes) {
      return flag(`${quote(same.label)} has the declared hash and ${same.byte_size} bytes, not ${size_bytes}.`);
    }
    if (same) return pass(`${quote(same.label)} has the declared hash.`);
    const named = evidence.find(
      (item) => item.kind === 'file' && item.label.toLowerCase().includes(slug.toLowerCase()),
    );
    if (named) return flag(`${quote(named.label)} is attached and has another hash than the package.`);
    return skip('The package is not attached, so its hash stands as declared.');
  },
};

const slugShape: LaneRule<DownloadWork> = {
  key: 'slug_shape',
  label: 'The slug can be used as a key',
  category: 'structure',
  severity: 'low',
  decide({ inputs: { slug } }) {
    if (SLUG.test(slug)) return pass(`${quote(slug)} is a slug.`);
    if (SLUG.test(slug.toLowerCase()))
      return skip(`${quote(slug)} has capitals: some stores tell them apart, some do not.`);
    return flag(`${quote(slug)} has spaces or signs that break addresses and file names.`);
  },
};

const versionFixed: LaneRule<DownloadWork> = {
  key: 'version_fixed',
  label: 'The version names one state of the dataset',
  category: 'structure',
  severity: 'medium',
  decide({ inputs: { version } }) {
    if (FLOATING.test(version)) return flag(`${quote(version)} is another state tomorrow.`);
    return FIXED.test(version)
      ? pass(`Version ${quote(version)}.`)
      : skip(`${quote(version)} is a name of the house's own.`);
  },
};

const grantee: LaneRule<DownloadWork> = {
  key: 'grantee_named',
  label: 'The grant is to somebody',
  category: 'policy',
  severity: 'medium',
  decide({ inputs: { granted_to } }) {
    if (EVERYONE.test(granted_to)) return flag(`The grant is to ${quote(granted_to)}, which is nobody.`);
    if (/^[^\s@]+@[^\s@]+$/.test(granted_to)) {
      return skip(
        'The grant is to an e-mail address, which would be published; whether it may be is for a person to say.',
      );
    }
    return pass(`The grant is to ${quote(granted_to)}.`);
  },
};

const purposeStated: LaneRule<DownloadWork> = {
  key: 'purpose_stated',
  label: 'The purpose is stated',
  category: 'policy',
  severity: 'low',
  decide({ inputs: { purpose } }) {
    const text = purpose.trim();
    if (text === '') return flag('No purpose is stated.');
    if (text.length < 4) return skip(`${quote(text)} may be a code for a purpose.`);
    return pass(`For ${quote(text)}.`);
  },
};

const noSecrets: LaneRule<DownloadWork> = {
  key: 'no_secrets',
  label: 'No secret is in plain sight',
  category: 'policy',
  severity: 'high',
  decide({ run, inputs: { name, version, granted_to, purpose } }) {
    const found = secretsIn([run.title, name, version, granted_to, purpose].join('\n'));
    if (found.length > 0) return flag(`This looks like ${found.join(' and ')}. Take it out and revoke it.`);
    return purpose === ''
      ? skip('Nothing but names would be published.')
      : pass('No key, token or password was found.');
  },
};

export const datasetDownloadRules: readonly LaneRule<DownloadWork>[] = [
  expiresLater,
  expiresSoonEnough,
  sizeAndRows,
  digestReal,
  digestSeen,
  slugShape,
  versionFixed,
  grantee,
  purposeStated,
  noSecrets,
  evidenceBytesKnown,
  evidenceDistinct,
];

export const datasetDownload: Lane<Inputs, Execution> = {
  name: 'dataset-download',
  ...LANE_WORDS['dataset-download'],
  inputs: Inputs,
  execution: Execution,
  agent: declaredAgent,
  commits: {
    title: false,
    note: false,
    inputs: ['slug', 'name', 'version', 'size_bytes', 'row_count', 'granted_to', 'purpose', 'expires_at'],
  },
  checks: (work) => decide(datasetDownloadRules, work),
  block({ inputs }) {
    const { slug, name, version, sha256, size_bytes, row_count, granted_to, purpose, expires_at = '' } = inputs;
    return { package: { slug, name, version, sha256, size_bytes, row_count, granted_to, purpose, expires_at } };
  },
  blocks: Blocks,
  print(receipt) {
    const at = (name: string) => print.member(receipt, 'package', name);
    const size = at('size_bytes');
    const expires = at('expires_at');
    return {
      title: print.titleWords(at('name')),
      kind: datasetDownload.label,
      outcome: null,
      approval: null,
      sections: [
        print.facts('Package', [
          print.mono('Slug', at('slug')),
          print.fact('Version', at('version')),
          { label: 'Size', value: typeof size === 'number' ? print.byteSize(size) : print.words(size) },
          print.fact('Rows', at('row_count')),
          print.mono('SHA-256', at('sha256')),
        ]),
        print.facts('Grant', [
          print.fact('Granted to', at('granted_to')),
          { label: 'Until', value: expires === '' ? 'No end' : print.instant(expires) },
        ]),
        ...print.text('Purpose', at('purpose')),
        ...print.committed(receipt),
      ],
    };
  },
};
