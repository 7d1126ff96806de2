/** Two programs in Go, built where there is a Go: `golang.org/x/mod/sumdb` and `filippo.io/torchwood` judge the cases. */
import { join } from 'node:path';
import { type Answer, type Case, run, type Suite, versionOf } from './tool.ts';

/** As `go/cases/cases.go` reads it; hashes, records and roots in base64. */
export interface GoCase extends Case {
  kind:
    | 'note'
    | 'inclusion'
    | 'consistency'
    | 'grown'
    | 'root'
    | 'tiles'
    | 'proof'
    | 'checkpoint'
    | 'entries'
    | 'submit';
  key?: string;
  policy?: string;
  note?: string;
  proof?: string;
  hashes?: string[];
  index?: number;
  size?: number;
  root?: string;
  older_size?: number;
  older_root?: string;
  record?: string;
  records?: string[];
  /** A folder or an address. */
  tiles?: string;
  credential?: string;
  url?: string;
  /** A signer of Go's notes. */
  signer?: string;
  /** From this record on the log is another; -1: it is not. */
  fork_at?: number;
}

const MODULE = join(import.meta.dirname, 'go');
/** The modules' hashes are in go.sum; no other toolchain is fetched. */
const GO = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' };

/** @param folder where the program is built */
export function goSuite(
  tool: string,
  program: 'sumdb' | 'torchwood' | 'witness',
  cases: GoCase[],
  folder: string,
): Suite {
  const built = join(folder, program);
  return {
    tool,
    cases,
    async lacks() {
      if ((await versionOf('go', 'version')) === null) return 'there is no go';
      const { code, stderr } = await run('go', ['build', '-o', built, `./${program}`], { cwd: MODULE, env: GO });
      if (code === 0) return null;
      // Without its modules it cannot be built, and that is of the machine; anything else is ours.
      const missing =
        /^.*(?:dial tcp|no such host|module lookup disabled|Forbidden|running go \d|toolchain not available).*$/m.exec(
          stderr,
        );
      if (missing !== null) return `go cannot build it: ${missing[0].trim()}`;
      throw new Error(`go build ./${program}: ${stderr}`);
    },
    async judge() {
      const { code, stdout, stderr } = await run(built, [], { cwd: folder, input: JSON.stringify(cases) });
      if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr}`);
      const lines = stdout.trim().split('\n');
      return new Map(lines.map((line) => JSON.parse(line) as Answer & Case).map((said) => [said.name, said]));
    },
  };
}
