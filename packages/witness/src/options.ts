/** The words of `./rcpt witness`. */
import { readArguments, WrongUse } from '@rcpt/proof/cli-arguments.ts';
import { ProofError } from '@rcpt/proof/error.ts';
import { isKeyName, parseVerifierKey, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';

export const HELP = `Usage: ./rcpt witness --name NAME --log VKEY … [--data DIR] [--listen HOST:PORT]

A witness of transparency logs (C2SP tlog-witness), in the foreground: it cosigns a checkpoint that extends the last one it
cosigned of that log, and no other. So nobody can cut the end off a log, or rewrite it, for whom asks for its cosignature.
It prints its verifier key on stdout; a ledger's owner adds it with its address, and those who verify put it in a policy.

  --name NAME         what its key is called, an address without a scheme, e.g. witness.example.org/w1; needed at the
                      first start, and kept for good
  --log VKEY          the verifier key of a log it watches; repeatable, also for several keys of one log
  --data DIR          where its key and its record are kept (default: data/witness)
  --listen HOST:PORT  where it listens, plain HTTP (default: 127.0.0.1:7380); port 0 picks a free one

  POST /add-checkpoint             what logs call
  GET  /                           its verifier key
  GET  /<SHA-256 of origin>/checkpoint   what it cosigned last of that log

Never start it from a copy or a backup of DIR: it would not know what it has cosigned since. Without its record it needs
a new key. SIGTERM answers what is in hand and exits 0. Exit codes: 0 drained, 1 cannot work, 2 wrong use.
`;

export interface Options {
  name: string | undefined;
  logs: VerifierKey[];
  data: string;
  host: string;
  port: number;
}

/** Null: the help was asked for. Throws `WrongUse`. */
export function readOptions(args: string[]): Options | null {
  const { values } = readArguments({
    args,
    options: {
      name: { type: 'string' },
      log: { type: 'string', multiple: true, default: [] as string[] },
      data: { type: 'string', default: 'data/witness' },
      listen: { type: 'string', default: '127.0.0.1:7380' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const { name } = values;
  if (name !== undefined && !isKeyName(name))
    throw new WrongUse(`--name: got ${JSON.stringify(name)}, takes a name without spaces and plus signs`);
  if (values.log.length === 0) throw new WrongUse('--log: got nothing, takes the verifier key of a log');
  return { name, logs: values.log.map(logOf), data: values.data, ...addressOf(values.listen) };
}

function logOf(vkey: string): VerifierKey {
  try {
    const key = parseVerifierKey(vkey);
    if (key.type === 1) return key;
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw new WrongUse(`--log: got ${JSON.stringify(vkey)}: ${error.reason}`);
  }
  throw new WrongUse(`--log: got ${JSON.stringify(vkey)}, which is the key of a witness; takes that of a log`);
}

function addressOf(listen: string): { host: string; port: number } {
  const [, host, port] = /^(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})$/.exec(listen) ?? [];
  if (host === undefined || Number(port) > 65_535)
    throw new WrongUse(`--listen: got ${JSON.stringify(listen)}, takes HOST:PORT`);
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
