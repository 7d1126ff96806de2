/** Each act as one plain sentence, without its subject: who acted stands before it. */
import type { Act } from '@rcpt/contract/activity.ts';
import type { ActivityKind } from '@rcpt/contract/activity-kinds.ts';
import { toTheMinute } from '../../format/instant.ts';
import { labelOfPath } from '../../format/path-label.ts';

type Told<Kind extends ActivityKind> = Extract<Act, { kind: Kind }>['details'];
type Sentences = { [Kind in ActivityKind]: (details: Told<Kind>) => string | [before: string, after: string] };

interface Named {
  id: string;
  name: string;
}

const quoted = (text: string) => `“${text}”`;
/** A member without a public name, and a key without a label, are named by the id. */
const called = ({ id, name }: Named) => (name === id ? shortId(id) : quoted(name));
const onOff = (on: boolean) => (on ? 'on' : 'off');
const MIB = 1_048_576;
const ofBytes = (bytes: number | null) =>
  bytes === null ? 'what the ledger gives everybody' : bytes === 0 ? 'no end' : `${Math.ceil(bytes / MIB)} MiB`;
const listed = (paths: string[]) => {
  const labels = paths.map((path) => labelOfPath(path));
  return labels.length < 2 ? (labels[0] ?? 'nothing') : `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`;
};
/** `2026-11-22`, or an instant. */
const when = (text: string) => (/T.*Z$/.test(text) && !Number.isNaN(Date.parse(text)) ? toTheMinute(text) : text);
const short = (hash: string) => hash.slice(0, 12);

const SENTENCES: Sentences = {
  activity_begun: ({ keys, members }) =>
    `began this record; what was done before is not in it. There were ${counted(keys, 'key')} and ${counted(members, 'member')}.`,
  organization_created: ({ four_eyes }) => `created the organization, with four eyes ${onOff(four_eyes)}.`,
  organization_renamed: ({ before, after }) => `renamed the organization from ${quoted(before)} to ${quoted(after)}.`,
  four_eyes_switched: ({ after }) => `switched four eyes ${onOff(after)}.`,
  passkey_approvals_changed: ({ before, after }) => `changed passkey approvals from ${before} to ${after}.`,
  storage_limit_changed: ({ before, after }) =>
    `changed the storage limit from ${ofBytes(before)} to ${ofBytes(after)}.`,
  router_connected: ({ before, after }) =>
    after === null
      ? `disconnected the compute router ${before}.`
      : `connected the compute router ${after}${before === null ? '' : ` in place of ${before}`}.`,
  router_called: ({ call, id }) => `asked the compute router for ${id === null ? call : call.replace('{id}', id)}.`,
  key_issued: ({ key, role }) => `issued the ${role} key ${called(key)}.`,
  key_revoked: ({ key, role }) => `revoked the ${role} key ${called(key)}.`,
  member_added: ({ member, role }) => `invited ${called(member)} as ${role}.`,
  member_joined: ({ role }) => `joined as ${role}.`,
  member_role_changed: ({ member, before, after }) =>
    `changed the role of ${called(member)} from ${before} to ${after}.`,
  member_removed: ({ member, role }) => `removed ${called(member)}, who was ${role}.`,
  invitation_sent: ({ member }) => `sent the invitation of ${called(member)} again.`,
  public_name_changed: ({ before, after }) =>
    before === null
      ? `chose the public name ${quoted(after)}.`
      : `changed the public name from ${quoted(before)} to ${quoted(after)}.`,
  sign_in_link_made: ({ member }) => `made a link that signs in as ${called(member)}.`,
  passkey_enrolled: ({ member, passkey }) => `enrolled the passkey ${called(passkey)} of ${called(member)}.`,
  passkey_removed: ({ member, passkey }) => `removed the passkey ${called(passkey)} of ${called(member)}.`,
  agent_profile_described: ({ agent_profile }) => `described the agent ${called(agent_profile)}.`,
  flight_sheet_published: ({ flight_sheet: { name, version } }) =>
    `published the flight sheet ${quoted(name)}, version ${version}.`,
  share_switched: ({ after }) => `switched ${onOff(after)} the link of`,
  disclosures_changed: ({ before, after }) => ['lets the link of', `show ${listed(after)}; before: ${listed(before)}.`],
  erased: ({ path, reason }) => `erased ${labelOfPath(path)} for good, because ${quoted(reason)}, beside`,
  witness_added: ({ name, url }) => `added the witness ${quoted(name)} at ${url}.`,
  witness_removed: ({ name, url }) => `removed the witness ${quoted(name)} at ${url}.`,
  log_key_created: () => 'made the key that signs the checkpoints.',
  log_key_rotated: () => 'made the next key that signs the checkpoints; the one before it signed it.',
  export_taken: ({ chain, head }) =>
    `took an export of ${chain === 'receipts' ? 'all receipts' : 'this record'}${head === null ? ', which was empty' : `, up to #${head.org_seq} ${short(head.receipt_sha256)}`}.`,
  pack_taken: ({ from, to }) =>
    Date.parse(from) <= 0
      ? `took the pack of everything up to ${when(to)}.`
      : `took the pack of ${when(from)} to ${when(to)}.`,
};

/** With the receipt that it is about, which stands between `words` and `after`. A kind of a later release is named as it is. */
export function sentenceOf({ kind, details }: Pick<Act, 'kind' | 'details'>): {
  words: string;
  receipt_id: string | null;
  after: string;
} {
  const say = SENTENCES[kind] as ((details: unknown) => string | [string, string]) | undefined;
  const said = say === undefined ? `${kind}: ${JSON.stringify(details)}` : say(details);
  const [words, after] = typeof said === 'string' ? [said, '.'] : [said[0], ` ${said[1]}`];
  // A shortened id at the end brings dots of its own.
  return { words: words.replace(/…\.$/, '…'), receipt_id: 'receipt_id' in details ? details.receipt_id : null, after };
}

/** `The operator` and `the ledger` begin a sentence. */
export function subjectOf({ id, name }: Named): string {
  if (name === id) return shortId(id);
  return id === 'operator' || id === 'ledger' ? name.charAt(0).toUpperCase() + name.slice(1) : name;
}

/** `user_97441ee5…`: who had no name yet. The whole id stands in the export. */
function shortId(id: string): string {
  return /^(?:user|key)_\w{32}$/.test(id) ? `${id.slice(0, id.indexOf('_') + 9)}…` : id;
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
