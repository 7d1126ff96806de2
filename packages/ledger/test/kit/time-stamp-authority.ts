/** A time-stamp authority of its own: certificates and answers by `openssl ts`, behind a small HTTP server on loopback. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CONFIG = `
[tsa]
default_tsa = here
[here]
serial = serial
signer_cert = tsa.pem
certs = ca.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
ordering = no
tsa_name = yes
ess_cert_id_chain = no
[purpose]
extendedKeyUsage = critical, timeStamping
`;

export interface TimeStampAuthority {
  url: string;
  /** The certificate that a reader trusts. */
  ca: string;
  /** Of each request, as it came. */
  asked: Uint8Array[];
  /** What is answered instead of the answer of openssl. */
  instead:
    | ((answer: Uint8Array, query: Uint8Array) => Uint8Array | { status: number; type: string; body: Uint8Array })
    | null;
  /** The answer of openssl to these bytes of a request. */
  answerTo(query: Uint8Array): Uint8Array;
  /** Whether `openssl ts` verifies the answer over these bytes. */
  verifies(answer: Uint8Array, stamped: string | Uint8Array): boolean;
  close(): Promise<void>;
}

/** Why there can be none on this machine, or false. */
export function lacksOpenssl(): string | false {
  try {
    return /^OpenSSL [3-9]/.test(execFileSync('openssl', ['version'], { encoding: 'utf8' }))
      ? false
      : 'openssl is too old';
  } catch {
    return 'there is no openssl';
  }
}

export async function startAuthority(): Promise<TimeStampAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'authority-'));
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  writeFileSync(join(folder, 'tsa.cnf'), CONFIG);
  writeFileSync(join(folder, 'serial'), '01\n');
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Root', '-days', '30');
  openssl('req', ...key, '-keyout', 'tsa.key', '-out', 'tsa.csr', '-subj', '/CN=Authority');
  openssl(
    'x509',
    '-req',
    '-in',
    'tsa.csr',
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '30',
    '-extfile',
    'tsa.cnf',
    '-extensions',
    'purpose',
    '-out',
    'tsa.pem',
  );

  const answerTo = (query: Uint8Array) => {
    writeFileSync(join(folder, 'query.tsq'), query);
    openssl('ts', '-reply', '-config', 'tsa.cnf', '-section', 'here', '-queryfile', 'query.tsq', '-out', 'answer.tsr');
    return readFileSync(join(folder, 'answer.tsr'));
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const query = Buffer.concat(parts);
    authority.asked.push(query);
    const answer = answerTo(query);
    const said = authority.instead?.(answer, query) ?? answer;
    const { status, type, body } =
      'status' in said ? said : { status: 200, type: 'application/timestamp-reply', body: said };
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const authority: TimeStampAuthority = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsr`,
    ca: readFileSync(join(folder, 'ca.pem'), 'utf8'),
    asked: [],
    instead: null,
    answerTo,
    verifies(answer, stamped) {
      writeFileSync(join(folder, 'read.tsr'), answer);
      writeFileSync(join(folder, 'stamped'), stamped);
      try {
        openssl('ts', '-verify', '-data', 'stamped', '-in', 'read.tsr', '-CAfile', 'ca.pem');
        return true;
      } catch {
        return false;
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return authority;
}
